"""The source and the error of the last cell of an exercise.

A cell belongs to the exercise in its line ``DA.exercise("05.2")``, even if the cell could not be run. A cell in SQL has
no such line: it is recognized by the names of what it creates.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from streaming_base import front_end
from streaming_classroom.exercises.exercise import Exercise

_SQL = re.compile(r"\s*(?:--[^\n]*\n|#[^\n]*\n|\s)*%sql\b")


def source_of(exercise: Exercise) -> str | None:
    """Return the source of the last cell that was run for an exercise; None if there is no history of cells.

    A cell in Python has a line ``DA.exercise("01.2")``, or else assigns or creates what the exercise asks for; a cell
    in SQL creates it.
    """
    history = getattr(front_end.ipython(), "history_manager", None)
    cells = reversed(history.input_hist_raw) if history is not None else ()
    return next((cell for cell in cells if _belongs_to(cell, exercise)), None)


def is_sql(source: str) -> bool:
    """Whether a cell is in SQL."""
    return _SQL.match(source) is not None


def statements_of(source: str) -> str:
    """Return the statements of a cell in SQL, without its magic."""
    return _SQL.sub("", source, count=1)


def _belongs_to(cell: str, exercise: Exercise) -> bool:
    if begun := begun_in(cell):
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


_BEGINS = re.compile(r"""\bDA\.exercise\(\s*["']([^"']+)["']""")

_error: BaseException | None = None
_begun = ""
_source = ""


def watch() -> None:
    """Register the callback that records the error of each cell; ignored outside a notebook and when repeated."""
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _record not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", _record)


def error(exercise: str, made: Collection[str] = ()) -> BaseException | None:
    """Return the error of the last cell; None if it has none, or belongs to another exercise.

    Parameters
    ----------
    exercise : str
        The exercise's id. A cell belongs to the exercise that was begun last, in this cell or in an earlier one.
    made : collection of str
        Names of what the exercise makes. A cell with one of them that begins no exercise belongs to this one.
    """
    is_begun = _begun.lower() == exercise.lower()
    return _error if is_begun or (not begun_in(_source) and _names(made)) else None


def begun_in(cell: str) -> str:
    """Return the exercise that a cell begins, the last one of several; an empty text if it begins none."""
    return found[-1] if (found := _BEGINS.findall(cell)) else ""


def _names(made: Collection[str]) -> bool:
    return bool(set(re.findall(r"\w+", _source.lower())) & {name.lower() for name in made})


def _record(result: Any) -> None:
    global _error, _begun, _source
    _error = result.error_before_exec or result.error_in_exec
    _source = getattr(getattr(result, "info", None), "raw_cell", None) or ""
    _begun = begun_in(_source) or _begun
