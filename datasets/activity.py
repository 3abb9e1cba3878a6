"""Accelerometers of phones and watches while people sit, stand, walk, cycle and climb stairs.

Nine volunteers pass five devices around for five hours. Every quarter of a minute one device wakes up,
records a burst of samples and sends them. Files hold the rows in the order they *arrived*, so event time
jumps back a little all the time, and a lot where a device had been offline: what watermarks are for.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

SEED = 20250602
START_NS = 1_748_854_800 * 10**9  # 2025-06-02T09:00:00Z
FILE_COUNT = 20
ROWS_A_FILE = 3_000
SAMPLES = 50  # a burst
BURSTS = FILE_COUNT * ROWS_A_FILE // SAMPLES
BURST_EVERY_NS = 15 * 10**9
SAMPLE_EVERY_NS = 50 * 10**6
LATE_BURSTS = 12
LATE_MINUTES = (45, 75)

USERS = ("a", "b", "c", "d", "e", "f", "g", "h", "i")
DEVICES = ("nexus4_1", "nexus4_2", "s3_1", "gear_1", "lgwatch_1")

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
_SAMPLE_FIELDS = "Device STRING, Index LONG, Model STRING, User STRING, gt STRING, x DOUBLE, y DOUBLE, z DOUBLE"
FIELDS = MappingProxyType(
    {
        "activity-data": "Arrival_Time LONG, Creation_Time LONG, " + _SAMPLE_FIELDS,
        "activity-data-stream.json": "Recorded_At TIMESTAMP, " + _SAMPLE_FIELDS,
    }
)
FILES = MappingProxyType(dict.fromkeys(FIELDS, FILE_COUNT))
ROWS = MappingProxyType(dict.fromkeys(FIELDS, FILE_COUNT * ROWS_A_FILE))


class Motion(NamedTuple):
    """How an activity shakes a device: frequency in Hz, the rest in m/s²."""

    share: float  # of the bursts
    frequency: float
    bounce: float  # along gravity, once a step
    impact: float  # along gravity, twice a step
    sway: float  # across gravity, every other step
    noise: float


# "null" is a label, not a missing value: what happens between two activities.
ACTIVITIES = MappingProxyType(
    {
        "stand": Motion(0.16, 0.3, 0.05, 0.02, 0.12, 0.06),
        "sit": Motion(0.18, 0.2, 0.02, 0.01, 0.04, 0.03),
        "walk": Motion(0.20, 1.9, 2.6, 1.0, 1.1, 0.35),
        "bike": Motion(0.14, 1.2, 0.9, 0.3, 1.4, 0.60),
        "stairsup": Motion(0.13, 1.5, 2.0, 0.6, 1.3, 0.40),
        "stairsdown": Motion(0.11, 1.8, 3.4, 1.9, 1.0, 0.55),
        "null": Motion(0.08, 0.6, 0.4, 0.2, 0.5, 0.45),
    }
)


def generate(directory: Path) -> None:
    """Write both forms of the same rows below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `activity-data/` and `activity-data-stream.json/`, each with
        `part-00000.json` to `part-00019.json`.
    """
    rng = np.random.default_rng(SEED)
    created_ns = _creation_times(rng)
    arrived_ms = _arrival_times(rng, created_ns)
    order = np.argsort(arrived_ms, axis=None, kind="stable")
    ends = _line_ends(rng, order)
    created_ns, arrived_ms = created_ns.ravel()[order], arrived_ms.ravel()[order]
    recorded_at = np.datetime_as_string((created_ns // 10**6).view("datetime64[ms]")).tolist()
    epochs = [
        f'{{"Arrival_Time":{arrived},"Creation_Time":{created},{end}'
        for arrived, created, end in zip(arrived_ms.tolist(), created_ns.tolist(), ends, strict=True)
    ]
    stamps = [f'{{"Recorded_At":"{at}Z",{end}' for at, end in zip(recorded_at, ends, strict=True)]
    _write_parts(directory / "activity-data", epochs)
    _write_parts(directory / "activity-data-stream.json", stamps)


def _creation_times(rng: np.random.Generator) -> np.ndarray:
    """Return when each sample was taken, in epoch nanoseconds, shape (bursts, samples)."""
    starts = START_NS + np.arange(BURSTS, dtype=np.int64) * BURST_EVERY_NS + rng.integers(0, 10**10, BURSTS)
    steps = np.arange(SAMPLES, dtype=np.int64) * SAMPLE_EVERY_NS
    return starts[:, None] + steps + rng.integers(0, 4 * 10**6, (BURSTS, SAMPLES))


def _arrival_times(rng: np.random.Generator, created_ns: np.ndarray) -> np.ndarray:
    """Return when each sample reached the collector, in epoch milliseconds."""
    network = rng.integers(20, 400, created_ns.shape)
    offline = np.zeros((BURSTS, 1), dtype=np.int64)
    # Only from the first three quarters, so that even the latest rows arrive before the last file ends.
    late = rng.permutation(BURSTS * 3 // 4)[:LATE_BURSTS]
    low, high = LATE_MINUTES
    offline[late, 0] = rng.integers(low * 60_000, high * 60_000 - 1_000, LATE_BURSTS)
    return created_ns // 10**6 + network + offline


def _line_ends(rng: np.random.Generator, order: np.ndarray) -> list[str]:
    """Return all of each JSON line that follows the times, in the given order of rows."""
    activity = rng.choice(len(ACTIVITIES), BURSTS, p=[motion.share for motion in ACTIVITIES.values()])
    # Everybody has a turn before anybody has the next one.
    rounds = range(-(-BURSTS // len(USERS)))
    user = np.concatenate([rng.permutation(len(USERS)) for _ in rounds])[:BURSTS]
    device = rng.integers(0, len(DEVICES), BURSTS)
    labels = [
        (DEVICES[d], f'"Model":"{DEVICES[d].split("_")[0]}","User":"{USERS[u]}","gt":"{gt}"')
        for d, u, gt in zip(device, user, np.array(list(ACTIVITIES))[activity], strict=True)
    ]
    index = _index(device)[order].tolist()
    x, y, z = (axis.ravel()[order].tolist() for axis in _acceleration(rng, activity))
    return [
        f'"Device":"{labels[b][0]}","Index":{i},{labels[b][1]},"x":{x},"y":{y},"z":{z}}}\n'
        for b, i, x, y, z in zip((order // SAMPLES).tolist(), index, x, y, z, strict=True)
    ]


def _index(device: np.ndarray) -> np.ndarray:
    """Number the samples of each device from 0, in the order it took them."""
    index = np.empty((BURSTS, SAMPLES), dtype=np.int64)
    for d in range(len(DEVICES)):
        mine = device == d
        index[mine] = np.arange(mine.sum() * SAMPLES).reshape(-1, SAMPLES)
    return index.ravel()


def _acceleration(rng: np.random.Generator, activity: np.ndarray) -> Iterable[np.ndarray]:
    """Return x, y and z in m/s², each (bursts, samples): gravity, what the activity adds, and noise."""
    motions = np.array(list(ACTIVITIES.values()))
    _, frequency, bounce, impact, sway, noise = motions[activity].T[:, :, None]
    # People differ in pace and vigour, and so does the same person from one burst to the next.
    pace, vigour = rng.uniform(0.92, 1.08, (BURSTS, 1)), rng.uniform(0.85, 1.15, (BURSTS, 1))
    seconds = np.arange(SAMPLES) * SAMPLE_EVERY_NS / 10**9
    phase = 2 * np.pi * (frequency * pace * seconds + rng.random((BURSTS, 1)))
    along = 9.81 + vigour * (bounce * np.sin(phase) + impact * np.sin(2 * phase + 0.7))
    across = vigour * sway * np.sin(phase / 2)
    down = _unit(rng.normal((0.2, 0.9, 0.3), 0.3, (BURSTS, 3)))
    side = _unit(np.cross(down, (1.0, 0.0, 0.0)))
    for axis in range(3):
        shake = noise * rng.normal(size=(BURSTS, SAMPLES))
        # Four decimals hide what mathematical libraries disagree on; adding zero turns -0.0 into 0.0.
        yield np.round(along * down[:, [axis]] + across * side[:, [axis]] + shake, 4) + 0.0


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Scale each row to length one."""
    return vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))


def _write_parts(folder: Path, lines: list[str]) -> None:
    """Write the lines as `FILE_COUNT` files of `ROWS_A_FILE` rows each."""
    folder.mkdir()
    for part in range(FILE_COUNT):
        rows = lines[part * ROWS_A_FILE : (part + 1) * ROWS_A_FILE]
        (folder / f"part-{part:05}.json").write_bytes("".join(rows).encode("utf-8"))
