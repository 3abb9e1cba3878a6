"""Lesson files: found by what a person types, read strictly, and written back without touching anything else.

A lesson is a file ``NN-Title.ipynb``, where a letter may follow the number (``07L`` is a lab).  The same names always
give the same files in the same order, and never none: an empty list is an error.

The executed notebook is never copied over the lesson: only outputs and execution counts are taken from it, so a saved
lesson cannot differ from its source otherwise.  The same run saves the same bytes on every machine.

A lab's cell with the tag ``ending`` shows how its story ends, which only its solutions can tell: its saved output,
folded, is of a run with them.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_dialect.conversion import jupyter_metadata
from streaming_base.notebook_files import is_databricks_source
from streaming_classroom.files import directories
from streaming_classroom.runner.results import EXERCISE, NEEDS_CLASSIC, InvalidNotebook, RunnerError, plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

NOTEBOOK_SUFFIXES = (".ipynb", ".py", ".sql")  # the last two in Databricks' source format
CHECK = re.compile(r'DA\.check\("(?P<id>[^"]+)"\)')
#: The minutes of a lesson, in its opening cell.
STATED_MINUTES = re.compile(r"^(\*\*Time:\*\* )(\d+)( minutes?\b)", re.MULTILINE)
LEFT_OUT = "This compute cannot run this cell, which needs classic compute: it is left out."
ENDING = "ending"
STAND_IN_HOME = "/classroom"
_NUMBER = re.compile(r"0*(\d+)([a-z]?)", re.IGNORECASE)
_LESSON = re.compile(r"(\d{2,}[a-z]?)-.+\.ipynb", re.IGNORECASE)


def find_lessons(names: Sequence[str], notebooks: Path) -> list[Path]:
    """Return the notebooks that `names` ask for, each once, in the order asked.

    ``names``: numbers (``7``, ``07``, ``07L``), titles (``07-Triggers``), or paths of notebooks, relative to the
    current directory or absolute; of a folder, its notebooks at any depth. None at all means every lesson, sorted;
    ``notebooks``: the directory of the lessons.
    Raises RunnerError: no lesson has that number, no file has that path, a folder that was given holds no notebook,
    or no names were given and the directory holds no lesson.
    """
    files = sorted(notebooks.iterdir()) if notebooks.is_dir() else []
    lessons = [path.absolute() for path in files if _LESSON.fullmatch(path.name)]
    if not names:
        if not lessons:
            raise no_lessons(notebooks)
        return lessons
    found = [path for name in names for path in _find(str(name), lessons, notebooks)]
    return list(dict.fromkeys(found))


def lesson_number(name: str) -> str:
    """Return the number that a lesson's name begins with: ``02`` of ``02-Triggers.ipynb``, ``02L`` of ``02L-A-Lab``."""
    return name.partition("-")[0]


def _find(name: str, lessons: list[Path], notebooks: Path) -> list[Path]:
    path = Path(name).expanduser().absolute()
    if path.suffix.lower() in NOTEBOOK_SUFFIXES:
        if path.is_file():
            return [path]
        raise RunnerError(f"There is no notebook {name!r}.")
    wanted = _key(name)
    found = [path for path in lessons if path.stem == name or (wanted and _key(lesson_number(path.name)) == wanted)]
    if not found and name and path.is_dir():
        return _in_folder(path)
    if not found and path.is_file():
        raise RunnerError(f"{name!r} is no notebook: their names end in {', '.join(sorted(NOTEBOOK_SUFFIXES))}.")
    if not found:
        nearest = get_close_matches(name.upper(), [lesson_number(lesson.name) for lesson in lessons], n=3)
        hint = f" The nearest are {', '.join(nearest)}." if nearest else ""
        raise RunnerError(f"There is no lesson {name!r}.{hint} `python course.py list` shows all {len(lessons)}.")
    return found


def stated_minutes(lesson: Path) -> int | None:
    """Return the minutes that a lesson's opening cell states, or None."""
    opening = json.loads(lesson.read_text(encoding="utf-8"))["cells"][0]["source"]
    found = STATED_MINUTES.search("".join(opening))
    return int(found[2]) if found else None


def unknown_parameter(names: Iterable[str], notebooks: Iterable[Path]) -> str | None:
    """Return the first parameter whose name stands neither in a notebook nor in what it includes; None if all do."""
    words: set[str] = set()
    waiting, seen = list(notebooks), set()
    while waiting:
        path = waiting.pop().resolve()
        if path in seen:
            continue
        seen.add(path)
        text = path.read_text(encoding="utf-8", errors="replace")
        words |= set(re.findall(r"\w+", text))
        for target in re.findall(r"%run\s+([^\s\"'\\]+)", text):
            waiting += [file for file in path.parent.glob(f"{target}.*") if file.suffix in NOTEBOOK_SUFFIXES]
    return next((name for name in names if name not in words), None)


def _in_folder(folder: Path) -> list[Path]:
    """Return the notebooks of a folder, sorted, without Jupyter's copies, scripts and hidden folders."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in NOTEBOOK_SUFFIXES
        and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    ]
    notebooks = [path for path in found if path.suffix.lower() == ".ipynb" or is_databricks_source(path)]
    if not notebooks:
        raise no_lessons(folder)
    return notebooks


def _key(number: str) -> tuple[int, str] | None:
    """``07L`` and ``7l`` are the same lesson."""
    match = _NUMBER.fullmatch(number)
    return (int(match[1]), match[2].upper()) if match else None


def no_lessons(folder: Path | None = None) -> RunnerError:
    """Return the error of a folder without lessons: running nothing is not a success."""
    where = f" in {folder}" if folder else ""
    return RunnerError(
        f"There is no lesson to run{where}: lessons are files named like 07-Title.ipynb, notebooks end in .ipynb."
    )


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
    from streaming_classroom.exercises import catalogue  # which only a run with solutions needs

    nb = copy.deepcopy(nb)
    for starter, check, name in exercises(nb):
        starter.source = catalogue.find(name).solution.strip()
        check.source = f"{check.source.strip()}.or_fail()"
    return nb


def without_classic_cells(nb: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook in which each cell that needs classic compute only says so."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if NEEDS_CLASSIC in cell.metadata.get("tags", ()):
            cell.source, cell.metadata["tags"] = f"print({LEFT_OUT!r})", [NEEDS_CLASSIC]
    return nb


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
    return sum(
        # The tag is nbclient's own.
        cell.cell_type == "code" and bool(cell.source.strip()) and "skip-execution" not in cell.metadata.get("tags", [])
        for cell in nb.cells
    )


def save_outputs(path: Path, before: bytes, executed: NotebookNode, home: Path, *, solved: bool = False) -> None:
    """Write the outputs of `executed` into the lesson at `path` atomically, with `home` replaced by a placeholder.

    Of a run with solutions, only those of the cells that show an ending are written. Raises RunnerError if the file
    differs from `before`; it is left alone.
    """
    nb, now = read_lesson(path)
    if now != before:
        raise RunnerError(f"{path} was edited while it ran, so its outputs were not saved; run it again.")
    content = render(transplant(nb, executed, home, solved=solved))
    if content != before:
        directories.write_atomically(path.resolve(), content)


def transplant(nb: NotebookNode, executed: NotebookNode, home: Path, *, solved: bool = False) -> NotebookNode:
    """Return `nb` with the outputs of `executed`, without parts that differ from run to run.

    A run with solutions gives the cells that show an ending their outputs, folded; other runs give all others theirs.
    """
    nb = copy.deepcopy(nb)
    for noise in ("papermill", "widgets"):
        nb.metadata.pop(noise, None)
    nb.metadata.update(jupyter_metadata())
    for cell, ran in zip(nb.cells, executed.cells, strict=True):
        for noise in ("papermill", "execution"):
            cell.metadata.pop(noise, None)
        if cell.cell_type != "code":
            continue
        is_ending = ENDING in cell.metadata.get("tags", [])
        if not solved:
            cell.execution_count = ran.execution_count
        if solved == is_ending:
            outputs = _stable_outputs(ran.outputs, home)
            cell.outputs = [_folded(outputs)] if is_ending else outputs
    return nb


def _folded(outputs: list[NotebookNode]) -> NotebookNode:
    """Return outputs as one that unfolds."""
    from nbformat.v4 import new_output

    parts, texts = [], []
    for output in outputs:
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain", "")
        texts.append(text)
        if "image/png" in data:
            parts.append(f'<img alt="{escape(text)}" src="data:image/png;base64,{data["image/png"].strip()}">')
        else:
            parts.append(data.get("text/html") or f"<pre>{escape(text)}</pre>")
    html = f"<details><summary>How it ends</summary>{''.join(parts)}</details>"
    return new_output("display_data", {"text/html": html, "text/plain": "How it ends:\n" + "\n".join(texts)})


def render(nb: NotebookNode) -> bytes:
    """Return the bytes that ``nbformat.write`` would write, without its repairs, on any platform."""
    import nbformat

    text = nbformat.v4.writes(nb)
    return (text if text.endswith("\n") else text + "\n").encode("utf-8")


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
