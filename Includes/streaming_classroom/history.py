"""Remember how streams ended, because Spark forgets a stream's name with its end.

A helper that looks a stream up by name would otherwise say "not found" of one that has just failed, which is
the one moment when the learner needs the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming import StreamingQueryListener

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
_watched: set[int] = set()


def watch(spark: SparkSession) -> None:
    """Begin to remember how this session's streams end; calling it again changes nothing."""
    if id(spark) not in _watched:
        _watched.add(id(spark))
        spark.streams.addListener(_endings)


def failure_of(name: str) -> StreamingQueryException | None:
    """Return why the last stream of that name failed, or None if it did not."""
    text = _endings.failures.get(name)
    return StreamingQueryException(message=text) if text else None
