"""A stream that a learner has started, as a check sees it.

Over Spark Connect, which serverless compute uses, a query does not report its trigger, its output mode or its
checkpoint. These are None then, and a check uses the rows that the stream has read and written.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from streaming_base import waiting
from streaming_base.progress_reports import is_batch, rows_per_batch
from streaming_base.waiting import BatchesLeft, wait_line

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

_IDLE_TIME = 1.5  # seconds after which an idle stream with a trigger that ends is taken for one that keeps running
_TRIGGERS = {"AvailableNowTrigger": "availableNow", "OneTimeTrigger": "once", "ContinuousTrigger": "continuous"}


class MadeStream:
    """A stream that the learner has started.

    ``query``: the result of ``start``.
    """

    def __init__(self, query: StreamingQuery) -> None:
        self.query = query

    @property
    def is_active(self) -> bool:
        """Whether the stream is running."""
        return self.query.isActive

    @property
    def error(self) -> Exception | None:
        """The error with which the stream has failed; None otherwise."""
        return None if self.query.isActive else self.query.exception()

    @property
    def mode(self) -> str | None:
        """``append``, ``update`` or ``complete``; None over Spark Connect."""
        execution = self._execution()
        return None if execution is None else str(execution.outputMode().toString()).lower()

    @property
    def trigger(self) -> str | None:
        """``availableNow``, ``once``, ``continuous``, ``default``, or an interval, as in ``4 s``; None over Connect."""
        execution = self._execution()
        if execution is None:
            return None
        trigger = execution.trigger()
        name = trigger.getClass().getSimpleName().rstrip("$")
        if name != "ProcessingTimeTrigger":
            return _TRIGGERS.get(name, name)
        milliseconds = trigger.intervalMs()
        return f"{milliseconds / 1000:g} s" if milliseconds else "default"

    @property
    def checkpoint(self) -> str | None:
        """The directory of the checkpoint, in Spark's spelling; None over Spark Connect."""
        execution = self._execution()
        return None if execution is None else str(execution.resolvedCheckpointRoot())

    @property
    def sink(self) -> str:
        """The sink in the progress reports, such as ``DeltaSink[dbfs:/...]``; empty before the first report."""
        progress = self.query.lastProgress
        return progress["sink"]["description"] if progress else ""

    @property
    def rows_read(self) -> list[int]:
        """The number of rows that each batch has read, without empty batches."""
        return rows_per_batch(self.query)

    @property
    def began_with_batch_0(self) -> bool:
        """Whether the first report is of batch 0; after many batches it is not: Spark keeps the last reports."""
        reports = self.query.recentProgress
        return bool(reports) and reports[0]["batchId"] == 0

    @property
    def batches(self) -> int:
        """The number of batches that have run."""
        return sum(is_batch(report) for report in self.query.recentProgress)

    def has_ended(self, seconds: float) -> bool:
        """Wait until the stream has ended or failed, or is idle; return whether it has ended or failed."""
        deadline = time.monotonic() + seconds
        with wait_line(BatchesLeft(self.query).wait):
            while self.query.isActive and time.monotonic() < deadline:
                with suppress(Exception):  # the error of the stream, which `error` returns
                    if self._keeps_running():
                        return False
                    self.query.awaitTermination(waiting.POLL_INTERVAL)  # type: ignore[arg-type]
        return not self.query.isActive

    def is_idle(self, seconds: float) -> bool:
        """Wait until the stream has processed the available data and keeps running; return whether it does."""
        deadline = time.monotonic() + seconds
        with suppress(Exception):  # the stream has failed, or is never idle
            waiting.wait_until_processed([self.query], timeout=max(seconds, 0.1))
            while self.query.isActive and time.monotonic() < deadline:
                if self._keeps_running():
                    return True
                time.sleep(waiting.POLL_INTERVAL)
        return False

    def _keeps_running(self) -> bool:
        """Whether the stream is idle and does not end; a stream that is about to end is idle for a moment, too."""
        if not waiting.is_idle(self.query):
            return False
        never_ends = self.trigger == "default" or interval_of(self.trigger) is not None
        return never_ends or not self.query.awaitTermination(_IDLE_TIME)  # type: ignore[arg-type]

    def _execution(self) -> Any:
        """Return the query's object in the JVM; None without a JVM."""
        handle = getattr(self.query, "_jsq", None)
        if handle is None:
            return None
        return handle.streamingQuery()


def interval_of(trigger: str | None) -> float | None:
    """Return the seconds of an interval trigger; None for another trigger."""
    found = re.fullmatch(r"([\d.]+) s", trigger or "")
    return float(found[1]) if found else None
