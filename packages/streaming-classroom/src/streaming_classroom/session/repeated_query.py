"""A query that runs to its end again and again: an endless stream on compute that accepts no endless trigger.

Its checkpoint makes the runs one query: rows, batches and state are those of the endless stream.  What differs is
latency, since a run begins when somebody asks for it, after a landing or in a wait, and not when data arrive.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any

from streaming_base.errors import StreamTimeout
from streaming_base.progress_reports import is_batch, read_nothing

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

RUN_TIMEOUT = 600.0  # seconds for one run
RUN_INTERVAL = 2.0  # seconds from the end of a run to the next one in `awaitTermination`
_WAIT_INTERVAL = 5  # seconds of one call that waits, after which an interrupt is noticed
_EMPTY_BATCHES_LIMIT = 3  # in a row: a watermark that moves takes one or two


class RepeatedQuery:
    """A streaming query of many runs, which behaves like one ``StreamingQuery`` that keeps running.

    ``start``: starts a run with a trigger that ends, always with the same checkpoint. The first run starts here.
    ``name``: the query's name; ``id``, ``runId``: those of the first run; the id is the checkpoint's, and so that of
    every run.
    """

    def __init__(self, start: Callable[[], StreamingQuery]) -> None:
        self._start = start
        self._lock = RLock()
        self._earlier_reports: list[Any] = []
        self._error: Exception | None = None
        self._is_stopped = False
        self._run = start()
        self.name = self._run.name
        self.id, self.runId = str(self._run.id), str(self._run.runId)

    @property
    def isActive(self) -> bool:
        """Whether the query was neither stopped nor has failed."""
        return not self._is_stopped and self.exception() is None

    @property
    def status(self) -> dict[str, Any]:
        """The status of a run in progress; between two runs, that of a stream that waits."""
        if self._run.isActive:
            return self._run.status
        message = "Waiting for data to arrive" if self.isActive else "Stopped"
        if (error := self.exception()) is not None:
            message = f"Terminated with exception: {error}"
        return {"message": message, "isDataAvailable": False, "isTriggerActive": False}

    @property
    def recentProgress(self) -> list[Any]:
        """The reports of all batches, the oldest first; without a batch, those of a run that found nothing."""
        reports = [*self._earlier_reports, *self._run.recentProgress]
        return list(filter(is_batch, reports)) or reports

    @property
    def lastProgress(self) -> Any:
        """The newest progress report; None before the first one."""
        return next(reversed(self.recentProgress), None)

    def exception(self) -> Exception | None:
        """Return the error with which a run has failed; None otherwise."""
        if self._error is None and not self._run.isActive:
            self._error = self._run.exception()
        return self._error

    def explain(self, extended: bool = False) -> None:
        """Print the plan of the last run's last batch."""
        self._run.explain(extended)

    def processAllAvailable(self) -> None:
        """Run once more, to the end.

        Raises StreamingQueryException: this run has failed, or an earlier one; StreamTimeout: a run did not end
        within ten minutes.
        """
        with self._lock:
            self._finish_run()
            if self.isActive:
                self._earlier_reports += self._run.recentProgress
                self._run = self._start()
                self._finish_run()
        if (error := self.exception()) is not None:
            raise error

    def awaitTermination(self, timeout: float | None = None) -> bool | None:
        """Run again and again until the query is stopped, or for some seconds.

        Returns with a timeout, whether the query was stopped in time.
        Raises StreamingQueryException: a run has failed.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.isActive:
            left = RUN_INTERVAL if deadline is None else min(RUN_INTERVAL, deadline - time.monotonic())
            if left <= 0:
                return False
            time.sleep(left)
            self.processAllAvailable()
        if (error := self.exception()) is not None:
            raise error
        return None if timeout is None else True

    def stop(self) -> None:
        """Stop the query: no further run begins. A run in progress is stopped as well."""
        self._is_stopped = True
        if self._run.isActive:
            self._run.stop()

    def _finish_run(self) -> None:
        """Wait for the end of the run in progress; its error is the query's own.

        Over processing time, Spark runs batches without rows one after another, and ``availableNow`` never ends by
        itself: such a run is stopped when everything has been read.
        """
        from pyspark.errors import StreamingQueryException

        deadline = time.monotonic() + RUN_TIMEOUT
        try:
            while not self._run.awaitTermination(_WAIT_INTERVAL):
                latest = self._run.recentProgress[-_EMPTY_BATCHES_LIMIT:]
                if len(latest) == _EMPTY_BATCHES_LIMIT and all(map(read_nothing, latest)):
                    return self._run.stop()
                if time.monotonic() > deadline:
                    raise StreamTimeout(self.name or self.id, RUN_TIMEOUT, "ended a run", "still running")
        except StreamingQueryException as error:
            self._error = error
