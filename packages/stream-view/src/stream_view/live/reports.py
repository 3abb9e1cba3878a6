"""The numbers of a query's progress reports that the dashboard draws.

Spark's own list of reports is long JSON and is sent whole at each look; so each report is taken once, when Spark hands
it out, and cut down to numbers.

Spark's own rates are of one batch.  A source of 5 rows per second whose batches take a tenth of a second has "50 rows a
second" there, and after a pause something else again, which nobody who watches rows come in would say.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

from stream_view.backlogs import backlog_of
from streaming_base.progress_reports import is_batch, rows_read, state_rows

WINDOW = 5.0  # seconds that a rate is taken over, where batches come that often
LONGEST = 30.0  # seconds between two batches that may be their interval; what is longer is a pause
SHORTEST = 1.0  # seconds that it is taken over at least, so that a stream's first batch alone is no burst


class Work(NamedTuple):
    """A batch as its rates need it: when it began, in seconds since 1970, how long it took in seconds, its rows."""

    began: float
    took: float
    rows: int

    @property
    def ended(self) -> float:
        return self.began + self.took


class Rate(NamedTuple):
    """Rows per second at the end of a batch.

    ``by_clock`` includes pauses; ``capacity`` is per second of processing and never less, None without rows; after
    ``holds`` seconds without another batch the stream counts as idle.
    """

    by_clock: float
    capacity: float | None
    holds: float


def latest_rate(batches: Sequence[Work]) -> Rate:
    """Return the rate at the end of the last of at least one batches.

    It is measured from the end of the last batch that is a window away, so that batches at a steady pace give the
    source's pace at any interval.  An earlier pause does not count.
    """
    last = batches[-1]
    reach = max(WINDOW + _interval(batches), last.took)
    begin = _reference(batches)
    if begin < last.ended - reach:  # a pause, of which only the window counts
        begin = last.ended - max(WINDOW, last.took)
    counted = [(batch, _share_after(begin, batch)) for batch in batches if batch.ended > begin]
    rows = sum(batch.rows * share for batch, share in counted)
    worked = sum(batch.took * share for batch, share in counted if batch.rows)
    by_clock = rows / max(last.ended - begin, SHORTEST)
    return Rate(round(by_clock, 3), round(rows / worked, 3) if rows and worked > 0 else None, reach)


def _share_after(begin: float, batch: Work) -> float:
    """Return how much of a batch came after a moment: work from before it must not count as done since."""
    return min(1.0, (batch.ended - begin) / batch.took) if batch.took > 0 else 1.0


def _interval(batches: Sequence[Work]) -> float:
    """Return the seconds between two batches with rows: the smaller of the last two, as one may be a pause."""
    began = [batch.began for batch in batches if batch.rows][-3:]
    interval = min((after - before for before, after in pairwise(began)), default=0.0)
    return interval if interval <= LONGEST else 0.0


def _reference(batches: Sequence[Work]) -> float:
    """Return the end of the last batch that is a window away, or the start of the first one."""
    away = batches[-1].ended - WINDOW
    return max((batch.ended for batch in batches if batch.ended <= away), default=batches[0].began)


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
    """The reports up to one batch, or -1: the rows read so far, the columns of the dashboard, and the raw report."""

    batch: int
    rows: int
    columns: dict[str, Any]
    raw: str


def report_of(progress: dict[str, Any]) -> Report:
    """Return a progress report's figures."""
    operators = progress.get("stateOperators") or []
    event_time = progress.get("eventTime") or {}
    return Report(
        batch=progress["batchId"],
        rows=rows_read(progress),
        work=_work(progress),
        phases={phase: progress["durationMs"].get(phase, 0) for phase in PHASES},
        state_rows=state_rows(progress, "numRowsTotal"),
        state_bytes=_sum(operators, "memoryUsedBytes"),
        dropped=state_rows(progress, "numRowsDroppedByWatermark"),
        watermark=event_time.get("watermark"),
        watermark_lag=_lag(event_time),
        backlog=backlog_of([progress]).amount,
        progress=progress,
    )


class Reports:
    """The reports of one query: the last ones whole, the rest as sums; for any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._clock = clock
        self._reports: deque[Report] = deque(maxlen=KEPT)
        self._rates: deque[Rate | None] = deque(maxlen=KEPT)
        self._heard = 0.0  # when the last batch was reported, by the clock: the server of Connect may have another
        self._sums: deque[int] = deque(maxlen=KEPT)  # rows up to each report
        self._rows = 0

    def add(self, progress: dict[str, Any]) -> None:
        """Add a report; one of an idle trigger only replaces the last one."""
        with self._lock:
            if is_batch(progress):
                report = report_of(progress)
                self._rows += report.rows
                self._reports.append(report)
                self._sums.append(self._rows)
                batches = [known.work for known in self._reports if known.work is not None]
                self._rates.append(latest_rate(batches) if batches else None)
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
        """Return the figures of a batch and of earlier ones."""
        with self._lock:
            known = [
                (report, rate, rows)
                for report, rate, rows in zip(self._reports, self._rates, self._sums, strict=True)
                if report.batch <= batch
            ]
        if not known:
            return ReportsUpTo(-1, 0, _columns([], []), "")
        reports, rates, sums = (list(column) for column in zip(*known, strict=True))
        return ReportsUpTo(reports[-1].batch, sums[-1], _columns(reports, rates), _raw(reports[-1]))


def _raw(report: Report) -> str:
    """Return a report as Spark wrote it, after a line that says where the dashboard has another number, and why."""
    raw = json.dumps(report.progress, indent=2, ensure_ascii=False)
    counted = sum(operator.get("numRowsTotal") or 0 for operator in report.progress.get("stateOperators") or [])
    if not report.state_rows or counted == report.state_rows:
        return raw
    return (
        f"The state has {report.state_rows:,} rows: a sort reads its input twice, and numRowsTotal adds up both.\n{raw}"
    )


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
    """Return a batch's start and end, or None if the report lacks them."""
    began, took = progress.get("timestamp"), progress["durationMs"].get("triggerExecution")
    if not began or took is None:
        return None
    return Work(datetime.fromisoformat(began).timestamp(), took / 1000, rows_read(progress))


def _sum(operators: list[dict[str, Any]], field: str) -> int | None:
    values = [operator[field] for operator in operators if operator.get(field) is not None]
    return sum(values) if values else None


def _lag(event_time: dict[str, str]) -> float | None:
    """Return the seconds between the watermark and the batch's newest event; 1970 is a watermark that is not set."""
    watermark, newest = event_time.get("watermark"), event_time.get("max")
    if not watermark or not newest or watermark.startswith("1970-01-01"):
        return None
    return (datetime.fromisoformat(newest) - datetime.fromisoformat(watermark)).total_seconds()
