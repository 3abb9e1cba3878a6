"""Ten nights of ticket sales that a theater's partner delivers, and the partner's own totals of each night.

The schema drifts four times: a field is added, a number arrives as text, a field is spelled differently, and a nested
object comes with lines that are cut off.  Whoever ingests the files can say, night by night, whether a value is lost.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

SEED = 20250901
START = datetime(2025, 9, 1, tzinfo=UTC)
NIGHTS = 10
SALES = (64, 71, 58, 83, 77, 69, 90, 74, 81, 66)  # of each night

# By the night, from 1.
CHANNEL_SINCE, TEXT, CAPITAL, BUYER_SINCE, CUT = 3, 5, 7, 9, 9
TEXTS, CUTS = 41, 2  # lines: of one box office, and of one that lost its network
NO_CHANNEL, NO_BUYER = 60, 34  # lines of later nights whose sellers have the older software
PRICES = MappingProxyType(
    {"The Lighthouse": 31.5, "Midnight Ferry": 27.9, "Three Umbrellas": 24.0, "A Small Kingdom": 38.75}
)

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
FIELDS = MappingProxyType(
    {
        "sales": "sale_id STRING, play STRING, seats INT, amount DOUBLE, sold_at TIMESTAMP, channel STRING, "
        "buyer STRUCT<country: STRING, post_code: STRING>",
        "control.json": "file STRING, records INT, amount DOUBLE",
    }
)
FILES = MappingProxyType({"sales": NIGHTS, "control.json": 1})
ROWS = MappingProxyType({"sales": sum(SALES), "control.json": NIGHTS})


class Sale(NamedTuple):
    """A sale as the partner's books have it, before a seller's software writes it."""

    night: int
    fields: dict[str, object]

    @property
    def cents(self) -> int:
        """What was paid, in cents."""
        return round(float(self.fields["amount"]) * 100)


def generate(directory: Path) -> None:
    """Write the sales and the totals below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `sales/2025-09-01.json` and so on, and `control.json`.
    """
    rng = np.random.default_rng(SEED)
    sales = _sold(rng)
    lines = _drifted(rng, sales)
    (directory / "sales").mkdir()
    totals = []
    for night in range(1, NIGHTS + 1):
        name = f"{START + timedelta(days=night - 1):%Y-%m-%d}.json"
        text = "".join(line for sale, line in zip(sales, lines, strict=True) if sale.night == night)
        (directory / "sales" / name).write_bytes(text.encode("utf-8"))
        cents = [sale.cents for sale in sales if sale.night == night]
        totals.append({"file": name, "records": len(cents), "amount": sum(cents) / 100})
    (directory / "control.json").write_bytes("".join(map(_line, totals)).encode("utf-8"))


def _sold(rng: np.random.Generator) -> list[Sale]:
    """Return all sales in the order of their times, with the fields of the first night."""
    sold: list[Sale] = []
    for night, count in enumerate(SALES, start=1):
        seconds = np.sort(rng.choice(np.arange(10 * 3600, 22 * 3600), count, replace=False))
        for second in seconds:
            play = list(PRICES)[rng.integers(len(PRICES))]
            seats = int(rng.choice([1, 2, 3, 4, 6], p=[0.2, 0.45, 0.1, 0.2, 0.05]))
            time = START + timedelta(days=night - 1, seconds=int(second))
            fields = {
                "sale_id": f"S{10001 + len(sold)}",
                "play": play,
                "seats": seats,
                "amount": round(seats * PRICES[play], 2),
                "sold_at": f"{time:%Y-%m-%dT%H:%M:%SZ}",
            }
            sold.append(Sale(night, fields))
    return sold


def _drifted(rng: np.random.Generator, sales: list[Sale]) -> list[str]:
    """Return the line of each sale, as the software of that night writes it."""
    nights = np.array([sale.night for sale in sales])
    channels = _some(rng, nights >= CHANNEL_SINCE, -NO_CHANNEL)
    buyers = _some(rng, nights >= BUYER_SINCE, -NO_BUYER)
    texts = _some(rng, nights == TEXT, TEXTS)
    cut = _some(rng, nights == CUT, CUTS)
    lines = []
    for number, sale in enumerate(sales):
        fields = dict(sale.fields)
        if number in channels:
            fields["channel"] = str(rng.choice(["web", "phone", "counter"]))
        if number in buyers:
            country = str(rng.choice(["NO", "SE", "DK"]))
            fields["buyer"] = {"country": country, "post_code": f"{rng.integers(1000, 9990)}"}
        if number in texts:
            fields["amount"] = f"{fields['amount']:.2f} EUR"
        if sale.night == CAPITAL:
            fields = {name.replace("amount", "Amount"): value for name, value in fields.items()}
        line = _line(fields)
        lines.append(f"{line[: line.index('amount')]}\n" if number in cut else line)
    return lines


def _some(rng: np.random.Generator, among: np.ndarray, count: int) -> set[int]:
    """Return so many numbers of the lines that may be chosen; of a negative count, all but so many."""
    places = np.flatnonzero(among)
    size = count if count >= 0 else places.size + count
    return {int(number) for number in rng.choice(places, size, replace=False)}


def _line(fields: dict[str, object]) -> str:
    return json.dumps(fields, separators=(",", ":")) + "\n"
