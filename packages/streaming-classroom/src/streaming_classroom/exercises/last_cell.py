"""The error of the cell before a check, which explains why nothing was made, if it is of the exercise that is checked.

The exercise that was begun last is told by its first line, ``DA.exercise("05.2")``, which stands in the cell also where
the cell could not be run.  A cell of SQL has no such line: it is known by what it makes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from streaming_base import front_end
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
    """Remember from now on how cells end; calling it again changes nothing. Outside a notebook it does nothing."""
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _note not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", _note)


def error(exercise: str, made: Collection[str] = ()) -> BaseException | None:
    """Return what the cell before has ended with; None where it ended well, or is of something else.

    Parameters
    ----------
    exercise : str
        Its id.  A cell is of the exercise that was begun last, by it or before it.
    made : collection of str
        Names of what the exercise makes.  A cell with one of them that begins no exercise is of this one.
    """
    is_begun = _begun.lower() == exercise.lower()
    return _error if is_begun or (not begun_in(_source) and _names(made)) else None


def begun_in(cell: str) -> str:
    """Return the exercise that a cell begins, the last one where it begins several; nothing where it begins none."""
    return found[-1] if (found := _BEGINS.findall(cell)) else ""


def _names(made: Collection[str]) -> bool:
    return bool(set(re.findall(r"\w+", _source.lower())) & {name.lower() for name in made})


def _note(result: Any) -> None:
    global _error, _begun, _source
    _error = result.error_before_exec or result.error_in_exec
    _source = getattr(getattr(result, "info", None), "raw_cell", None) or ""
    _begun = begun_in(_source) or _begun
