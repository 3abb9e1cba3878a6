"""Hooks around the start of a stream: checks before it, which may refuse it, and reports after it."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable
from functools import wraps
from threading import Thread
from typing import TYPE_CHECKING, Any

from stream_view.starts import checkpoints, columns, failures
from stream_view.starts.sources import Start
from streaming_base import builders, front_end, hooks, waiting
from streaming_base.errors import ExplainedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

APPEARANCE_TIMEOUT = 5.0  # seconds from the interrupt to the stream
POLL_INTERVAL = 0.1  # seconds

_stoppers: dict[str, Thread] = {}
_log = logging.getLogger(__name__)


def stop_when_it_appears(spark: SparkSession, name: str) -> None:
    """Stop the stream of a name in the background, as soon as it appears."""
    stopper = Thread(target=_stop, args=(spark, name), name=f"stopping {name}", daemon=True)
    _stoppers[name] = stopper
    stopper.start()


def wait_for_stopped(name: str) -> None:
    """Wait until no interrupted start of a name can produce a stream any more."""
    if (stopper := _stoppers.get(name)) is not None:
        stopper.join()


def wait_before(start: Start) -> None:
    """Delay a start until an interrupted start of its name is stopped, which would stop this one instead."""
    if start.name:
        wait_for_stopped(start.name)


def _stop(spark: SparkSession, name: str) -> None:
    deadline = time.monotonic() + APPEARANCE_TIMEOUT
    while time.monotonic() < deadline and not _stopped(spark, name):
        time.sleep(POLL_INTERVAL)
    _stoppers.pop(name, None)


def _stopped(spark: SparkSession, name: str) -> bool:
    """Stop the stream if it is active, and return whether it was."""
    try:
        found = [query for query in waiting.active_streams(spark) if query.name == name]
        waiting.stop_streams(found)
    except Exception:  # the interrupt may have cut the connection: the next look has another
        _log.debug("a stream that was interrupted could not be stopped yet", exc_info=True)
        return False
    return bool(found)


#: Each is called with the start before it happens, and may raise.
BEFORE: tuple[Callable[[Start], None], ...] = (wait_before, checkpoints.refuse_checkpoint_of_another)
#: Each is called with the start and the query.
AFTER: tuple[Callable[[Start, StreamingQuery], None], ...] = (
    checkpoints.remember,
    failures.report_failure,
    columns.report_unfit_columns,
    columns.report_unread_schema,
    checkpoints.watch,
)


def install(spark: SparkSession) -> None:
    """Check the starts of this process's streams, and listen to this session's; calling it again changes nothing."""
    if hasattr(spark, "_jsparkSession"):
        from pyspark.sql.streaming import DataStreamWriter
    else:
        from pyspark.sql.connect.streaming.readwriter import DataStreamWriter  # type: ignore[assignment]

    failures.subscribe_to_failures(spark)
    builders.record(DataStreamWriter)
    why = "a stream's checkpoint and columns are checked when it starts, and its failure is shown below its cell"
    for method in ("start", "toTable"):
        hooks.wrap(DataStreamWriter, method, _wrap_start, by="stream_view", layer="display", why=why)


def uninstall() -> None:
    """Undo :func:`install`, for all sessions; views that are shown stay."""
    failures.unsubscribe_from_failures()
    hooks.remove("stream_view")


def _wrap_start(original: Any) -> Any:
    signature = inspect.signature(original)

    @wraps(original)
    def start(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(self, *args, **kwargs).arguments
        recorded = builders.given_to(self)
        for key, value in given.get("options", {}).items():
            recorded.set_option(key, value)
        name = given.get("queryName") or recorded.name
        options, cell = recorded.lower_options, front_end.parent_message()
        # Over Connect a writer has nothing but the session and the plan.
        spark = self._df.sparkSession if hasattr(self, "_df") else self._session
        coming = Start(spark, getattr(self, "_df", None), name, options, cell)
        for check in BEFORE:
            try:
                check(coming)
            except ExplainedError:
                raise
            except Exception:  # of the check itself: Spark decides
                _log.debug("a check before a start failed", exc_info=True)
        query = original(self, *args, **kwargs)
        for report in AFTER:
            try:
                report(coming, query)
            except Exception:
                _log.debug("a report after a start failed", exc_info=True)
        return query

    return start
