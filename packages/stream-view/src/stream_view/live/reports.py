"""The numbers of a query's progress reports that the dashboard draws.

Spark's own list of reports is long JSON and is sent whole at each look; so each report is taken once, when Spark hands
it out, and cut down to numbers.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

from stream_view.live.rates import Rate, Work, latest_rate
from stream_view.progress_reports import is_batch, rows_of_state, rows_read

KEPT = 120  # batches that the dashboard shows
PHASES = ("addBatch", "getBatch", "latestOffset", "queryPlanning", "walCommit", "commitOffsets")


@dataclass(frozen=True)
class Report:
    """One batch: rows, seconds, bytes. None where the query has no such thing."""

    batch: int
    rows: int
    work: Work | None
    phases: dict[str, float]  # milliseconds
    state_rows: int | None
    state_bytes: int | None
    dropped: int | None
    watermark: str | None
    watermark_lag: float | None  # seconds from the watermark to the newest event time seen
    backlog: float | None
    progress: dict[str, Any]  # all that Spark says


@dataclass(frozen=True)
class ReportsUpTo:
    """What the reports say up to one batch; -1 where there is none.

    Parameters
    ----------
    rows
        Read since the query began, by all batches up to this one.
    columns
        The kept reports column by column, as the dashboard takes them.
    raw
        Spark's report of the batch, as JSON to read.
    """

    batch: int
    rows: int
    columns: dict[str, Any]
    raw: str


def report_of(progress: dict[str, Any]) -> Report:
    """Return what a progress report says of its batch."""
    operators = progress.get("stateOperators") or []
    event_time = progress.get("eventTime") or {}
    return Report(
        batch=progress["batchId"],
        rows=rows_read(progress),
        work=_work(progress),
        phases={phase: progress["durationMs"].get(phase, 0) for phase in PHASES},
        state_rows=rows_of_state(progress, "numRowsTotal"),
        state_bytes=_sum(operators, "memoryUsedBytes"),
        dropped=rows_of_state(progress, "numRowsDroppedByWatermark"),
        watermark=event_time.get("watermark"),
        watermark_lag=_lag(event_time),
        backlog=_backlog(progress.get("sources") or []),
        progress=progress,
    )


class Reports:
    """The reports of one query so far: the last ones whole, the rest as sums.

    Spark hands reports out in a thread of its own, so every method may be called from any thread.

    Parameters
    ----------
    clock : callable
        Gives the time in seconds, to notice that nothing comes any more.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._clock = clock
        self._reports: deque[Report] = deque(maxlen=KEPT)
        self._rates: deque[Rate | None] = deque(maxlen=KEPT)
        self._heard = 0.0  # when the last batch was reported, by the clock: the server of Connect may have another
        self._sums: deque[int] = deque(maxlen=KEPT)  # rows up to each report
        self._rows = 0

    def add(self, progress: dict[str, Any]) -> None:
        """Take a report; those of idle looks change nothing but the last one."""
        with self._lock:
            if is_batch(progress):
                report = report_of(progress)
                self._rows += report.rows
                self._reports.append(report)
                self._sums.append(self._rows)
                self._rates.append(self._latest_rate())
                self._heard = self._clock()

    @property
    def batch(self) -> int:
        """The number of the last batch, or -1."""
        with self._lock:
            return self._reports[-1].batch if self._reports else -1

    @property
    def rate(self) -> float:
        """Rows a second over the last seconds, or 0 where no batch came in them."""
        with self._lock:
            rate = self._rates[-1] if self._rates else None
            is_idle = rate is None or self._clock() - self._heard > rate.holds
            return 0.0 if is_idle else rate.by_clock

    def kept(self) -> tuple[list[Report], Rate | None]:
        """Return the reports that are kept, oldest first, and the rate at the end of the last one."""
        with self._lock:
            return list(self._reports), self._rates[-1] if self._rates else None

    def up_to(self, batch: int) -> ReportsUpTo:
        """Return what is known of a batch and those before it; later ones are left out."""
        with self._lock:
            known = [
                (report, rate, rows)
                for report, rate, rows in zip(self._reports, self._rates, self._sums, strict=True)
                if report.batch <= batch
            ]
        if not known:
            return ReportsUpTo(-1, 0, _columns([], []), "")
        reports, rates, sums = (list(column) for column in zip(*known, strict=True))
        raw = json.dumps(reports[-1].progress, indent=2, ensure_ascii=False)
        return ReportsUpTo(reports[-1].batch, sums[-1], _columns(reports, rates), raw)

    def _latest_rate(self) -> Rate | None:
        batches = [report.work for report in self._reports if report.work is not None]
        return latest_rate(batches) if batches else None


def _columns(reports: list[Report], rates: list[Rate | None]) -> dict[str, Any]:
    return {
        "batch": [report.batch for report in reports],
        "rows": [report.rows for report in reports],
        "rate": [rate and rate.by_clock for rate in rates],
        "capacity": [rate and rate.capacity for rate in rates],
        **{phase: [report.phases[phase] for report in reports] for phase in PHASES},
        "stateRows": [report.state_rows for report in reports],
        "stateBytes": [report.state_bytes for report in reports],
        "dropped": [report.dropped for report in reports],
        "watermark": [report.watermark is not None for report in reports],
        "watermarkLag": [report.watermark_lag for report in reports],
        "backlog": [report.backlog for report in reports],
        "watermarkText": (reports[-1].watermark or "") if reports else "",
    }


def _work(progress: dict[str, Any]) -> Work | None:
    """Return when the batch was worked on; None where the report does not say."""
    began, took = progress.get("timestamp"), progress["durationMs"].get("triggerExecution")
    if not began or took is None:
        return None
    return Work(datetime.fromisoformat(began).timestamp(), took / 1000, rows_read(progress))


def _sum(operators: list[dict[str, Any]], field: str) -> int | None:
    values = [operator[field] for operator in operators if operator.get(field) is not None]
    return sum(values) if values else None


def _finite(value: Any) -> float | None:
    """Return a number that JSON has: Spark's rates may be missing, NaN or infinite."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return round(number, 3) if abs(number) < float("inf") else None


def _lag(event_time: dict[str, str]) -> float | None:
    """Return the seconds between the watermark and the batch's newest event; 1970 is a watermark that is not set."""
    watermark, newest = event_time.get("watermark"), event_time.get("max")
    if not watermark or not newest or watermark.startswith("1970-01-01"):
        return None
    return (datetime.fromisoformat(newest) - datetime.fromisoformat(watermark)).total_seconds()


def _backlog(sources: list[dict[str, Any]]) -> float | None:
    """Return how much the sources still have: files of a Delta table, messages of Kafka; None where they do not say."""
    names = ("numFilesOutstanding", "maxOffsetsBehindLatest")
    metrics = [source.get("metrics") or {} for source in sources]
    values = [_finite(metric[name]) for metric in metrics for name in names if name in metric]
    known = [value for value in values if value is not None]
    return sum(known) if known else None
