"""The names that somebody who has mistyped one most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

SIMILARITY = 0.7  # as `strem` and `stream` are, and `stop` and `start` are not
#: For words that somebody may have meant as they are, such as the options of a source that others have written.
HIGH_SIMILARITY = 0.85


def close_names(name: str, known: Iterable[str], most: int = 3, alike: float = SIMILARITY) -> list[str]:
    """Return the known names that are most like a name, the closest first; none if none is like it.

    One that differs in case and underscores alone, as ``processing_time`` and ``processingTime``, comes first, then one
    with two neighboring letters swapped, as ``laod`` and ``load``.  A private name is close to private ones only.

    Parameters
    ----------
    alike : float
        The share of letters in common, in order, from which a name is close: from 0 to 1.
    """
    there = {
        other.casefold(): other for other in sorted(set(known)) if name.startswith("_") or not other.startswith("_")
    }
    typed = name.casefold()
    same = [other for other in there if _letters(other) == _letters(typed)]
    swapped = [other for other in there if _is_swapped(other, typed)]
    found = dict.fromkeys([*same, *swapped, *get_close_matches(typed, there, most, alike)])
    return [there[other] for other in found][:most]


def closest_name(name: str, known: Iterable[str], alike: float = SIMILARITY) -> str | None:
    """Return the known name closest to a name, or None."""
    return next(iter(close_names(name, known, 1, alike)), None)


def _letters(name: str) -> str:
    return name.replace("_", "")


def _is_swapped(name: str, other: str) -> bool:
    """Whether two names differ in the order of two neighboring letters alone."""
    if len(name) != len(other):
        return False
    places = [place for place, (one, two) in enumerate(zip(name, other, strict=True)) if one != two]
    if len(places) != 2 or places[0] + 1 != places[1]:
        return False
    first, second = places
    return name[first] == other[second] and name[second] == other[first]
