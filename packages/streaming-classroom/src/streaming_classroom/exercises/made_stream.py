"""A stream that a learner has started, and what a check can ask about it.

Over Spark Connect, which serverless compute is, a query does not tell its trigger, its mode or its checkpoint. Those
are None then, and a check goes by what the stream has read and written.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stream_view.tables import Table
from streaming_base import waiting
from streaming_base.progress_reports import is_batch, rows_per_batch
from streaming_base.waiting import BatchesLeft, wait_line

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery


@dataclass(frozen=True)
class Makes:
    """What an exercise leaves behind, and so what is taken away before it is tried again.

    Attributes
    ----------
    variables, views, tables : tuple of str
        By their names. A stream that a variable holds is stopped.
    streams : tuple of str
        Names of streams that no variable holds.
    folders : tuple of str
        Below the lesson's working directory; checkpoints, say.
    topics : tuple of str
        Topics of the lesson, by their names in it.
    changes : tuple of str
        Delta tables of earlier cells that it changes: before another attempt they are restored to the version that
        they had before the first one.
    by_starter : bool
        The starter itself makes some of it, so that finding it does not mean that somebody has tried.
    """

    variables: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    by_starter: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What a cell calls the things by; a folder's name is any word, so it is none of them."""
        return self.variables + self.views + self.tables + self.streams + self.topics


class NotTried(Exception):
    """Nothing has been made yet."""


class Mistake(Exception):
    """What was made is not what was asked for.

    Parameters
    ----------
    sentence : str
        Which mistake it is, in words that help.
    difference : Table, optional
        Rows that show it.
    """

    def __init__(self, sentence: str, difference: Table | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.difference = difference


_TRIGGERS = {"AvailableNowTrigger": "availableNow", "OneTimeTrigger": "once", "ContinuousTrigger": "continuous"}
MOMENT = 1.5  # seconds after which a stream that still waits is taken for one that continues


class MadeStream:
    """A learner's stream.

    Parameters
    ----------
    query : StreamingQuery
        What ``start`` has returned.
    """

    def __init__(self, query: StreamingQuery) -> None:
        self.query = query

    @property
    def is_active(self) -> bool:
        """Whether it runs."""
        return self.query.isActive

    @property
    def error(self) -> Exception | None:
        """What it has failed with."""
        return None if self.query.isActive else self.query.exception()

    @property
    def mode(self) -> str | None:
        """``append``, ``update`` or ``complete``; None where the session does not tell."""
        execution = self._execution()
        return None if execution is None else str(execution.outputMode().toString()).lower()

    @property
    def trigger(self) -> str | None:
        """``availableNow``, ``once``, ``continuous``, ``default``, or an interval such as ``4 s``; None as above."""
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
        """Its checkpoint's directory, in Spark's spelling; None as above."""
        execution = self._execution()
        return None if execution is None else str(execution.resolvedCheckpointRoot())

    @property
    def sink(self) -> str:
        """What its reports call the sink, such as ``DeltaSink[dbfs:/...]``; empty before the first."""
        progress = self.query.lastProgress
        return progress["sink"]["description"] if progress else ""

    @property
    def rows_read(self) -> list[int]:
        """How many rows each of its batches has read, those without any left out."""
        return rows_per_batch(self.query)

    @property
    def began_with_batch_0(self) -> bool:
        """Whether its first report is of batch 0; after more batches than Spark keeps reports of, it is not."""
        reports = self.query.recentProgress
        return bool(reports) and reports[0]["batchId"] == 0

    @property
    def batches(self) -> int:
        """How many batches it has run."""
        return sum(is_batch(report) for report in self.query.recentProgress)

    def has_ended(self, seconds: float) -> bool:
        """Wait until it has ended, well or not, or only waits for more; tell whether it has ended."""
        deadline = time.monotonic() + seconds
        with wait_line(BatchesLeft(self.query).wait):
            while self.query.isActive and time.monotonic() < deadline:
                with suppress(Exception):  # what it has failed with, which `error` tells
                    if self._goes_on():
                        return False
                    self.query.awaitTermination(waiting.POLL_INTERVAL)  # type: ignore[arg-type]
        return not self.query.isActive

    def is_idle(self, seconds: float) -> bool:
        """Wait until it has processed what is there and continues; tell whether it is so."""
        deadline = time.monotonic() + seconds
        with suppress(Exception):  # it has failed, or never comes to an end
            waiting.wait_until_processed([self.query], timeout=max(seconds, 0.1))
            while self.query.isActive and time.monotonic() < deadline:
                if self._goes_on():
                    return True
                time.sleep(waiting.POLL_INTERVAL)
        return False

    def _goes_on(self) -> bool:
        """Whether it waits for more; one that is about to end says so as well, for a moment."""
        if not waiting.is_idle(self.query):
            return False
        never_ends = self.trigger == "default" or interval_of(self.trigger) is not None
        return never_ends or not self.query.awaitTermination(MOMENT)  # type: ignore[arg-type]

    def _execution(self) -> Any:
        """Return the JVM's own object; None where there is no JVM to ask."""
        handle = getattr(self.query, "_jsq", None)
        if handle is None:
            return None
        return handle.streamingQuery()


def interval_of(trigger: str | None) -> float | None:
    """Return the seconds of an interval trigger; None of any other."""
    found = re.fullmatch(r"([\d.]+) s", trigger or "")
    return float(found[1]) if found else None
