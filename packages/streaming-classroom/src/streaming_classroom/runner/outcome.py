"""Decides whether a lesson has failed, and in which cell.

A cell that fails without the tag ``raises-exception`` or does not fail with it; stderr without the tag
``stderr-expected``; a stream left active; a missed deadline; a dead kernel.

Compared with its file, a cell with the tag ``nbval-check-output`` fails as in nbval: if texts differ by their kind, in
their order, without pictures.  Of a cell that is meant to fail, the error's class and Spark's condition are compared,
whatever its tags: its message may name what differs from run to run.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbclient.exceptions import CellTimeoutError

from notebook_dialect.conversion import ORIGIN, ORIGIN_CELL
from streaming_classroom.runner.engine import Interrupted
from streaming_classroom.runner.lesson_files import transplant
from streaming_classroom.runner.results import MAY_FAIL, MAY_WRITE_STDERR, Failure, Kind, plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from streaming_classroom.runner.engine import Observed

ENDED_ON_PURPOSE = "NotebookExit"  # what dbutils.notebook.exit raises

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]{2,}(?:\.[A-Z0-9_]+)*)\]")  # of Spark's errors
_LONGEST = 400
CHECKED = "nbval-check-output"
SHOWN = 12  # lines of a difference


def find_failures(nb: NotebookNode, notebook: Path, seen: Observed, strict: bool = True) -> tuple[Failure, ...]:
    """Return the reasons why the lesson failed, in the order of its cells.

    Without `strict`, active streams and stderr are not failures.
    """
    failures = [failure for index in range(len(nb.cells)) for failure in _of_cell(nb, notebook, seen, index)]
    failures += [_of_stream(nb, notebook, name) for name in seen.streams]
    if not strict:
        failures = [failure for failure in failures if failure.kind not in ("stderr", "stream left active")]
    if seen.trouble is not None and not isinstance(seen.trouble, Interrupted):
        failures.append(_of_trouble(nb, notebook, seen))
    return tuple(failures)


def _of_cell(nb: NotebookNode, notebook: Path, seen: Observed, index: int) -> Iterator[Failure]:
    tags = nb.cells[index].metadata.get("tags", [])
    reply = seen.replies.get(index)
    if reply and reply["status"] != "ok" and MAY_FAIL not in tags and reply.get("ename") != ENDED_ON_PURPOSE:
        yield _failure(nb, notebook, index, "failed cell", _short_error(reply))
    if reply and reply["status"] == "ok" and MAY_FAIL in tags:
        yield _failure(nb, notebook, index, "did not raise", f"is tagged {MAY_FAIL} and did not raise")
    text = plain(seen.stderr.get(index, "")).strip()
    if text and MAY_WRITE_STDERR not in tags:
        first = text.splitlines()[0][:_LONGEST]
        yield _failure(nb, notebook, index, "stderr", f"wrote to stderr without the tag {MAY_WRITE_STDERR}: {first}")


def _failure(nb: NotebookNode, notebook: Path, index: int, kind: Kind, message: str) -> Failure:
    cell = nb.cells[index]
    line = _line_of_error(cell) if kind in ("failed cell", "deadline") else None
    source = cell.source.splitlines()[line - 1].strip() if line else None
    if (origin := cell.metadata.get(ORIGIN)) is not None:
        return Failure(notebook, None, origin + (line or 1) - 1, source, kind, message)
    return Failure(notebook, _number(cell, index), line, source, kind, message, cell.get("execution_count"))


def _number(cell: NotebookNode, index: int) -> int:
    """Return the number of a cell in its file, from 1: a guest runs without empty cells, and with titles."""
    return cell.metadata.get(ORIGIN_CELL, index + 1)


def _line_of_error(cell: NotebookNode) -> int | None:
    """The innermost line of this cell in the traceback; None if the traceback does not show one."""
    errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
    if not errors:
        return None
    traceback = plain("\n".join(errors[-1].traceback))
    frames = re.findall(rf"Cell In ?\[{cell.execution_count}\], line (\d+)", traceback)
    lines = [int(frame) for frame in frames] or _short_lines(cell.source.splitlines(), traceback)
    return lines[-1] if lines and 1 <= lines[-1] <= len(cell.source.splitlines()) else None


def _short_lines(source: list[str], traceback: str) -> list[int]:
    """Return the lines of this cell that a short error shows, outermost first.

    A short error does not number the cells, so a function of an earlier cell is recognized by its text.
    """
    shown = [(int(number), text) for number, text in re.findall(r"^line (\d+): (.*)$", traceback, re.MULTILINE)]
    here = dict(enumerate((line.strip() for line in source), start=1))
    return [number for number, text in shown if here.get(number) == text.strip()]


def _short_error(reply: dict[str, str]) -> str:
    """Return one line of an error: its first one, and Spark's error class."""
    value = plain(reply.get("evalue", "")).strip()
    lines = value.splitlines() or [""]
    first = lines[0]
    if len(lines) > 1 and lines[1].startswith(": "):  # py4j puts the error itself on the second line
        first += lines[1]
    conditions = _CONDITION.findall(value)
    if conditions and f"[{conditions[-1]}]" not in first:
        first = f"{first[:_LONGEST]} [{conditions[-1]}]"
    return f"{reply.get('ename', 'Error')}: {first[: _LONGEST + 100]}".rstrip(": ")


def _of_stream(nb: NotebookNode, notebook: Path, name: str) -> Failure:
    message = f"the stream {name!r} is still active at the end of the lesson; stop it in the lesson"
    # The first line that mentions the stream's name in quotes: a guess, and mostly ``queryName``.
    for index, cell in enumerate(nb.cells):
        for line, text in enumerate(cell.source.splitlines(), start=1):
            if cell.cell_type == "code" and (f'"{name}"' in text or f"'{name}'" in text):
                number = _number(cell, index)
                return Failure(
                    notebook, number, line, text.strip(), "stream left active", message, cell.execution_count
                )
    return Failure(notebook, None, None, None, "stream left active", message)


def _of_trouble(nb: NotebookNode, notebook: Path, seen: Observed) -> Failure:
    kind: Kind = "deadline" if isinstance(seen.trouble, CellTimeoutError) else "dead kernel"
    said = (str(seen.trouble).strip().splitlines() or [type(seen.trouble).__name__])[0]
    if seen.under_way is None:
        return Failure(notebook, None, None, None, kind, said)
    if said == "Kernel died":
        said = "the kernel died while this cell ran"
    failure = _failure(nb, notebook, seen.under_way, kind, said)
    # A kernel that dies at once takes the count with it, but cells are counted one by one.
    return failure if failure.count else replace(failure, count=len(seen.replies) + 1)


def differences(saved: NotebookNode, executed: NotebookNode, notebook: Path, home: Path) -> tuple[Failure, ...]:
    """Return a failure for each cell whose fresh outputs differ from the saved ones.

    ``home`` is the lesson's directory in this run, which outputs may name.
    """
    fresh = transplant(saved, executed, home)
    failures = []
    for number, (before, now) in enumerate(zip(saved.cells, fresh.cells, strict=True), start=1):
        for what in _changes(before, now) if before.cell_type == "code" else ():
            failures.append(Failure(notebook, number, None, None, "other output", what, now.execution_count))
    return tuple(failures)


def _changes(before: NotebookNode, now: NotebookNode) -> Iterator[str]:
    tags = before.metadata.get("tags", [])
    if MAY_FAIL in tags and (old := _errors(before)) != (new := _errors(now)):
        yield f"failed with {', '.join(new) or 'nothing'}, and the file says {', '.join(old) or 'nothing'}"
    if CHECKED in tags and (shown := _texts(before)) != (now_shown := _texts(now)):
        yield "\n".join(["shows something else than the file:", *_difference(shown, now_shown)])


def _errors(cell: NotebookNode) -> list[str]:
    """Return each error's class and, where Spark gave one, its condition."""
    errors = [output for output in cell.outputs if output.output_type == "error"]
    conditions = [_CONDITION.search(plain(error.evalue)) for error in errors]
    return [f"{e.ename} [{found[1]}]" if found else e.ename for e, found in zip(errors, conditions, strict=True)]


def _texts(cell: NotebookNode) -> dict[str, list[str]]:
    """Return the texts of a cell's outputs by their kind: a stream's name, or a MIME type."""
    texts: dict[str, list[str]] = defaultdict(list)
    for output in cell.outputs:
        if output.output_type == "stream":
            texts[output.name].append(output.text)
        for kind, value in output.get("data", {}).items():
            if not kind.startswith("image/") and "widget-view" not in kind:
                texts[kind].append(value if isinstance(value, str) else repr(value))
    return {kind: parts if "/" in kind else ["".join(parts)] for kind, parts in texts.items()}


def _difference(old: dict[str, list[str]], new: dict[str, list[str]]) -> list[str]:
    before, now = (
        [f"{kind}: {line}" for kind, parts in texts.items() for line in "\n".join(parts).splitlines()]
        for texts in (old, new)
    )
    lines = [line[:200] for line in difflib.unified_diff(before, now, "file", "run", n=0, lineterm="")][2:]
    return [*lines[:SHOWN], *(["..."] if len(lines) > SHOWN else [])]
