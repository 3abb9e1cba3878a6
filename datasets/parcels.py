"""A week of a parcel service: what its depots deliver, and which depots its list knows from which night on.

The week is simulated as it really was. Only then is each delivery given the night in which its line *arrives*, and some
lines are repeated, delayed or broken on the way. So the right report is known, and no line has two imperfections.
"""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

SEED = 20250512
FIRST = date(2025, 5, 12)
NIGHTS = 7
OPENS, CLOSES = 7 * 3_600, 20 * 3_600  # seconds of the day in which parcels are delivered

FEES = (490, 650, 890, 1_290, 1_850)  # cents
FEE_SHARES = (0.35, 0.3, 0.2, 0.1, 0.05)
NOT_LISTED = 90  # no depot has this number

FIELDS = MappingProxyType(
    {
        "deliveries": "scan_id STRING, depot_id INT, delivered_at TIMESTAMP, fee DOUBLE",
        "depots.csv": "depot_id INT, region STRING, listed_on DATE",
    }
)
FILES = MappingProxyType({"deliveries": NIGHTS, "depots.csv": 1})
ROWS = MappingProxyType({"deliveries": 2_054, "depots.csv": 9})

# How many lines of each kind; the bad ones are those that nobody can count.
SENT_AGAIN, SENT_AGAIN_LATER, LATE = 18, 6, 9
BAD = MappingProxyType({"unreadable": 8, "no time": 7, "bad fee": 6, "unknown depot": 5})


class Depot(NamedTuple):
    """A depot: how much it delivers on a day, on which day it opens, and in which night it is listed, from 0."""

    number: int
    region: str
    a_day: int
    opens: int = 0
    listed: int = 0


DEPOTS = (
    Depot(1, "coast", 41),
    Depot(2, "coast", 27),
    Depot(3, "hills", 22),
    Depot(4, "hills", 34),
    Depot(5, "lakes", 38),
    Depot(6, "lakes", 19),
    Depot(7, "city", 63),
    Depot(8, "city", 46, opens=2, listed=4),
    Depot(9, "lakes", 24, opens=3, listed=4),
)
# A depot without network from a time of a day on: what it delivers then arrives in a later night.
OUTAGES = MappingProxyType({(3, 1): (15 * 3_600, 2), (5, 3): (17 * 3_600, 5)})


class Delivery(NamedTuple):
    """A delivery as it was: the day, the second of that day, and the rest of its line."""

    day: int
    second: int
    scan_id: str
    depot_id: int
    cents: int


def generate(directory: Path) -> None:
    """Write a file of deliveries for each night, and the list of the depots."""
    rng = np.random.default_rng(SEED)
    lines = _arrivals(rng, _deliveries(rng))
    folder = directory / "deliveries"
    folder.mkdir()
    for night in range(NIGHTS):
        arrived = sorted((order, text) for where, order, text in lines if where == night)
        name = (FIRST + timedelta(days=night)).isoformat()
        (folder / f"{name}.json").write_bytes("".join(f"{text}\n" for _, text in arrived).encode())
    _write_depots(directory / "depots.csv")


def _deliveries(rng: np.random.Generator) -> list[Delivery]:
    made = []
    for day in range(NIGHTS):
        for depot in DEPOTS:
            for _ in range(depot.a_day + int(rng.integers(-4, 5)) if day >= depot.opens else 0):
                cents = int(rng.choice(FEES, p=FEE_SHARES))
                number = f"S{rng.integers(2**40):010x}"
                made.append(Delivery(day, int(rng.integers(OPENS, CLOSES)), number, depot.number, cents))
    return made


def _arrivals(rng: np.random.Generator, deliveries: list[Delivery]) -> list[tuple[int, int, str]]:
    """Return for each line the night in which it arrives, its order in that night, and its text."""
    rest = [deliveries[index] for index in rng.permutation(len(deliveries))]
    offline = [each for each in rest if _in_outage(each)]
    rest = [each for each in rest if not _in_outage(each)]
    lines = [(OUTAGES[each.depot_id, each.day][1], each.second, _line(each)) for each in offline]
    for kind, count in BAD.items():
        taken, rest = rest[:count], rest[count:]
        lines += [(each.day, each.second, _broken(rng, kind, each)) for each in taken]
    taken, rest = _take(rest, LATE, NIGHTS - 2)
    lines += [(each.day + int(rng.integers(1, 3)), each.second, _line(each)) for each in taken]
    again, rest = _take(rest, SENT_AGAIN, NIGHTS)
    lines += [(each.day, each.second + int(rng.integers(5, 900)), _line(each)) for each in again]
    later, rest = _take(rest, SENT_AGAIN_LATER, NIGHTS - 2)
    lines += [(each.day + int(rng.integers(1, 3)), each.second, _line(each)) for each in later]
    return lines + [(each.day, each.second, _line(each)) for each in again + later + rest]


def _in_outage(delivery: Delivery) -> bool:
    since, _ = OUTAGES.get((delivery.depot_id, delivery.day), (CLOSES, 0))
    return delivery.second >= since


def _take(rest: list[Delivery], count: int, before: int) -> tuple[list[Delivery], list[Delivery]]:
    """Return the first deliveries of the days before one, and the others."""
    taken = [each for each in rest if each.day < before][:count]
    return taken, [each for each in rest if each not in taken]


def _broken(rng: np.random.Generator, kind: str, delivery: Delivery) -> str:
    """Return the line of a delivery with one fault."""
    if kind == "unreadable":
        line = _line(delivery)
        return line[: int(rng.integers(12, len(line) - 4))]
    if kind == "no time":
        return _line(delivery, delivered_at=None)
    if kind == "bad fee":
        return _line(delivery, fee=-delivery.cents / 100 if rng.random() < 0.5 else None)
    return _line(delivery, depot_id=NOT_LISTED)


def _line(delivery: Delivery, **other: object) -> str:
    at = datetime.combine(FIRST, datetime.min.time(), UTC) + timedelta(days=delivery.day, seconds=delivery.second)
    row = {
        "scan_id": delivery.scan_id,
        "depot_id": delivery.depot_id,
        "delivered_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "fee": delivery.cents / 100,
    }
    return json.dumps(row | other, separators=(",", ":"))


def _write_depots(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["depot_id", "region", "listed_on"])
        for depot in DEPOTS:
            writer.writerow([depot.number, depot.region, FIRST + timedelta(days=depot.listed)])
