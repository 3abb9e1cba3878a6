"""Names of datasets are compared without regard to case, as Spark compares the names of tables."""

from __future__ import annotations

from collections.abc import Iterable


def is_same(one: str, other: str) -> bool:
    """Whether two names are those of one dataset."""
    return one.lower() == other.lower()


def find(name: str, names: Iterable[str]) -> str | None:
    """Return the one of several names that is the same, as it is written there; None if there is none."""
    return next((one for one in names if is_same(one, name)), None)
