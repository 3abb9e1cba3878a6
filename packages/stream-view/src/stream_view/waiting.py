"""Waits for streams: for a condition, with a deadline, raising the stream's own error.

Every wait of the course goes through here.  None sleeps and hopes: a stream that failed raises what it failed
with, at once, and one that does nothing raises :class:`StreamTimeout` with its last status.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from stream_view.batches_left import BatchesLeft
from stream_view.blocking_calls import call_within
from stream_view.errors import StreamNotFound, StreamTimeout
from stream_view.progress_reports import is_batch as is_batch  # callers know it from here
from stream_view.progress_reports import next_batch, report_count, reports_since
from stream_view.wait_line import waiting_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

LOOK_EVERY = 0.1  # seconds between two looks at a stream's status
STOP_TIMEOUT = 60.0  # seconds that a stream is given to stop
ATTEMPTS = 5  # to reach Spark: py4j, once interrupted, may cut connections that were opened after it
ASK_AGAIN_AFTER = 0.05  # seconds

Answer = TypeVar("Answer")


def block_until_stream_is_ready(
    spark: SparkSession, query_or_name: StreamingQuery | str, min_batches: int = 2, timeout: float = 120
) -> None:
    """Return when a stream has reported ``min_batches`` times or has nothing left to do.

    Parameters
    ----------
    spark : SparkSession
        Where a name is looked up.
    query_or_name : StreamingQuery or str
        The stream.
    min_batches : int
        How many progress reports are enough.
    timeout : float
        Deadline in seconds.

    Raises
    ------
    StreamingQueryException
        The stream failed; this is its own exception.
    StreamNotFound
        There is no stream of that name.
    StreamTimeout
        The deadline passed; the message has the stream's last status.
    """
    query = find_stream(spark, query_or_name)

    def ready() -> bool:
        return is_idle(query) or report_count(query) >= min_batches

    with waiting_for(BatchesLeft(query).wait):
        in_time = _await(query, ready, timeout)
    if not in_time:
        raise _timeout(query, timeout, f"reported {min_batches} batches")


def wait_until_processed(
    queries: Iterable[StreamingQuery],
    timeout: float = 120,
    rows_there: Callable[[StreamingQuery], int | None] = lambda _query: None,
) -> None:
    """Return when the streams have processed all that is there, also what they hand to each other.

    A stream that reads another's table is only done after that one; so the streams are gone through until a
    whole round brought nothing new.  Chains cannot be longer than there are streams, which ends the rounds where
    a source never runs dry.

    Parameters
    ----------
    queries : iterable of StreamingQuery
        The streams.
    timeout : float
        Deadline in seconds for all of them.
    rows_there : callable, optional
        Returns how many rows a stream's source has, or None: for the line that says how far a stream is.

    Raises
    ------
    StreamingQueryException
        One of them failed; this is its own exception.
    StreamTimeout
        The deadline passed; the message has that stream's last status.
    """
    deadline = time.monotonic() + timeout
    queries = list(queries)
    for _round in queries:
        before = [last_batch(query) for query in queries]
        for query in queries:
            with waiting_for(BatchesLeft(query, partial(rows_there, query)).wait):
                _process_all_available(query, deadline, timeout)
        if before == [last_batch(query) for query in queries]:
            return


def stop_streams(queries: Iterable[StreamingQuery]) -> None:
    """Stop the streams, each in turn, and return when they are gone.

    Raises
    ------
    StreamTimeout
        One had not stopped within a minute.  The others were stopped; so they were where ``stop`` itself raised.
    """
    errors: list[Exception] = []
    for query in queries:
        try:
            stop_stream(query)
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]


def stop_stream(query: StreamingQuery) -> None:
    """Stop a stream and return when it is gone.

    Raises
    ------
    StreamTimeout
        It had not stopped within a minute.
    """
    # stop() itself waits without end where the stream's code does not listen.
    with waiting_for(lambda: f"stopping {query.name or query.id}"):
        in_time = call_within(STOP_TIMEOUT, query, partial(_insist, query.stop))
    if not in_time:
        raise _timeout(query, STOP_TIMEOUT, "stopped")


def active_streams(spark: SparkSession) -> list[StreamingQuery]:
    """Return the streams of a session that are active, also just after a cell was interrupted."""
    return list(_insist(lambda: spark.streams.active))


def is_idle(query: StreamingQuery) -> bool:
    """Whether the stream has looked for data, found none left and waits."""
    status = query.status
    waits = status["message"].startswith("Waiting for") and not status["isTriggerActive"]
    return waits and not status["isDataAvailable"]


def last_batch(query: StreamingQuery) -> int:
    """Return the number of the last batch that was run, or -1."""
    coming = next_batch(query)
    return -1 if coming is None else coming - 1


def find_stream(spark: SparkSession, query_or_name: StreamingQuery | str) -> StreamingQuery:
    """Return the stream; by name, only an active one can be found.

    Raises
    ------
    StreamingQueryException
        The stream of that name has failed; this is why.
    StreamNotFound
        There is no active stream of that name.
    """
    if not isinstance(query_or_name, str):
        return query_or_name
    active = active_streams(spark)
    for query in active:
        if query.name == query_or_name:
            return query
    from stream_view.listener import failure_of  # with all of PySpark, which who only reads exercises does without

    if failure := failure_of(query_or_name):
        raise failure
    raise StreamNotFound(query_or_name, tuple(query.name or str(query.id) for query in active))


def _await(query: StreamingQuery, condition: Callable[[], bool], timeout: float) -> bool:
    """Return whether the condition became true in time; raise the stream's exception if it fails meanwhile."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            _raise_if_failed(query)
            return True
        # Ends at once, and raises, when the stream does; until then it is the pause between two looks.
        if query.awaitTermination(LOOK_EVERY):  # type: ignore[arg-type]
            return True
    return condition()


def _process_all_available(query: StreamingQuery, deadline: float, timeout: float) -> None:
    """Do what ``query.processAllAvailable`` does, but with a deadline.

    It also ends where a batch has found nothing new to read.  With processing-time timers Spark runs such batches one
    after another, and ``processAllAvailable`` waits for a trigger without a batch, which never comes.
    """
    last = query.lastProgress

    def has_read_all() -> bool:
        # The first of the reports may be of a batch that began before this wait, without the newest data.
        return any(map(_read_nothing, reports_since(query, last)[1:]))

    try:
        in_time = call_within(deadline - time.monotonic(), query, query.processAllAvailable, has_read_all)
    except Exception:
        # A stream that was stopped meanwhile, or ended by itself, makes processAllAvailable complain.
        _raise_if_failed(query)
        if query.isActive:
            raise
        return
    _raise_if_failed(query)
    if not in_time:
        raise _timeout(query, timeout, "processed all that is there")


def _read_nothing(report: Mapping[str, Any]) -> bool:
    """Whether a batch was run, and no source had anything new for it."""
    sources = report.get("sources") or ()
    return is_batch(report) and all(source.get("startOffset") == source.get("endOffset") for source in sources)


def _insist(ask: Callable[[], Answer]) -> Answer:
    """Return Spark's answer; ask again where the connection was cut, and only there."""
    from py4j.protocol import Py4JError, Py4JJavaError

    for _attempt in range(ATTEMPTS - 1):
        try:
            return ask()
        except Py4JJavaError:  # Spark has answered
            raise
        except Py4JError:  # of the connection itself
            time.sleep(ASK_AGAIN_AFTER)
    return ask()


def _raise_if_failed(query: StreamingQuery) -> None:
    if not query.isActive and (error := query.exception()) is not None:
        raise error


def _timeout(query: StreamingQuery, seconds: float, waited_for: str) -> StreamTimeout:
    return StreamTimeout(query.name or str(query.id), seconds, waited_for, query.status["message"])
