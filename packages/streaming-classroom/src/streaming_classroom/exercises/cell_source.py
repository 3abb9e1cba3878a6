"""The learner's own cell: the last one of the notebook that was run for an exercise."""

from __future__ import annotations

import re

from stream_view import front_end
from streaming_classroom.exercises import last_cell
from streaming_classroom.exercises.exercise import Exercise

_SQL = re.compile(r"\s*(?:--[^\n]*\n|#[^\n]*\n|\s)*%sql\b")


def of(exercise: Exercise) -> str | None:
    """Return the source of the cell that was run last for an exercise; None where nothing tells it.

    A cell in Python has a line ``DA.exercise("01.2")``, or else assigns or makes what the exercise asks for; one in SQL
    makes it.
    """
    history = getattr(front_end.ipython(), "history_manager", None)
    cells = reversed(history.input_hist_raw) if history is not None else ()
    return next((cell for cell in cells if _is_of(cell, exercise)), None)


def is_sql(source: str) -> bool:
    """Whether a cell is one of SQL."""
    return _SQL.match(source) is not None


def statements_of(source: str) -> str:
    """Return the statements of a cell of SQL, without its magic."""
    return _SQL.sub("", source, count=1)


def _is_of(cell: str, exercise: Exercise) -> bool:
    if begun := last_cell.begun_in(cell):
        return begun.lower() == exercise.id.lower()
    if "DA.exercise(" in exercise.starter or "DA.check(" in cell:
        return False
    return any(_makes(cell, name) for name in exercise.makes.names)


def _makes(cell: str, name: str) -> bool:
    if is_sql(cell):
        made = rf"\bVIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?`?{name}\b|\bTABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?`?{name}\b"
        return any("CREATE" in found.string.upper() for found in [re.search(made, _without_drops(cell), re.I)] if found)
    return re.search(rf"^{name}\s*=|View\(\s*[\"']{name}[\"']", cell, re.MULTILINE) is not None


def _without_drops(cell: str) -> str:
    return re.sub(r"\bDROP\s+\w+\s+(IF\s+EXISTS\s+)?`?\w+`?", "", cell, flags=re.IGNORECASE)
