"""Decides whether a lesson has failed, and in which cell.

A cell that fails without the tag ``raises-exception`` or does not fail with it; stderr without the tag
``stderr-expected``; a stream left active; a missed deadline; a dead kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbclient.exceptions import CellTimeoutError

from notebook_dialect.notebooks.convert import ORIGIN, ORIGIN_CELL
from streaming_classroom.runner.engine import Interrupted
from streaming_classroom.runner.results import MAY_FAIL, MAY_WRITE_STDERR, Failure, Kind, plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from streaming_classroom.runner.engine import Observed

ENDED_ON_PURPOSE = "NotebookExit"  # what dbutils.notebook.exit raises

_ERROR_CLASS = re.compile(r"\[[A-Z][A-Z0-9_]{2,}(?:\.[A-Z0-9_]+)*\]")
_LONGEST = 400


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
    classes = _ERROR_CLASS.findall(value)
    if classes and classes[-1] not in first:
        first = f"{first[:_LONGEST]} {classes[-1]}"
    return f"{reply.get('ename', 'Error')}: {first[: _LONGEST + 100]}".rstrip(": ")


def _of_stream(nb: NotebookNode, notebook: Path, name: str) -> Failure:
    message = f"the stream {name!r} is still active at the end of the lesson; stop it in the lesson"
    index, line = _where_started(nb, name)
    if index is None or line is None:
        return Failure(notebook, None, None, None, "stream left active", message)
    cell = nb.cells[index]
    source = cell.source.splitlines()[line - 1].strip()
    number = _number(cell, index)
    return Failure(notebook, number, line, source, "stream left active", message, cell.execution_count)


def _where_started(nb: NotebookNode, name: str) -> tuple[int | None, int | None]:
    """The first line that mentions the stream's name in quotes: a guess, and mostly ``queryName``."""
    for index, cell in enumerate(nb.cells):
        for number, text in enumerate(cell.source.splitlines(), start=1):
            if cell.cell_type == "code" and (f'"{name}"' in text or f"'{name}'" in text):
                return index, number
    return None, None


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
