"""Numbers as a page of streams writes them: short, with a unit, a dash where there is none."""

from __future__ import annotations

NONE = "–"
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_TIMES = ((86_400, "d"), (3_600, "h"), (60, "min"))


def whole(number: float | None) -> str:
    """Return a count of rows; below ten with a digit after the point, where it has one."""
    if number is None:
        return NONE
    return f"{number:,.1f}" if abs(number) < 10 and number != int(number) else f"{round(number):,}"


def size(number: float | None) -> str:
    """Return bytes in the largest unit of which there is one."""
    if number is None:
        return NONE
    for factor, unit in _SIZES:
        if number >= factor:
            return f"{number / factor:.3g} {unit}" if number < 1000 * factor else f"{number / factor:,.0f} {unit}"
    return f"{number:,.0f} B"


def duration(seconds: float | None) -> str:
    """Return seconds in the largest unit of which there are two."""
    if seconds is None:
        return NONE
    for factor, unit in _TIMES:
        if seconds >= 2 * factor:
            return f"{seconds / factor:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s" if seconds >= 0.01 else "0 s"
