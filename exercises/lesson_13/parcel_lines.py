"""What the lines of the parcel service say, and the report of them, in plain Python: the reference of lesson 13."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

#: A row of the report: a day and a region.
Key = tuple[date, str]


class Line(NamedTuple):
    """A line as it arrived: with the reason why it cannot be counted, or with its values."""

    value: str
    file_name: str
    reason: str | None
    scan_id: str = ""
    depot_id: int = 0
    region: str = ""
    delivered_at: datetime = datetime.min
    fee: Decimal = Decimal()

    @property
    def night(self) -> date:
        """The night in which it arrived."""
        return date.fromisoformat(self.file_name[:10])

    @property
    def key(self) -> Key:
        """The row of the report to which it belongs."""
        return self.delivered_at.date(), self.region


def read(value: str, file_name: str, regions: Mapping[int, str]) -> Line:
    """Return the parsed line, with the region of its depot."""
    try:
        row = json.loads(value)
    except ValueError:
        return Line(value, file_name, "unreadable")
    fee = Decimal(str(row["fee"])) if row["fee"] is not None else Decimal()
    if row["delivered_at"] is None:
        return Line(value, file_name, "no time")
    if fee <= 0:
        return Line(value, file_name, "bad fee")
    if row["depot_id"] not in regions:
        return Line(value, file_name, "unknown depot")
    at = datetime.fromisoformat(row["delivered_at"])
    return Line(value, file_name, None, row["scan_id"], row["depot_id"], regions[row["depot_id"]], at, fee)


def once(lines: Iterable[Line]) -> list[Line]:
    """Return the first line per delivery."""
    first: dict[str, Line] = {}
    for line in lines:
        if line.reason is None:
            first.setdefault(line.scan_id, line)
    return list(first.values())


def sums(fees: Iterable[tuple[Key, Decimal]]) -> dict[Key, tuple[int, Decimal]]:
    """Return the number of fees and their sum per key."""
    report: dict[Key, tuple[int, Decimal]] = {}
    for key, fee in fees:
        parcels, total = report.get(key, (0, Decimal()))
        report[key] = parcels + 1, total + fee
    return report


def report(lines: Iterable[Line]) -> dict[Key, tuple[int, Decimal]]:
    """Return parcels and fees by day and region, with duplicates."""
    return sums((line.key, line.fee) for line in lines)


def wrong_rows(lines: Iterable[Line], listed_on: Mapping[int, date]) -> dict[str, int]:
    """Return how many rows of the report each mistake makes wrong, of good lines by arrival.

    A row is wrong that differs, is missing, or should not be there.
    """
    good = list(lines)
    right = report(once(good))
    mistakes = {
        "repeats": report(good),
        "arrival": sums(((line.night, line.region), line.fee) for line in once(good)),
        "waiting": report(once(line for line in good if line.night >= listed_on[line.depot_id])),
    }
    return {
        cause: sum(made.get(key) != right.get(key) for key in made.keys() | right.keys())
        for cause, made in mistakes.items()
    }
