"""An hour of a bakery's night, as the progress reports of its four streams have it; three of the streams are ill.

Each stream is played batch by batch: files arrive, a trigger fires, a batch takes as many files as its limit allows,
and lasts as long as its rows and its state make it. So each illness has a cause in here; no figure is painted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

SEED = 20251104
START = datetime(2025, 11, 4, 2, tzinfo=UTC)
BEFORE, HOUR, FILE = -3_600, 3_600, 600  # seconds: the streams have run for an hour when the recording begins

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
OPERATORS = "ARRAY<STRUCT<operatorName: STRING, numRowsTotal: LONG>>"
SOURCES = "ARRAY<STRUCT<description: STRING, metrics: MAP<STRING, STRING>>>"
FIELDS = MappingProxyType(
    {
        "reports": "name STRING, batchId LONG, timestamp TIMESTAMP, numInputRows LONG, "
        f"durationMs MAP<STRING,LONG>, stateOperators {OPERATORS}, sources {SOURCES}"
    }
)
FILES = MappingProxyType({"reports": HOUR // FILE})
ROWS = MappingProxyType({"reports": 2256})


class Stream(NamedTuple):
    """A stream, and what arrives for it."""

    name: str
    every: float  # seconds between two triggers
    arrivals: tuple[float, ...]  # files per second, of each source
    rows: int  # of a file, at most
    limit: int  # files of a source that a batch takes
    fixed: float  # seconds of each batch
    per_row: float  # seconds
    kept: tuple[float, ...]  # of each operator with state: for how many seconds a row stays there
    state_before: int = 0  # rows that the first of them has from the weeks before
    burst: tuple[float, int] = (0, 0)  # at which second how many files arrive at once, at the first source
    source: str = "CloudFilesSource"


FOREVER = float("inf")
STREAMS = (
    # Batches that are too small: a trigger of two seconds, and a batch takes nearly as long whatever is in it.
    Stream("clicks", 2, (1.1,), 5, 1_000, 1.7, 0.002, (), source="KafkaV2"),
    # State without an end: the duplicates are looked for among all orders that ever were.
    Stream("orders", 20, (0.5,), 30, 100, 2.0, 0.006, (FOREVER, 900), state_before=1_204_310),
    # A limit that is too low: of the first source more arrives than a batch may take, and Spark has time enough.
    Stream("ovens", 10, (0.45, 0.3), 24, 4, 0.9, 0.003, (1_200,)),
    # A stream that is well. Forty files arrive at once, and it catches up.
    Stream("invoices", 30, (0.1,), 60, 6, 2.4, 0.01, (1_200,), burst=(1_310, 40)),
)


def generate(directory: Path) -> None:
    """Write the reports below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `reports/2025-11-04T02-00.json` and so on.
    """
    rng = np.random.default_rng(SEED)
    reports = sorted(
        ((second, report) for stream in STREAMS for second, report in played(rng, stream)), key=lambda one: one[0]
    )
    (directory / "reports").mkdir()
    for begin in range(0, HOUR, FILE):
        lines = [
            json.dumps(report, separators=(",", ":")) + "\n"
            for second, report in reports
            if begin <= second < begin + FILE
        ]
        path = directory / "reports" / f"{START + timedelta(seconds=begin):%Y-%m-%dT%H-%M}.json"
        path.write_bytes("".join(lines).encode("utf-8"))


def played(rng: np.random.Generator, stream: Stream) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield a stream's reports of the hour, each with its trigger's second; without rows there is none."""
    waiting = [0] * len(stream.arrivals)
    taken_at: list[tuple[float, int]] = []  # the rows of each batch so far
    now, last, batch, burst_is_due = float(BEFORE), float(BEFORE), 0, stream.burst[1] > 0
    while now < HOUR:
        for number, rate in enumerate(stream.arrivals):
            waiting[number] += int(rng.poisson(rate * (now - last)))
        if burst_is_due and now >= stream.burst[0]:
            waiting[0] += stream.burst[1]
            burst_is_due = False
        last = now
        files = [min(stream.limit, count) for count in waiting]
        waiting = [count - taken for count, taken in zip(waiting, files, strict=True)]
        rows = sum(int(rng.integers(1, stream.rows + 1)) for _ in range(sum(files)))
        if rows == 0:
            now += stream.every
            continue
        taken_at.append((now, rows))
        state = [_kept(taken_at, now, seconds) for seconds in stream.kept]
        if state:
            state[0] += stream.state_before
        phases = _phases(rng, stream, rows, sum(state))
        if now >= 0:
            yield now, _report(stream, batch, now, rows, phases, state, waiting)
        batch += 1
        now = max(now + stream.every, now + phases["triggerExecution"] / 1000)


def _kept(batches: list[tuple[float, int]], now: float, seconds: float) -> int:
    return sum(rows for at, rows in batches if now - at <= seconds)


def _phases(rng: np.random.Generator, stream: Stream, rows: int, state: int) -> dict[str, int]:
    work = (stream.fixed + rows * stream.per_row + state * 4e-7) * float(rng.uniform(0.94, 1.08)) * 1000
    around = {phase: int(rng.integers(8, 45)) for phase in ("latestOffset", "queryPlanning", "walCommit")}
    around["commitOffsets"] = int(rng.integers(15, 60))
    phases = {"addBatch": int(work), **around}
    return {**phases, "triggerExecution": sum(phases.values()) + int(rng.integers(1, 6))}


def _report(
    stream: Stream,
    batch: int,
    second: float,
    rows: int,
    phases: dict[str, int],
    state: list[int],
    waiting: list[int],
) -> dict[str, Any]:
    at = START + timedelta(seconds=second)
    metric = "numFilesOutstanding" if stream.source == "CloudFilesSource" else "maxOffsetsBehindLatest"
    operators = ("dedupe", "stateStoreSave")
    return {
        "name": stream.name,
        "batchId": batch,
        "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z",
        "numInputRows": rows,
        "durationMs": phases,
        "stateOperators": [
            {"operatorName": operator, "numRowsTotal": total} for operator, total in zip(operators, state, strict=False)
        ],
        "sources": [
            {"description": f"{stream.source}[{stream.name}-{number}]", "metrics": {metric: str(count)}}
            for number, count in enumerate(waiting)
        ],
    }
