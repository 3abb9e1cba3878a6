"""A night of a bakery: eight ovens send a heartbeat every minute, and some of them fall silent.

The heartbeats are made up without a gap first. Then those of the planned silences are taken away, and those of the
planned network failures get the moment at which they *arrive*; so it is known which oven was silent, when and why.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

SEED = 20251103
START = datetime(2025, 11, 3, 22, tzinfo=UTC)
MINUTES = 360
OVENS = 8
FILE = 10  # minutes of arrival

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
FIELDS = MappingProxyType({"heartbeats": "oven STRING, at TIMESTAMP, status STRING, temperature DOUBLE"})
FILES = MappingProxyType({"heartbeats": MINUTES // FILE})
ROWS = MappingProxyType({"heartbeats": 2567})


class Gap(NamedTuple):
    """Two heartbeats of an oven between which there is none, by the minutes of the night."""

    oven: int
    last: int
    next: int


SHORT = (Gap(8, 15, 19), Gap(1, 47, 54), Gap(3, 95, 100), Gap(5, 130, 139), Gap(2, 201, 206), Gap(7, 285, 294))
LONG = (Gap(2, 62, 80), Gap(5, 210, 255), Gap(3, 250, 263), Gap(8, 300, 312))
SWITCHED_OFF = (Gap(7, 30, 58), Gap(1, 120, 165), Gap(1, 322, MINUTES))  # the last one is not switched on again
LOST = (Gap(6, 271, MINUTES),)  # it is not heard of again
DELAYED = (Gap(4, 99, 108), Gap(4, 221, 236))  # what lies between arrives with the next heartbeat


def generate(directory: Path) -> None:
    """Write the heartbeats below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `heartbeats/2025-11-03T22-00.json` and so on.
    """
    rng = np.random.default_rng(SEED)
    beats = sorted(beat for oven in range(1, OVENS + 1) for beat in _night(rng, oven))
    (directory / "heartbeats").mkdir()
    for minute in range(0, MINUTES, FILE):
        lines = [line for arrived, line in beats if minute <= arrived // 60 < minute + FILE]
        path = directory / "heartbeats" / f"{START + timedelta(minutes=minute):%Y-%m-%dT%H-%M}.json"
        path.write_bytes("".join(lines).encode("utf-8"))


def _night(rng: np.random.Generator, oven: int) -> list[tuple[int, str]]:
    """Return when the oven's heartbeats arrive, in seconds since START, each with its line."""
    second = 6 * oven + int(rng.integers(0, 4))  # of each minute, so that no two ovens share a moment
    temperature = 215 + rng.normal(0, 4) + np.cumsum(rng.normal(0, 0.8, MINUTES))
    silent = {
        m for gap in (*SHORT, *LONG, *SWITCHED_OFF, *LOST) if gap.oven == oven for m in range(gap.last + 1, gap.next)
    }
    off = {gap.last for gap in SWITCHED_OFF if gap.oven == oven}
    held = {m: gap.next for gap in DELAYED if gap.oven == oven for m in range(gap.last + 1, gap.next)}
    night = []
    for minute in (m for m in range(MINUTES) if m not in silent):
        at = START + timedelta(minutes=minute, seconds=second)
        beat = {
            "oven": f"O{oven}",
            "at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "status": "off" if minute in off else "on",
            "temperature": round(float(temperature[minute]), 1),
        }
        arrives = held.get(minute, minute) * 60 + second + 1
        night.append((arrives, json.dumps(beat, separators=(",", ":")) + "\n"))
    return night
