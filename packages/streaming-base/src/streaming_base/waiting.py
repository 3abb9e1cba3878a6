"""Waits for streams: for a condition, with a deadline, raising the stream's own error.

Every wait of the course goes through here.  None sleeps and hopes: a stream that failed raises what it failed
with, at once, and one that does nothing raises :class:`StreamTimeout` with its last status.

A cell that only shows ``[*]`` does not tell a wait from a fault.  A notebook that runs without a person has no such
line, which would be another one each time.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar

from streaming_base import front_end
from streaming_base.blocking_calls import call_within
from streaming_base.errors import StreamNotFound, StreamTimeout
from streaming_base.progress_reports import is_batch as is_batch  # callers know it from here
from streaming_base.progress_reports import next_batch, read_nothing, report_count, reports_since, rows_read

if TYPE_CHECKING:
    from IPython.display import DisplayHandle
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

MOST_REPORTS = 200  # that are read when a wait begins
# What sources report as still to be read: files of Delta and of Auto Loader, messages of Kafka.
_OUTSTANDING = ("numFilesOutstanding", "avgOffsetsBehindLatest")


class BatchesLeft:
    """What one wait says of its stream: the batch that it runs and about how many there will be.

    Batches are counted as Spark numbers them, from 0.  How many there will be is an estimate: the rest is divided by
    what the batches so far have taken.  Where nothing tells the rest, none is given.

    Parameters
    ----------
    query : StreamingQuery
        The stream.
    rows_there : callable, optional
        Returns how many rows the stream's source has, or None where the caller does not know.
    """

    def __init__(self, query: StreamingQuery, rows_there: Callable[[], int | None] = lambda: None) -> None:
        self._query, self._rows_there = query, rows_there
        self._last: Mapping[str, Any] | None = None
        self._batches: list[Mapping[str, Any]] = []

    def wait(self) -> str:
        """Return the text of the wait, such as ``waiting for clicks, batch 7 of about 10``."""
        self._read_reports()
        number = next_batch(self._query)
        if number is None:
            return f"waiting for {self._name}, which has not finished a batch yet"
        left = _by_rows(self._batches, self._rows_there()) or _by_outstanding(self._batches)
        of_about = f" of about {number + left - 1}" if left > 1 else ""
        return f"waiting for {self._name}, batch {number}{of_about}"

    @property
    def _name(self) -> str:
        return self._query.name or str(self._query.id)

    def _read_reports(self) -> None:
        """Add the new reports; each costs a call of the JVM, so of a long run only the last is read at first."""
        if self._last is None and report_count(self._query) > MOST_REPORTS:
            new: Sequence[Mapping[str, Any]] = [self._query.lastProgress]  # type: ignore[list-item]  # it has reported
        else:
            new = reports_since(self._query, self._last)
        self._last = new[-1] if new else self._last
        self._batches += [report for report in new if is_batch(report)]


def _by_rows(reports: Sequence[Mapping[str, Any]], rows_there: int | None) -> int:
    """Return the number of batches for the remaining rows; 0 if the rows read before are unknown."""
    if not rows_there or not reports or reports[0]["batchId"] != 0:
        return 0
    read = sum(map(rows_read, reports))
    return ceil((rows_there - read) * len(reports) / read) if 0 < read < rows_there else 0


def _by_outstanding(reports: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of batches for the outstanding files or messages, at the pace of the last batch."""
    before, last = ([_outstanding(report) for report in reports[-2:]] + [0.0, 0.0])[:2]
    taken = before - last
    return ceil(last / taken) if taken > 0 else 0


def _outstanding(report: Mapping[str, Any]) -> float:
    metrics = [source.get("metrics") or {} for source in report.get("sources") or ()]
    return sum(float(metric[name]) for metric in metrics for name in _OUTSTANDING if name in metric)


def show_line(text: str, line: DisplayHandle | None = None) -> DisplayHandle:
    """Show a line of text, or update a shown one; return its handle."""
    bundle = {"text/plain": text}
    if line is not None:
        line.update(bundle, raw=True)
        return line
    from IPython.display import display  # a session in plain Python does without IPython

    return display(bundle, raw=True, display_id=True)


def clear_line(line: DisplayHandle) -> None:
    """Clear a line; an output cannot be removed, but empty HTML has no height."""
    line.update({"text/plain": "", "text/html": ""}, raw=True)


LINE_DELAY = 2.0  # seconds in which nobody asks what a cell is doing
LINE_UPDATE_INTERVAL = 0.5  # seconds; each change asks Spark how far it is
LINE_END_TIMEOUT = 1.0  # seconds that a change under way is given to end with the wait

Describe = Callable[[], str]

_line: ContextVar[_WaitLine | None] = ContextVar("line", default=None)


@contextmanager
def wait_line(describe: Describe, show: Callable[[str], object] | None = None) -> Iterator[None]:
    """Say below the running cell, if a ``with`` block takes longer than two seconds, what it waits for.

    A wait within a wait is said in the same line, also in another thread that runs in a copy of the cell's context.
    Any other thread has no line.

    Parameters
    ----------
    describe : callable
        Returns what is waited for now, such as ``waiting for clicks, batch 7``; called about twice a second, in another
        thread.
    show : callable, optional
        Shows a text in a line that is there already and stays; by default the line is the wait's own.
    """
    if (outer := _line.get()) is not None:
        with outer.also(describe):
            yield
        return
    if not front_end.is_interactive() or threading.current_thread() is not threading.main_thread():
        yield
        return
    line = _WaitLine(describe, show)
    token = _line.set(line)
    try:
        yield
    finally:
        _line.reset(token)
        line.close()


class _WaitLine:
    """The line of one cell, drawn by a thread of its own."""

    def __init__(self, describe: Describe, show: Callable[[str], object] | None) -> None:
        self._waits = [describe]
        self._began = time.monotonic()
        self._over = threading.Event()
        self._drawing = threading.Lock()
        self._handle: DisplayHandle | None = None
        self._show = show or self._show_own
        # In the cell's context, which tells the front end whose output this is.
        draw = contextvars.copy_context().run
        self._thread = threading.Thread(target=draw, args=(self._draw,), name="line of a wait", daemon=True)
        self._thread.start()

    @contextmanager
    def also(self, describe: Describe) -> Iterator[None]:
        """Add the text of a wait within this one."""
        self._waits.append(describe)
        try:
            yield
        finally:
            self._waits.remove(describe)

    def close(self) -> None:
        """Take the line away."""
        self._over.set()
        self._thread.join(LINE_END_TIMEOUT)  # a thread that waits for Spark finds afterwards that the wait is over
        with self._drawing:
            if self._handle is not None:
                clear_line(self._handle)

    def _draw(self) -> None:
        pause, text = LINE_DELAY, ""
        while not self._over.wait(pause):
            pause = LINE_UPDATE_INTERVAL
            text = self._text() or text
            with self._drawing:
                if text and not self._over.is_set():
                    self._show(f"{text} ({time.monotonic() - self._began:.0f} s)")

    def _text(self) -> str:
        """Return the texts from the outermost wait to the innermost; an empty string if Spark does not answer."""
        try:
            text = ": ".join(describe() for describe in tuple(self._waits))
        except Exception:  # a stream that is gone, a connection that was cut: the wait itself says what is wrong
            return ""
        return text[:1].upper() + text[1:]

    def _show_own(self, text: str) -> None:
        self._handle = show_line(text, self._handle)


POLL_INTERVAL = 0.1  # seconds between two looks at a stream's status
STOP_TIMEOUT = 60.0  # seconds that a stream is given to stop
CALL_ATTEMPTS = 5  # to reach Spark: py4j, once interrupted, may cut connections that were opened after it
RETRY_INTERVAL = 0.05  # seconds

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

    with wait_line(BatchesLeft(query).wait):
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
            calls = 2 if _is_trigger_active(query) else 1
            with wait_line(BatchesLeft(query, partial(rows_there, query)).wait):
                for _call in range(calls):
                    _process_all_available(query, deadline, timeout)
        if before == [last_batch(query) for query in queries]:
            return


def _is_trigger_active(query: StreamingQuery) -> bool:
    """Whether Spark is checking the sources now, perhaps since before the newest data landed.

    ``processAllAvailable`` may then return with the answer of that check, and only a second call waits for the next.
    """
    return query.isActive and bool(query.status["isTriggerActive"])


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
    with wait_line(lambda: f"stopping {query.name or query.id}"):
        in_time = call_within(STOP_TIMEOUT, query, partial(_retry, query.stop))
    if not in_time:
        raise _timeout(query, STOP_TIMEOUT, "stopped")


def active_streams(spark: SparkSession) -> list[StreamingQuery]:
    """Return the streams of a session that are active, also just after a cell was interrupted."""
    return list(_retry(lambda: spark.streams.active))


def is_idle(query: StreamingQuery) -> bool:
    """Whether the stream has found no new data and waits."""
    status = query.status
    waits = status["message"].startswith("Waiting for") and not status["isTriggerActive"]
    return waits and not status["isDataAvailable"]


def is_running_batch(status: Mapping[str, Any]) -> bool:
    """Whether a stream of this status runs a batch; at rest it only checks its sources, many times a second."""
    return bool(status["isTriggerActive"] and status["isDataAvailable"])


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
    from streaming_base.listener import failure_of  # with all of PySpark, which who only reads exercises does without

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
        if query.awaitTermination(POLL_INTERVAL):  # type: ignore[arg-type]
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
        return any(map(read_nothing, reports_since(query, last)[1:]))

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


def _retry(ask: Callable[[], Answer]) -> Answer:
    """Return Spark's answer; ask again where the connection was cut, and only there."""
    from py4j.protocol import Py4JError, Py4JJavaError

    for _attempt in range(CALL_ATTEMPTS - 1):
        try:
            return ask()
        except Py4JJavaError:  # Spark has answered
            raise
        except Py4JError:  # of the connection itself
            time.sleep(RETRY_INTERVAL)
    return ask()


def _raise_if_failed(query: StreamingQuery) -> None:
    if not query.isActive and (error := query.exception()) is not None:
        raise error


def _timeout(query: StreamingQuery, seconds: float, waited_for: str) -> StreamTimeout:
    return StreamTimeout(query.name or str(query.id), seconds, waited_for, query.status["message"])
