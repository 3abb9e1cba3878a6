"""An oracle for change flows: the target's rows computed in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any


@dataclass(frozen=True)
class Change:
    """A change as it stands in a log."""

    id: int
    seq: int
    op: str
    name: str | None = None
    city: str | None = None


def in_order(changes: Iterable[Change]) -> Iterator[tuple[int, list[Change]]]:
    """Return each key's changes once, the oldest first, with a delete where a truncate was later or as late."""
    once = set(changes)
    truncated = max((change.seq for change in once if change.op == "T"), default=-1)
    mine = sorted((change for change in once if change.op != "T"), key=lambda change: (change.id, change.seq))
    for key, group in groupby(mine, key=lambda change: change.id):
        yield key, [change if change.seq > truncated else Change(key, change.seq, "D") for change in group]


def filled(changes: list[Change], ignore_nulls: bool) -> list[Change]:
    """Return the changes with what their NULLs stand for, if they are ignored."""
    found, before = [], Change(0, 0, "D")
    for change in changes:
        if ignore_nulls and change.op == "U":
            name = before.name if change.name is None else change.name
            city = before.city if change.city is None else change.city
            change = Change(change.id, change.seq, "U", name, city)
        before = Change(change.id, change.seq, "D") if change.op == "D" else change
        found.append(before)
    return found


def type_1(changes: Iterable[Change], ignore_nulls: bool = False) -> set[tuple[Any, ...]]:
    """Return the rows (id, name, city)."""
    last = (filled(mine, ignore_nulls)[-1] for _, mine in in_order(changes))
    return {(change.id, change.name, change.city) for change in last if change.op == "U"}


def type_2(
    changes: Iterable[Change], ignore_nulls: bool = False, tracked: tuple[str, ...] = ("name", "city")
) -> set[tuple[Any, ...]]:
    """Return the rows (id, name, city, begin, end)."""
    rows: set[tuple[Any, ...]] = set()
    for key, mine in in_order(changes):
        version: list[Any] | None = None
        for change in filled(mine, ignore_nulls):
            values = {"name": change.name, "city": change.city}
            if version is not None:
                same = all(version[0][name] == values[name] for name in tracked)
                if change.op == "U" and same:
                    version[0] = values
                    continue
                rows.add((key, *version[0].values(), version[1], change.seq))
            version = [values, change.seq] if change.op == "U" else None
        if version is not None:
            rows.add((key, *version[0].values(), version[1], None))
    return rows
