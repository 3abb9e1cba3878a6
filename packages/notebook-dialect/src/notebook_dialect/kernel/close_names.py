"""The name that somebody who has mistyped one most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_ALIKE = 0.7  # as `laod` and `load` are, and `stop` and `start` are not


def meant(name: str, known: Iterable[str]) -> str | None:
    """Return the one of the known names that is most like a name; None if none is like it.

    One that differs in case and underscores alone, as ``processing_time`` and ``processingTime``, comes first.
    """
    there = sorted(other for other in set(known) if name.startswith("_") or not other.startswith("_"))
    same = [other for other in there if _letters(other) == _letters(name)]
    return next(iter(same or get_close_matches(name, there, 1, _ALIKE)), None)


def _letters(name: str) -> str:
    return name.replace("_", "").lower()
