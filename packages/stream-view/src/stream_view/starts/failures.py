"""A stream that ends with an error says so below the cell that started it, whether or not anybody looks at it.

It says so once.  Whoever waits for the stream, or asks it for its error, is given the same; so the line waits a moment
for that.  A live view shows the error by itself.  Without a person, whoever runs the notebook looks at its streams.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from stream_view.starts.sources import Start
from streaming_base import front_end, hooks, progress_reports
from streaming_base.errors import short_message, strip_sqlstate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

#: Seconds that a running cell has to raise the error itself.
RAISE_TIMEOUT = 2.0
LONGEST = 240  # characters of a cause
#: What only says that a task failed, and where Spark's text says why.
_AROUND = re.compile(r"\[TASK_WRITE_FAILED\]|Job aborted|Writing job aborted")
_CAUSED_BY = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+(?:\n(?!\s+at |Caused by:).+)*)", re.MULTILINE)
#: Seconds after which a failure that no start has asked for belongs to none that is to come.
FORGOTTEN_AFTER = 60.0

_has_view: ContextVar[bool] = ContextVar("has_view", default=False)
_lock = Lock()  # of the two below, which Spark's thread changes and the cell's
_started: dict[str, _Started] = {}  # streams that are to be told of, by their runs, until they have ended
_ended: dict[str, tuple[float, str]] = {}  # when, and with what error, runs ended whose start had not returned


@dataclass
class _Started:
    """A stream, its cell, and whether code has seen its error."""

    query: StreamingQuery
    cell: dict[str, Any]
    has_checkpoint: bool
    was_given: bool = False


class _Cells:
    """How cells end; the kernel has one."""

    def __init__(self) -> None:
        self.is_idle = Event()
        self.is_idle.set()
        self.error = ""

    def begin(self, _info: object = None) -> None:
        self.is_idle.clear()
        self.error = ""

    def end(self, result: Any = None) -> None:
        error = getattr(result, "error_in_exec", None)
        self.error = str(error) if error is not None else ""
        self.is_idle.set()


_cells = _Cells()


def subscribe_to_failures(spark: SparkSession) -> None:
    """Subscribe to the failures of a session's streams; calling it again changes nothing."""
    from streaming_base import listener  # with all of PySpark, for which a module is not kept waiting

    listener.watch(spark)
    listener.on_termination(_on_termination)
    _record_handled_errors(spark)
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _cells.begin not in events.callbacks["pre_run_cell"]:
        events.register("pre_run_cell", _cells.begin)
        events.register("post_run_cell", _cells.end)
        _cells.begin()  # which is called in a cell


def unsubscribe_from_failures() -> None:
    """Undo :func:`subscribe_to_failures`, for all sessions."""
    from streaming_base import listener

    listener.forget(_on_termination)
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _cells.begin in events.callbacks["pre_run_cell"]:
        events.unregister("pre_run_cell", _cells.begin)
        events.unregister("post_run_cell", _cells.end)


@contextmanager
def without_reports() -> Iterator[None]:
    """Do not report failures of the streams started in a ``with`` block, which a view shows."""
    token = _has_view.set(True)
    try:
        yield
    finally:
        _has_view.reset(token)


def report_failure(start: Start, query: StreamingQuery) -> None:
    """Report a failure below the cell of the start, for a person at the notebook."""
    if not front_end.is_interactive() or _has_view.get():
        return
    run = str(query.runId)
    with _lock:
        _started[run] = _Started(query, start.cell, start.checkpoint is not None)
        ended = _ended.pop(run, None)
    if ended is not None:  # before the start had returned
        _on_termination(run, ended[1])


def _record_handled_errors(spark: SparkSession) -> None:
    """Record when code gets a stream's error, which it may handle."""
    if hasattr(spark, "_jsparkSession"):
        from pyspark.sql.streaming import StreamingQuery as Query
    else:
        from pyspark.sql.connect.streaming.query import StreamingQuery as Query  # type: ignore[assignment]
    for method in ("awaitTermination", "processAllAvailable", "exception"):
        why = "a failure that code is given is not told once more"
        hooks.wrap(Query, method, _wrap_error_method, by="stream_view", layer="display", why=why)


def _wrap_error_method(original: Any) -> Any:
    @wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        from pyspark.errors import StreamingQueryException

        try:
            answer = original(self, *args, **kwargs)
        except StreamingQueryException:
            _was_given(str(self.runId))
            raise
        if isinstance(answer, StreamingQueryException):
            _was_given(str(self.runId))
        return answer

    return call


def _was_given(run: str) -> None:
    if (started := _started.get(run)) is not None:
        started.was_given = True


def _on_termination(run: str, error: str) -> None:
    """Record the end of a stream from Spark's thread without blocking it; ``error`` is empty without an error."""
    with _lock:
        started = _started.get(run)
        if started is None:
            now = time.monotonic()
            for old in [old for old, (when, _) in _ended.items() if now - when > FORGOTTEN_AFTER]:
                del _ended[old]
            _ended[run] = now, error
        elif not error:
            del _started[run]
    if started is not None and error:
        Thread(target=_tell, args=(run, started, error), name="telling a failure", daemon=True).start()


def _tell(run: str, started: _Started, error: str) -> None:
    _cells.is_idle.wait(RAISE_TIMEOUT)
    raised = _cells.error or "no error"
    if not started.was_given and run not in raised and error not in raised:
        front_end.print_below(started.cell, _sentence(started, error))
    with _lock:
        _started.pop(run, None)


def _sentence(started: _Started, error: str) -> str:
    query = started.query
    batch, cause = "", short_message(Exception(error))
    with suppress(Exception):  # a session that is gone knows no more of its streams
        cause = short_message(query.exception() or Exception(error))
        batch = f" in batch {progress_reports.next_batch(query)}" if query.lastProgress else ""
    if _AROUND.match(cause) and (causes := _CAUSED_BY.findall(error)):
        cause = causes[-1]
    who = f"The stream {query.name}" if query.name else "The stream of this cell"
    again = "it resumes from its checkpoint" if started.has_checkpoint else "it has no checkpoint and starts over"
    return f"{who} failed{batch}: {_in_one_line(cause)} Fix that and run this cell again: {again}."


def _in_one_line(cause: str) -> str:
    first = re.split(r"\n== (?:SQL|DataFrame)|\n\n", cause)[0].removeprefix("[FOREACH_BATCH_USER_FUNCTION_ERROR] ")
    words = re.sub(r"\s+", " ", strip_sqlstate(first)).strip().rstrip(".")
    return f"{words[:LONGEST].rstrip()} …" if len(words) > LONGEST else f"{words}."
