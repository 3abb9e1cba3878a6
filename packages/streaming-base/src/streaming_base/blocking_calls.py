"""Calls into Spark that may block without end, with a deadline: one that is too late is interrupted where it waits.

PySpark gives no call a deadline.  A thread that is merely left behind stays for as long as the stream lives, and with
it the thread of the JVM that serves it; so the JVM's thread is interrupted, and both end.  Over Spark Connect a call
that is too late is left behind: ``SparkSession.interruptTag`` of Spark 4.2.0 stops the stream itself with the call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

CHECK_INTERVAL = 0.5  # seconds between two checks whether a call is still needed
INTERRUPT_TIMEOUT = 5.0  # seconds that an interrupted call is given to end


def call_within(
    seconds: float, query: StreamingQuery, call: Callable[[], object], is_needless: Callable[[], bool] | None = None
) -> bool:
    """Make a call that may block, and return whether it ended in time or became needless.

    Parameters
    ----------
    seconds : float
        The deadline; 0 or less makes the call and gives it up at once.
    query : StreamingQuery
        The stream that is called, in a classic session or over Spark Connect.
    call : callable
        The call.
    is_needless : callable, optional
        Whether the call need not be waited for any longer; it is then interrupted.

    Raises
    ------
    Exception
        What the call raised in time.
    """
    caller = _Caller(query, call)
    caller.start()
    deadline = time.monotonic() + max(0.0, seconds)
    if is_needless is None:
        caller.join(max(0.0, seconds))
    else:
        while caller.is_alive() and (left := deadline - time.monotonic()) > 0:
            caller.join(min(left, CHECK_INTERVAL))
            if caller.is_alive() and is_needless():
                caller.interrupt_in_spark()
                return True
    if caller.is_alive():
        caller.interrupt_in_spark()
        return False
    if caller.error is not None:
        raise caller.error
    return True


class _Caller(Thread):
    """The thread in which a call blocks."""

    def __init__(self, query: StreamingQuery, call: Callable[[], object]) -> None:
        super().__init__(name="blocking call into Spark", daemon=True)
        self._query, self._call = query, call
        self._java_thread: Any = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._java_thread = _serving_thread(self._query)
            self._call()
        except Exception as error:
            self.error = error

    def interrupt_in_spark(self) -> None:
        """Interrupt the call in the JVM; a thread that ignores the interrupt is left behind."""
        with suppress(Exception):  # a connection that is gone takes the call with it
            if self._java_thread is not None:
                self._java_thread.interrupt()
                self.join(INTERRUPT_TIMEOUT)


def _serving_thread(query: StreamingQuery) -> Any:
    """Return the JVM's thread that serves this one: PySpark pins each of its threads to one. None over Connect."""
    from pyspark import SparkContext

    jvm = SparkContext._jvm
    return jvm.java.lang.Thread.currentThread() if jvm is not None and hasattr(query, "_jsq") else None
