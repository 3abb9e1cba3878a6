"""Reads a lesson file strictly, and writes outputs back without touching anything else.

The executed notebook is never copied over the lesson: only outputs and execution counts are taken from
it, so a saved lesson cannot differ from its source otherwise. The same run saves the same bytes on
every machine.

Python's JSON parser does not tell where it found something, so the file's tokens are read once more, with their lines.
"""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_dialect.notebooks.convert import jupyter_metadata
from streaming_classroom.exercises import catalogue
from streaming_classroom.runner.results import EXERCISE, InvalidNotebook, LessonChanged, plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

CHECK = re.compile(r'DA\.check\("(?P<id>[^"]+)"\)')


def exercises(nb: NotebookNode) -> Iterator[tuple[NotebookNode, NotebookNode, str]]:
    """Yield each exercise of a notebook: its cell, the cell that checks it, and its number."""
    starter = None
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        if EXERCISE in cell.metadata.get("tags", []):
            starter = cell
        elif starter is not None and (check := CHECK.fullmatch(cell.source.strip())):
            yield starter, cell, check["id"]
            starter = None


def solved(nb: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook with its solutions in, in which a check that does not find them right fails."""
    nb = copy.deepcopy(nb)
    for starter, check, name in exercises(nb):
        starter.source = catalogue.find(name).solution.strip()
        check.source = f"{check.source.strip()}.or_fail()"
    return nb


STAND_IN_HOME = "/classroom"


def read_lesson(path: Path) -> tuple[NotebookNode, bytes]:
    """Return a lesson and the bytes of its file; InvalidNotebook if it is not a notebook of format 4."""
    import nbformat
    from nbformat.validator import iter_validate

    try:
        content = path.read_bytes()
        raw = json.loads(content.decode("utf-8"))
    except OSError as error:
        raise InvalidNotebook(path, f"it cannot be read ({error.strerror})") from error
    except ValueError as error:  # not UTF-8, or not JSON
        raise InvalidNotebook(path, f"it is not JSON ({error})") from error
    if not isinstance(raw, dict) or raw.get("nbformat") != 4:
        raise InvalidNotebook(path, "it is not in notebook format 4; open and save it in JupyterLab")
    # Not nbformat.validate, which repairs on the way: it would give cells new random ids.
    problem = next(iter(iter_validate(raw, version=4, version_minor=raw.get("nbformat_minor", 0))), None)
    if problem is not None:
        where = "/".join(str(part) for part in problem.absolute_path) or "the notebook"
        raise InvalidNotebook(path, f"{where}: {problem.message.splitlines()[0][:200]}")
    return nbformat.v4.reads(content.decode("utf-8")), content


def code_cells(nb: NotebookNode) -> int:
    """Return the number of cells to execute."""
    return sum(_is_run(cell) for cell in nb.cells)


def save_outputs(path: Path, before: bytes, executed: NotebookNode, home: Path) -> None:
    """Write the outputs of `executed` into the lesson at `path` atomically, with `home` replaced by a placeholder.

    Raises LessonChanged if the file differs from `before`; it is left alone.
    """
    nb, now = read_lesson(path)
    if now != before:
        raise LessonChanged(path)
    content = render(transplant(nb, executed, home))
    if content != before:
        _replace(path.resolve(), content)


def transplant(nb: NotebookNode, executed: NotebookNode, home: Path) -> NotebookNode:
    """Return `nb` with the outputs of `executed`, without parts that differ from run to run."""
    nb = copy.deepcopy(nb)
    for noise in ("papermill", "widgets"):
        nb.metadata.pop(noise, None)
    nb.metadata.update(jupyter_metadata())
    for cell, ran in zip(nb.cells, executed.cells, strict=True):
        for noise in ("papermill", "execution"):
            cell.metadata.pop(noise, None)
        if cell.cell_type == "code":
            cell.execution_count = ran.execution_count
            cell.outputs = _stable_outputs(ran.outputs, home)
    return nb


def render(nb: NotebookNode) -> bytes:
    """Return the bytes that ``nbformat.write`` would write, without its repairs, on any platform."""
    import nbformat

    text = nbformat.v4.writes(nb)
    return (text if text.endswith("\n") else text + "\n").encode("utf-8")


def _is_run(cell: NotebookNode) -> bool:
    skipped = "skip-execution" in cell.metadata.get("tags", [])  # nbclient's own tag
    return cell.cell_type == "code" and bool(cell.source.strip()) and not skipped


def _stable_outputs(outputs: list[NotebookNode], home: Path) -> list[NotebookNode]:
    stable: list[NotebookNode] = []
    for output in copy.deepcopy(outputs):
        last = stable[-1] if stable else None
        # How a stream is cut into messages depends on timing.
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
            continue
        if output.output_type == "error":
            output.traceback = [frame for frame in output.traceback if not _is_library_frame(frame)]
        stable.append(output)
    return [_without_home(output, home) for output in stable]


def _is_library_frame(frame: str) -> bool:
    """Whether a frame is outside the notebook: it names a path of this machine and does not help a learner."""
    return re.match(r"File .+:\d+", plain(frame).lstrip()) is not None


def _without_home(output: NotebookNode, home: Path) -> NotebookNode:
    from nbformat import from_dict

    text = json.dumps(output, ensure_ascii=False)
    for spelling in (json.dumps(str(home), ensure_ascii=False)[1:-1], home.as_posix()):
        text = text.replace(spelling, STAND_IN_HOME)
    return from_dict(json.loads(text))


def _replace(path: Path, content: bytes) -> None:
    """A reader sees the old file or the new one; a crash leaves the old one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
