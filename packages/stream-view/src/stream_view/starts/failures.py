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
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import spark_hooks
from stream_view import front_end, waiting
from stream_view.errors import short_message
from stream_view.python_tracebacks import without_state
from stream_view.starts.start import Start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

#: Seconds that a running cell has to raise the error itself.
RAISED_WITHIN = 2.0
LONGEST = 240  # characters of a cause
#: What only says that a task failed, and where Spark's text says why.
_AROUND = re.compile(r"\[TASK_WRITE_FAILED\]|Job aborted|Writing job aborted")
_CAUSED_BY = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+(?:\n(?!\s+at |Caused by:).+)*)", re.MULTILINE)
#: Seconds after which a failure that no start has asked for belongs to none that is to come.
FORGOTTEN_AFTER = 60.0

_has_view: ContextVar[bool] = ContextVar("has_view", default=False)
_started: dict[str, _Started] = {}  # streams that are to be told of, by their runs
_failed: dict[str, tuple[float, str]] = {}  # when, and with what, runs failed whose start had not returned
_given: set[str] = set()  # runs whose error was raised by a call, or returned


@dataclass(frozen=True)
class _Started:
    """A stream, and where it was started."""

    start: Start
    query: StreamingQuery


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


def listen(spark: SparkSession) -> None:
    """Hear of the failures of a session's streams; calling it again changes nothing."""
    from stream_view import listener  # with all of PySpark, for which a module is not kept waiting

    listener.watch(spark)
    listener.tell_failures(_note)
    _see_errors_given(spark)
    events = getattr(front_end.ipython(), "events", None)
    if events is not None and _cells.begin not in events.callbacks["pre_run_cell"]:
        events.register("pre_run_cell", _cells.begin)
        events.register("post_run_cell", _cells.end)
        _cells.begin()  # which is called in a cell


@contextmanager
def shown_in_a_view() -> Iterator[None]:
    """Tell nothing of the streams that are started inside: a view shows how they end."""
    token = _has_view.set(True)
    try:
        yield
    finally:
        _has_view.reset(token)


def tell_when_it_fails(start: Start, query: StreamingQuery) -> None:
    """Say below the cell of the start that the stream has failed, when it has; for a person only."""
    if not front_end.is_interactive() or _has_view.get():
        return
    run = str(query.runId)
    _started[run] = _Started(start, query)
    if run in _failed:  # before the start had returned
        _note(run, _failed.pop(run)[1])


def _see_errors_given(spark: SparkSession) -> None:
    """See whether code is given a stream's error, which it may have caught on purpose."""
    if hasattr(spark, "_jsparkSession"):
        from pyspark.sql.streaming import StreamingQuery as Query
    else:
        from pyspark.sql.connect.streaming.query import StreamingQuery as Query  # type: ignore[assignment]
    for method in ("awaitTermination", "processAllAvailable", "exception"):
        why = "a failure that code is given is not told once more"
        spark_hooks.wrap(Query, method, _noting_errors, by="stream_view", layer="display", why=why)


def _noting_errors(original: Any) -> Any:
    @wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        from pyspark.errors import StreamingQueryException

        try:
            answer = original(self, *args, **kwargs)
        except StreamingQueryException:
            _given.add(str(self.runId))
            raise
        if isinstance(answer, StreamingQueryException):
            _given.add(str(self.runId))
        return answer

    return call


def _note(run: str, text: str) -> None:
    """Take a failure from Spark's thread, which is not kept waiting."""
    started = _started.pop(run, None)
    if started is not None:
        Thread(target=_tell, args=(started, run, text), name="telling a failure", daemon=True).start()
        return
    now = time.monotonic()
    for old in [old for old, (when, _) in _failed.items() if now - when > FORGOTTEN_AFTER]:
        del _failed[old]
    _failed[run] = now, text


def _tell(started: _Started, run: str, text: str) -> None:
    _cells.is_idle.wait(RAISED_WITHIN)
    if run not in _given and run not in _cells.error and text not in (_cells.error or "no error"):
        front_end.print_below(started.start.cell, _sentence(started, text))


def _sentence(started: _Started, text: str) -> str:
    query = started.query
    batch, cause = -1, short_message(Exception(text))
    with suppress(Exception):  # a session that is gone knows no more of its streams
        cause = short_message(query.exception() or Exception(text))
        batch = waiting.last_batch(query) + 1 if query.lastProgress else -1
    who = f"The stream {query.name}" if query.name else "The stream of this cell"
    when = f" in batch {batch}" if batch >= 0 else ""
    if _AROUND.match(cause) and (causes := _CAUSED_BY.findall(text)):
        cause = causes[-1]
    again = "it goes on where its checkpoint says" if started.start.checkpoint else "it begins anew"
    return f"{who} has ended with an error{when}: {_in_one_line(cause)} Mend that and run this cell again: {again}."


def _in_one_line(cause: str) -> str:
    first = re.split(r"\n== (?:SQL|DataFrame)|\n\n", cause)[0].removeprefix("[FOREACH_BATCH_USER_FUNCTION_ERROR] ")
    words = re.sub(r"\s+", " ", without_state(first)).strip().rstrip(".")
    return f"{words[:LONGEST].rstrip()} …" if len(words) > LONGEST else f"{words}."
