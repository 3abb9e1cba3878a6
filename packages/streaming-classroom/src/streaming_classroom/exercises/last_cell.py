"""The error of the cell before a check, which explains why nothing was made, if it is of the exercise that is checked.

The exercise that was begun last is told by its first line, ``DA.exercise("05.2")``, which stands in the cell also where
the cell could not be run.
"""

from __future__ import annotations

import re
from typing import Any

from stream_view import front_end

_BEGINS = re.compile(r"""\bDA\.exercise\(\s*["']([^"']+)["']""")

_error: BaseException | None = None
_begun = ""


def watch() -> None:
    """Remember from now on how cells end; calling it again changes nothing. Outside a notebook it does nothing."""
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _note not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", _note)


def error(exercise: str) -> BaseException | None:
    """Return what the cell before has ended with; None where it ended well, or is of something else.

    Parameters
    ----------
    exercise : str
        Its id.  A cell is of the exercise that was begun last, by it or before it.
    """
    return _error if _begun.lower() == exercise.lower() else None


def _note(result: Any) -> None:
    global _error, _begun
    _error = result.error_before_exec or result.error_in_exec
    source = getattr(getattr(result, "info", None), "raw_cell", None) or ""
    if found := _BEGINS.findall(source):
        _begun = found[-1]
