"""All streams of a session, looked at from time to time: those that are active, and those that have ended since.

Only reports that are new are fetched, and none is asked of Spark's listeners, which would have Spark send each one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stream_view.backlogs import Backlog, backlog_of, growing_batches
from stream_view.live.reports import Report, Reports
from streaming_base import listener
from streaming_base.errors import short_message
from streaming_base.progress_reports import is_batch, reports_since
from streaming_base.waiting import is_running_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery


@dataclass(frozen=True)
class StreamReading:
    """The figures of one stream; None where the stream does not have them or Spark does not report them.

    Attributes
    ----------
    state : str
        ``starting``, ``running`` (a batch is being run), ``waiting``, ``stopped`` or ``failed``.
    batch : int or None
        The last batch that has ended.
    rows_per_second : float or None
        Rows read per second of the clock, over about five seconds.
    processed_per_second : float or None
        Rows per second of processing time.
    batch_seconds, running_seconds, age_seconds : float or None
        The duration of the last batch, that of the running one so far, and the time since the last one ended.
    phases : mapping of str to float
        Seconds of the last batch by phase, as Spark names them.
    growing_batches : int
        The number of last batches that have each left a larger backlog.
    watermark_lag_seconds : float or None
        From the watermark to the newest event time of the last batch.
    error : str
        The reason of a failed stream.
    """

    name: str
    state: str
    batch: int | None = None
    rows_per_second: float | None = None
    processed_per_second: float | None = None
    batch_seconds: float | None = None
    running_seconds: float | None = None
    age_seconds: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    backlog: Backlog = field(default_factory=Backlog)
    growing_batches: int = 0
    watermark: str | None = None
    watermark_lag_seconds: float | None = None
    state_rows: int | None = None
    state_bytes: int | None = None
    error: str = ""

    @property
    def backlog_seconds(self) -> float | None:
        """How long the stream needs for the backlog, at the rate at which it has processed rows."""
        if self.backlog.rows == 0:
            return 0.0
        if self.backlog.rows is None or not self.processed_per_second:
            return None
        return self.backlog.rows / self.processed_per_second

    @property
    def longest(self) -> str | None:
        """The phase that took longest."""
        return max(self.phases, key=lambda phase: self.phases[phase], default=None)


KEPT_ENDED = 20  # streams that have ended and are still told of


class WatchedStreams:
    """The streams of a session, each with the reports that were fetched of it so far."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._streams: dict[str, _WatchedStream] = {}  # by the stream, which keeps its id when it is restarted

    def look(self) -> list[StreamReading]:
        """Return a reading of each stream, by name; of a stream that failed earlier only the name is known."""
        for query in self._spark.streams.active:
            known = self._streams.get(str(query.id))
            if known is None or known.run != str(query.runId):
                self._streams[str(query.id)] = _WatchedStream(query)
        readings = [stream.look() for stream in self._streams.values()]
        ended = [key for key, stream in self._streams.items() if stream.ended is not None]
        for key in ended[:-KEPT_ENDED]:
            del self._streams[key]
        names = {reading.name for reading in readings}
        failed = [(name, text) for name, text in listener.failures().items() if name not in names]
        readings += [StreamReading(name, "failed", error=short_message(Exception(text))) for name, text in failed]
        return sorted(readings, key=lambda reading: reading.name)


class _WatchedStream:
    """One run of a stream."""

    def __init__(self, query: StreamingQuery) -> None:
        self.run = str(query.runId)
        self.ended: StreamReading | None = None
        self._query = query
        self._name = query.name or f"stream {str(query.id)[:8]}"
        self._reports = Reports()
        self._last: Mapping[str, Any] | None = None
        self._busy_since: float | None = None

    def look(self) -> StreamReading:
        """Return the stream's figures; of an ended stream, the last ones."""
        if self.ended is not None:
            return self.ended
        is_active = self._query.isActive  # before its reports: the last one comes before the end
        self._fetch()
        if is_active:
            status = self._query.status
            return self._reading(self._state(status), self._running_seconds(status))
        error = self._query.exception()
        self.ended = self._reading("failed" if error else "stopped", None, short_message(error) if error else "")
        return self.ended

    def _fetch(self) -> None:
        new = reports_since(self._query, self._last)
        if not new:
            return
        self._last, self._busy_since = new[-1], None
        batches = [report for report in new if is_batch(report)]
        kept, _rate = self._reports.kept()
        if kept and batches and batches[0]["batchId"] > kept[-1].batch + 1:
            self._reports = Reports()  # Spark has forgotten some, and rows that nobody has counted would be missing
        for report in batches:
            self._reports.add(dict(report))

    def _state(self, status: Mapping[str, Any]) -> str:
        if self._last is None:
            return "starting"
        return "running" if is_running_batch(status) else "waiting"

    def _running_seconds(self, status: Mapping[str, Any]) -> float | None:
        """Return how long the stream has been at the same batch, so far as it was watched."""
        if not status["isTriggerActive"]:
            self._busy_since = None
            return None
        if self._busy_since is None:
            self._busy_since = time.monotonic()
        return time.monotonic() - self._busy_since

    def _reading(self, state: str, running: float | None, error: str = "") -> StreamReading:
        reports, rate = self._reports.kept()
        if not reports:
            return StreamReading(self._name, state, running_seconds=running, error=error)
        last, said = reports[-1], [report.progress for report in reports]
        is_alive = state not in ("failed", "stopped")
        return StreamReading(
            self._name,
            state,
            batch=last.batch,
            rows_per_second=self._reports.rate if is_alive else None,
            processed_per_second=rate.capacity if rate else None,
            batch_seconds=last.work.took if last.work else None,
            running_seconds=running,
            age_seconds=max(0.0, time.time() - last.work.ended) if last.work else None,
            phases={phase: ms / 1000 for phase, ms in last.phases.items() if ms},
            backlog=backlog_of(said),
            growing_batches=growing_batches(said),
            watermark=_watermark(last),
            watermark_lag_seconds=last.watermark_lag,
            state_rows=last.state_rows,
            state_bytes=last.state_bytes,
            error=error,
        )


def _watermark(report: Report) -> str | None:
    """Return the watermark, or None if it is still at 1970."""
    watermark = report.watermark
    return None if watermark is None or watermark.startswith("1970-01-01T00:00:00") else watermark
