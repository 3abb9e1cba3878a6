"""The error of the cell before a check, which explains why nothing was made."""

from __future__ import annotations

from typing import Any

from stream_view import front_end

_error: BaseException | None = None


def watch() -> None:
    """Remember from now on how cells end; calling it again changes nothing. Outside a notebook it does nothing."""
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _note not in events.callbacks["post_run_cell"]:
        events.register("post_run_cell", _note)


def error() -> BaseException | None:
    """Return what the cell before has ended with; None where it ended well."""
    return _error


def _note(result: Any) -> None:
    global _error
    _error = result.error_before_exec or result.error_in_exec
