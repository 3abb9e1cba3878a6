"""The level of a river at nine gauges, every half hour for eight days, in the order in which the lines are *received*.

A flood passes on the third and fourth day, and no gauge is always right: it sends no value or the wrong unit, its
clock is a day ahead, its battery is weak, a line is sent twice, and one gauge is in no list.  What a pipeline must tell
from all that is a line that is late, and a gauge on mains, which has no battery that could be weak.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

SEED = 20250407
START = datetime(2025, 4, 7, tzinfo=UTC)
DAYS = 8
HALF_HOURS = 48
LINES_A_GAUGE = DAYS * HALF_HOURS

NO_LEVEL, NO_VALUE, MILLIMETRES = 48, 24, 20
AHEAD, WEAK, TWO_FAULTS = 30, 28, 12  # of the two faults one is always that there is no level
REPEATED_SOON, REPEATED_NEXT_DAY = 64, 16
OFFLINE = 12  # lines of each night in which a gauge has no network
NIGHTS = (3, 4, 5, 6)  # by the day in which they begin

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
FIELDS = MappingProxyType(
    {
        "levels": "station STRING, measured TIMESTAMP, received TIMESTAMP, level DOUBLE, battery DOUBLE",
        "stations.json": "station STRING, name STRING, river_km DOUBLE, power STRING",
    }
)
FILES = MappingProxyType({"levels": DAYS, "stations.json": 1})
ROWS = MappingProxyType({"levels": 3_440, "stations.json": 8})


class Station(NamedTuple):
    """A gauge: its usual level in centimetres, and how many hours the flood takes to get there."""

    name: str
    place: str
    river_km: float
    power: str
    usual: float
    hours: float


STATIONS = (
    Station("AL1", "Källa Spring", 3.2, "mains", 184.0, 0.0),
    Station("AL2", "Fennick Mill", 11.8, "battery", 207.0, 3.0),
    Station("AL3", "Tarn Weir", 24.5, "battery", 221.0, 7.0),
    Station("AL4", "Holm Bridge", 37.1, "battery", 248.0, 11.0),
    Station("AL5", "Castle Lock", 52.9, "battery", 263.0, 16.0),
    Station("AL6", "Sedge Island", 66.0, "mains", 239.0, 20.0),
    Station("AL7", "Long Meadow", 81.4, "battery", 275.0, 25.0),
    Station("AL8", "Rosmark Harbour", 97.7, "battery", 301.0, 30.0),
)
# Put up on the third day, and nobody has told the office.
UNLISTED = Station("AL9", "", 44.0, "battery", 255.0, 13.0)
SINCE_DAY = 2


class Line(NamedTuple):
    """What a gauge sends, with times in seconds since START."""

    station: str
    measured: int
    received: int
    level: float | None
    battery: float | None

    def as_json(self) -> str:
        """Return the line as it is in the file."""
        times = {"measured": _time(self.measured), "received": _time(self.received)}
        row = {"station": self.station, **times, "level": self.level, "battery": self.battery}
        return json.dumps(row, separators=(",", ":")) + "\n"


def generate(directory: Path) -> None:
    """Write the levels and the stations below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `levels/2025-04-07.json` and so on, and `stations.json`.
    """
    rng = np.random.default_rng(SEED)
    gauges = {station.name: _measured(rng, station) for station in (*STATIONS, UNLISTED)}
    gauges["AL9"] = gauges["AL9"][SINCE_DAY * HALF_HOURS :]
    _be_offline(rng, gauges["AL4"])
    sound = _break(rng, gauges)
    lines = [line for gauge in gauges.values() for line in gauge]
    lines += _repeated(rng, sound)
    lines.sort(key=lambda line: (line.received, line.station, line.measured))
    (directory / "levels").mkdir()
    for day in range(DAYS):
        of_day = [line.as_json() for line in lines if line.received // 86_400 == day]
        path = directory / "levels" / f"{START + timedelta(days=day):%Y-%m-%d}.json"
        path.write_bytes("".join(of_day).encode("utf-8"))
    _write_stations(directory / "stations.json")


def _measured(rng: np.random.Generator, station: Station) -> list[Line]:
    """Return what a gauge sends where nothing goes wrong; a line takes seconds."""
    hour = np.arange(LINES_A_GAUGE) / 2
    flood = 260 * np.exp(-(((hour - 58 - station.hours) / 13) ** 2))
    level = np.round(station.usual + flood + rng.normal(0, 0.8, hour.size), 1)
    volts = np.round(12.5 + 0.4 * np.sin(2 * np.pi * (hour - 9) / 24) + rng.normal(0, 0.05, hour.size), 2)
    battery = volts.tolist() if station.power == "battery" else [None] * hour.size
    seconds = rng.integers(5, 90, hour.size)
    return [
        Line(station.name, 1800 * n, 1800 * n + int(seconds[n]), float(level[n]), battery[n])
        for n in range(LINES_A_GAUGE)
    ]


def _be_offline(rng: np.random.Generator, gauge: list[Line]) -> None:
    """Have the lines of some nights, from 21:00 to 03:00, received when the network is back."""
    for day in NIGHTS:
        first = day * HALF_HOURS + 42
        back = 1800 * (first + OFFLINE)
        for n in range(first, first + OFFLINE):
            gauge[n] = gauge[n]._replace(received=back + int(rng.integers(5, 90)))


def _break(rng: np.random.Generator, gauges: dict[str, list[Line]]) -> list[Line]:
    """Put the faults in, each into lines that have no other but for the planned ones; return the lines without."""
    late = {("AL4", day * HALF_HOURS + 42 + n) for day in NIGHTS for n in range(OFFLINE)}
    free = {(name, n) for name, gauge in gauges.items() if name != "AL9" for n in range(len(gauge))} - late

    def change(name: str, places: list[int], **changed: object) -> None:
        for n in places:
            gauges[name][n] = gauges[name][n]._replace(**changed)
            free.discard((name, n))

    for n in _stretches((60, AHEAD // 2), (230, AHEAD // 2)):
        change("AL2", [n], measured=gauges["AL2"][n].measured + 86_400)
    for n in _stretches((105, 12), (250, MILLIMETRES - 12)):
        change("AL5", [n], level=round(gauges["AL5"][n].level * 10, 1))
    weak = _stretches((80, 16), (205, WEAK + TWO_FAULTS // 2 - 16))
    for n in weak:  # it still measures, but nonsense
        level, volts = _nonsense(rng)
        change("AL7", [n], level=level, battery=volts)
    change("AL7", weak[4 : 4 + TWO_FAULTS // 4] + weak[-TWO_FAULTS // 4 :], level=None)
    change("AL9", [int(n) for n in np.sort(rng.permutation(len(gauges["AL9"]))[: TWO_FAULTS // 2])], level=None)
    places = sorted(free)
    silent = [places[n] for n in np.sort(rng.permutation(len(places))[: NO_LEVEL + NO_VALUE])]
    for place, (name, n) in enumerate(silent):
        change(name, [n], level=-999.0 if place % 3 == 0 else None)
    return [gauges[name][n] for name, n in sorted(free)]


def _stretches(*stretches: tuple[int, int]) -> list[int]:
    """Return the numbers of the lines in stretches, each given by its first line and how many there are."""
    return [n for first, count in stretches for n in range(first, first + count)]


def _nonsense(rng: np.random.Generator) -> tuple[float, float]:
    """Return a level that a river can have, and the volts of a weak battery."""
    return round(float(rng.uniform(20, 900)), 1), round(float(rng.uniform(8.9, 10.4)), 2)


def _repeated(rng: np.random.Generator, sound: list[Line]) -> list[Line]:
    """Return lines that are sent again, within the hour or the next day: the same but for when they are received."""
    early = [line for line in sound if line.received < (DAYS - 1) * 86_400 - 7200]
    chosen = [early[n] for n in rng.permutation(len(early))[: REPEATED_SOON + REPEATED_NEXT_DAY]]
    delays = [*rng.integers(60, 2400, REPEATED_SOON), *rng.integers(72_000, 90_000, REPEATED_NEXT_DAY)]
    return [line._replace(received=line.received + int(delay)) for line, delay in zip(chosen, delays, strict=True)]


def _time(seconds: int) -> str:
    return f"{START + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


def _write_stations(path: Path) -> None:
    """Write the office's list, ordered by the river."""
    rows = [{"station": s.name, "name": s.place, "river_km": s.river_km, "power": s.power} for s in STATIONS]
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_bytes(text.encode("utf-8"))
