"""Compares a fresh run with the committed outputs: marked cells, and errors that are meant.

What is compared of a cell with the tag ``nbval-check-output`` is what nbval compares: texts by their kind, in their
order, without pictures.  Of a cell that is meant to fail it is the error's class and Spark's condition, marked or not:
its message may name what differs from run to run.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_classroom.runner.lesson_file import transplant
from streaming_classroom.runner.results import MAY_FAIL, Failure, plain

if TYPE_CHECKING:
    from nbformat import NotebookNode

CHECKED = "nbval-check-output"
SHOWN = 12  # lines of a difference
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]{2,}(?:\.[A-Z0-9_]+)*)\]")


def differences(saved: NotebookNode, executed: NotebookNode, notebook: Path, home: Path) -> tuple[Failure, ...]:
    """Return a failure for each cell whose fresh outputs differ from the saved ones.

    ``home`` is the lesson's directory in this run, which outputs may name.
    """
    fresh = transplant(saved, executed, home)
    failures = []
    for number, (before, now) in enumerate(zip(saved.cells, fresh.cells, strict=True), start=1):
        for what in _of_cell(before, now) if before.cell_type == "code" else ():
            failures.append(Failure(notebook, number, None, None, "other output", what, now.execution_count))
    return tuple(failures)


def _of_cell(before: NotebookNode, now: NotebookNode) -> Iterator[str]:
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
