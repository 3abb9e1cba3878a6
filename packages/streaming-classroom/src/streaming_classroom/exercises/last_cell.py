"""The error of the cell before a check, which explains why nothing was made, if it is of the exercise that is checked.

The exercise that was begun last is told by its first line, ``DA.exercise("05.2")``, which stands in the cell also where
the cell could not be run.  A cell of SQL has no such line: it is known by what it makes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from stream_view import front_end

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
