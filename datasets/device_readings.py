"""Heart rates from twelve bedside devices, a file a day for thirty days.

Every device belongs to one patient and reports each quarter of an hour, unless it is switched off. A heart
rate is a resting rate, lower at night, higher while the patient exercises, plus noise. A faulty sensor now
and then reports a negative number, which no heart can do: lessons have to find and quarantine those rows.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

SEED = 20250601
START = datetime(2025, 6, 1, tzinfo=UTC)
DAYS = 30
READINGS_A_DAY = 96
INTERVAL_S = 900
NEGATIVE_ROWS = 340

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
FIELDS = MappingProxyType(
    {
        "readings": "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE",
        "patients.json": "mrn LONG, name STRING",
    }
)
FILES = MappingProxyType({"readings": DAYS, "patients.json": 1})
ROWS = MappingProxyType({"readings": 32_278, "patients.json": 12})


class Patient(NamedTuple):
    """A made-up patient: resting heart rate in beats a minute, share of days with sport."""

    mrn: int
    name: str
    resting: float
    sport: float


# Device n belongs to the n-th patient, counted from 1. Record numbers exceed 32 bits, hence LONG.
PATIENTS = (
    Patient(7304118265, "Ingrid Sørensen", 62.0, 0.5),
    Patient(5519027743, "Łukasz Wójcik", 71.0, 0.2),
    Patient(8460935127, "Aroha Ngata", 58.0, 0.7),
    Patient(6127740398, "Wanjiru Kamau", 66.0, 0.4),
    Patient(9052386614, "Nguyễn Thị Hoa", 74.0, 0.1),
    Patient(5983401276, "Zoë Lefèvre", 69.0, 0.3),
    Patient(7741069532, "Joaquín Peña", 77.0, 0.1),
    Patient(6638205917, "森 遥", 60.0, 0.6),
    Patient(8215573049, "Amina Yusuf", 65.0, 0.3),
    Patient(9370618452, "Priya Raman", 72.0, 0.2),
    Patient(5074692381, "Ayşe Yıldız", 79.0, 0.1),
    Patient(7896154203, "Tom Beckett", 68.0, 0.3),
)


def generate(directory: Path) -> None:
    """Write the readings and the patients below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `readings/2025-06-01.json` and so on, and `patients.json`.
    """
    rng = np.random.default_rng(SEED)
    times = _reading_times(rng)
    rates = _heart_rates(rng)
    present = _switched_on(rng)
    _break_sensors(rng, rates, present)
    _write_patients(directory / "patients.json")
    (directory / "readings").mkdir()
    for day in range(DAYS):
        name = f"{START + timedelta(days=day):%Y-%m-%d}.json"
        of_day = slice(day * READINGS_A_DAY, (day + 1) * READINGS_A_DAY)
        lines = _lines(times[:, of_day], rates[:, of_day], present[:, of_day])
        (directory / "readings" / name).write_bytes("".join(lines).encode("utf-8"))


def _reading_times(rng: np.random.Generator) -> np.ndarray:
    """Return epoch seconds, one row a device: each keeps its own offset within a quarter of an hour."""
    offsets = rng.permutation(INTERVAL_S)[: len(PATIENTS)]
    steps = np.arange(DAYS * READINGS_A_DAY, dtype=np.int64) * INTERVAL_S
    return int(START.timestamp()) + offsets[:, None].astype(np.int64) + steps


def _heart_rates(rng: np.random.Generator) -> np.ndarray:
    """Return beats a minute, one row a device: resting rate, time of day, exercise and noise."""
    hour = np.arange(DAYS * READINGS_A_DAY) % READINGS_A_DAY / 4
    asleep = (hour < 6.5) | (hour >= 22.5)
    time_of_day = 4.0 * np.cos(2 * np.pi * (hour - 16) / 24) - 6.0 * asleep
    resting = np.array([patient.resting for patient in PATIENTS])[:, None]
    noise = rng.normal(0.0, 2.5, (len(PATIENTS), hour.size))
    return np.round(resting + time_of_day + noise + _exercise(rng, hour.size), 2)


def _exercise(rng: np.random.Generator, readings: int) -> np.ndarray:
    """Return the beats a minute that exercise adds: at most one bout a day, between 07:00 and 19:00."""
    extra = np.zeros((len(PATIENTS), readings))
    for row, patient in zip(extra, PATIENTS, strict=True):
        for midnight in range(0, readings, READINGS_A_DAY):
            active = rng.random() < patient.sport
            start, length, effort = rng.integers([28, 2, 35], [72, 5, 71])
            if active:
                row[midnight + start : midnight + start + length] = effort
    return extra


def _switched_on(rng: np.random.Generator) -> np.ndarray:
    """Return which readings exist: a few times a month each device is off, for half an hour up to a day."""
    on = np.ones((len(PATIENTS), DAYS * READINGS_A_DAY), dtype=bool)
    for row in on:
        for _ in range(rng.integers(2, 7)):
            start = rng.integers(0, row.size - READINGS_A_DAY)
            row[start : start + rng.integers(2, READINGS_A_DAY)] = False
    return on


def _break_sensors(rng: np.random.Generator, rates: np.ndarray, present: np.ndarray) -> None:
    """Replace exactly `NEGATIVE_ROWS` of the readings that exist by a negative number, in place."""
    # Unrelated to the true rate, so that taking the absolute value is no way to repair a row.
    device, step = np.nonzero(present)
    broken = rng.permutation(device.size)[:NEGATIVE_ROWS]
    rates[device[broken], step[broken]] = np.round(-1.0 - 119.0 * rng.random(NEGATIVE_ROWS), 2)


def _lines(times: np.ndarray, rates: np.ndarray, present: np.ndarray) -> list[str]:
    """Return the JSON lines of one day, ordered by time."""
    device, step = np.nonzero(present)
    rows = sorted(zip(times[device, step].tolist(), device.tolist(), rates[device, step].tolist(), strict=True))
    return [
        f'{{"device_id":{n + 1},"mrn":{PATIENTS[n].mrn},"heartrate":{rate},"time":{float(time)}}}\n'
        for time, n, rate in rows
    ]


def _write_patients(path: Path) -> None:
    """Write the dimension, ordered by record number."""
    ordered = sorted(PATIENTS, key=lambda patient: patient.mrn)
    rows = [{"mrn": patient.mrn, "name": patient.name} for patient in ordered]
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_bytes(text.encode("utf-8"))
