"""Remember how streams ended, because Spark forgets a stream's name with its end.

A helper that looks a stream up by name would otherwise say "not found" of one that has just failed, which is
the one moment when the learner needs the reason.
"""

from __future__ import annotations

import time
from threading import Thread
from typing import TYPE_CHECKING
from weakref import WeakSet

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming import StreamingQueryListener

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REPORTED_WITHIN = 5.0  # seconds from a stream's end to Spark's report of it


class _Endings(StreamingQueryListener):
    """Keep the last failure of each stream that has a name."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.failures: dict[str, str] = {}

    def onQueryStarted(self, event) -> None:
        if event.name:
            self.names[str(event.runId)] = event.name
            self.failures.pop(event.name, None)

    def onQueryProgress(self, event) -> None:
        pass

    def onQueryIdle(self, event) -> None:
        pass

    def onQueryTerminated(self, event) -> None:
        name = self.names.pop(str(event.runId), None)
        if name and event.exception:
            self.failures[name] = event.exception


_endings = _Endings()
_watched: WeakSet[SparkSession] = WeakSet()


def watch(spark: SparkSession) -> None:
    """Begin to remember how this session's streams end; calling it again changes nothing."""
    if spark not in _watched:
        _watched.add(spark)
        # Over Connect it starts a thread, which must be a daemon as its parent is, or this process would never end.
        adding = Thread(target=spark.streams.addListener, args=(_endings,), daemon=True)
        adding.start()
        adding.join()


def failure_of(name: str) -> StreamingQueryException | None:
    """Return why the last stream of that name, which is not active, failed, or None if it did not."""
    deadline = time.monotonic() + REPORTED_WITHIN
    while name in list(_endings.names.values()) and time.monotonic() < deadline:
        time.sleep(0.05)  # it has ended, and Spark's report of that is on its way
    text = _endings.failures.get(name)
    return StreamingQueryException(message=text) if text else None
