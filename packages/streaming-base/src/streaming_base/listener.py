"""A listener of the session's streams: how they ended, and their reports to subscribers.

Spark forgets a stream's name with its end, so a helper that looks one up by name would say "not found" of one that
has just failed, which is the one moment when the learner needs the reason.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming import StreamingQueryListener
from pyspark.sql.streaming.listener import JStreamingQueryListener

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REPORT_TIMEOUT = 5.0  # seconds from a stream's end to Spark's report of it


class _Endings(StreamingQueryListener):
    """Keep the last failure of each stream that has a name, and pass reports on."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.failures: dict[str, str] = {}
        self.subscribers: dict[str, Callable[[dict], None]] = {}
        self.hear_endings: list[Callable[[str, str], None]] = []

    @property
    def _jlistener(self) -> Any:
        """The JVM's callback; PySpark's makes Python objects of each report, which takes 60 ms of a core per batch."""
        from pyspark import SparkContext

        if not hasattr(self, "_proxy"):
            jvm: Any = SparkContext._jvm
            self._proxy = jvm.PythonStreamingQueryListenerWrapper(_FromTheJvm(self))
        return self._proxy

    def onQueryStarted(self, event: Any) -> None:
        if event.name:
            self.names[str(event.runId)] = event.name
            self.failures.pop(event.name, None)

    def onQueryProgress(self, event: Any) -> None:
        """Only over Connect; a classic session's reports come through :class:`_FromTheJvm`."""
        self.pass_on(str(event.progress.runId), lambda: event.progress.json)

    def pass_on(self, run_id: str, report: Callable[[], str]) -> None:
        if subscriber := self.subscribers.get(run_id):
            subscriber(json.loads(report()))

    def onQueryIdle(self, event: Any) -> None:
        pass

    def onQueryTerminated(self, event: Any) -> None:
        name = self.names.pop(str(event.runId), None)
        if name and event.exception:
            self.failures[name] = event.exception
        for hear in self.hear_endings:
            hear(str(event.runId), event.exception or "")


class _FromTheJvm(JStreamingQueryListener):
    """PySpark's adapter, which asks a report for its JSON only, and only for subscribers."""

    pylistener: _Endings

    def onQueryProgress(self, jevent: Any) -> None:
        if self.pylistener.subscribers:
            progress = jevent.progress()
            self.pylistener.pass_on(progress.runId().toString(), progress.json)

    def onQueryIdle(self, jevent: Any) -> None:
        pass


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
    """Return the error of the last stream of that name, which is not active, or None."""
    deadline = time.monotonic() + REPORT_TIMEOUT
    while name in list(_endings.names.values()) and time.monotonic() < deadline:
        time.sleep(0.05)  # it has ended, and Spark's report of that is on its way
    text = _endings.failures.get(name)
    return StreamingQueryException(message=text) if text else None


def failures() -> dict[str, str]:
    """Return the errors of named streams that have failed and not been restarted, by name."""
    return dict(_endings.failures)


def on_termination(hear: Callable[[str, str], None]) -> None:
    """Register a callback for the end of each stream, in Spark's thread: its run id, and the error's text or ""."""
    if hear not in _endings.hear_endings:
        _endings.hear_endings.append(hear)


def forget(hear: Callable[[str, str], None]) -> None:
    """Call a function of :func:`on_termination` no more."""
    if hear in _endings.hear_endings:
        _endings.hear_endings.remove(hear)


def subscribe(run_id: str, receive: Callable[[dict], None]) -> None:
    """Register a callback for the progress reports of a run, as dictionaries, in Spark's thread."""
    _endings.subscribers[run_id] = receive


def unsubscribe(run_id: str) -> None:
    """Stop passing on the reports of a run."""
    _endings.subscribers.pop(run_id, None)
