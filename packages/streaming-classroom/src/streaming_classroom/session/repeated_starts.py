"""Starts of streams on compute that refuses endless triggers, as Databricks' serverless compute does.

A query without a trigger that ends becomes a :class:`.RepeatedQuery` there.  It needs a checkpoint that outlives a run:
a query without one gets it in the lesson's directory.  A memory sink, which forgets its rows with each run, becomes a
Delta table under the query's name.  Nothing is installed on other compute.

``display`` of a stream shows a frame now, and one below each landing: Databricks' own starts a query that does not end.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from streaming_base import builders, hooks
from streaming_classroom.session.repeated_query import RUN_INTERVAL, RepeatedQuery

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

NOTICE = (
    "This compute refuses triggers that do not end. A stream without an ending trigger runs to its end (availableNow) "
    "at once, and again after each landing: its rows, batches and state are the same, and it is later."
)
_PACKAGE = "streaming_classroom"
_WHY = "serverless compute refuses triggers that do not end, and settings; nothing is wrapped on other compute"
_ENDING = ("availableNow", "once", "continuous", "realTime")  # of the last two Spark decides, not this module

_queries: list[RepeatedQuery] = []
_terminated: list[RepeatedQuery] = []  # since the last call of resetTerminated
_checkpoints: Callable[[], str] | None = None
_OF_A_STREAM = ("streamName", "trigger", "processingTime", "checkpointLocation", "outputMode", "view")


def is_needed() -> bool:
    """Whether this compute refuses endless triggers: Databricks' serverless compute sets ``IS_SERVERLESS``."""
    return os.environ.get("IS_SERVERLESS", "").lower() in ("true", "1")


def install(checkpoints: Callable[[], str]) -> None:
    """Run endless streams again and again; calling it again only replaces the directory.

    ``checkpoints``: returns the directory of the checkpoints of queries that have none of their own.
    """
    from pyspark.sql.connect.conf import RuntimeConf
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.streaming.query import StreamingQueryManager
    from pyspark.sql.connect.streaming.readwriter import DataStreamWriter

    global _checkpoints
    _checkpoints = checkpoints
    builders.record(DataStreamWriter)
    for owner, name, make in (
        (DataFrame, "writeStream", _wrap_write_stream),
        (DataStreamWriter, "start", _wrap_start),
        (DataStreamWriter, "toTable", _wrap_start),
        (StreamingQueryManager, "active", _wrap_active),
        (StreamingQueryManager, "get", _wrap_get),
        (StreamingQueryManager, "awaitAnyTermination", _wrap_await_any),
        (StreamingQueryManager, "resetTerminated", _wrap_reset),
        (RuntimeConf, "set", _wrap_setting),
        (RuntimeConf, "unset", _wrap_setting),
    ):
        hooks.wrap(owner, name, make, by=_PACKAGE, layer="source", why=_WHY)


def active() -> list[RepeatedQuery]:
    """Return the active queries that are run again and again, in the order of their starts."""
    ended = [query for query in _queries if not query.isActive]
    _terminated.extend(ended)
    _queries[:] = [query for query in _queries if query not in ended]
    return list(_queries)


def run_again(query: object) -> None:
    """Run a query again that has nothing but runs; another one runs by itself."""
    if isinstance(query, RepeatedQuery):
        query.processAllAvailable()


def _wrap_write_stream(original: property) -> property:
    """Remember a writer's frame: over Connect the writer does not have it."""

    def write_stream(self: DataFrame) -> DataStreamWriter:
        writer: DataStreamWriter = original.fget(self)  # type: ignore[misc]
        builders.given_to(writer).frame = self
        return writer

    return property(write_stream, doc=original.__doc__)


def _wrap_start(original: Any) -> Any:
    signature = inspect.signature(original)

    @wraps(original)
    def start(self: DataStreamWriter, *args: Any, **kwargs: Any) -> StreamingQuery:
        given = builders.given_to(self)
        if any(given.trigger.get(kind) for kind in _ENDING):
            return original(self, *args, **kwargs)
        arguments = signature.bind(self, *args, **kwargs).arguments
        given.name = arguments.get("queryName") or given.name
        given.format = arguments.get("format") or given.format
        given.output_mode = arguments.get("outputMode") or given.output_mode
        for key, value in arguments.get("options", {}).items():
            given.set_option(key, value)
        _refuse_name_in_use(given.name)
        is_fresh = _give_checkpoint(self, given)
        self.trigger(availableNow=True)
        if given.format == "memory" and given.frame is not None:
            return _repeat(_memory_run(self, given, is_fresh))
        return _repeat(lambda: original(self, *args, **kwargs))

    return start


def _repeat(start: Callable[[], StreamingQuery]) -> StreamingQuery:
    query = RepeatedQuery(start)
    for other in active():
        if other.id == query.id:  # Spark, too, stops the query that has the checkpoint
            other.stop()
    _queries.append(query)
    return query  # type: ignore[return-value]  # it has what a StreamingQuery has


def _refuse_name_in_use(name: str | None) -> None:
    from pyspark.errors import IllegalArgumentException

    if name and any(query.name == name for query in active()):
        raise IllegalArgumentException(
            f"Cannot start query with name {name} as a query with that name is already active in this SparkSession"
        )


def _give_checkpoint(writer: DataStreamWriter, given: builders.Given) -> bool:
    """Give a writer without a checkpoint a new one; return whether it had none."""
    if "checkpointlocation" in given.lower_options or _checkpoints is None:
        return False
    writer.option("checkpointLocation", f"{_checkpoints()}/unnamed/{given.name or 'query'}-{uuid4().hex[:8]}")
    return True


def _memory_run(writer: DataStreamWriter, given: builders.Given, is_fresh: bool) -> Callable[[], StreamingQuery]:
    """Return the start of a run that appends to a Delta table of the query's name, or replaces its rows."""
    spark: SparkSession = given.frame.sparkSession
    table = f"{spark.catalog.currentCatalog()}.`{spark.catalog.currentDatabase()}`.`{given.name}`"
    if is_fresh:
        spark.sql(f"DROP TABLE IF EXISTS {table}")
    if not spark.catalog.tableExists(table):
        empty = spark.createDataFrame([], given.frame.schema)
        # By name: a column of Spark's own naming, such as count(1), has letters that Parquet's names must not have.
        empty.write.format("delta").option("delta.columnMapping.mode", "name").saveAsTable(table)
    if given.output_mode == "update":
        writer.format("").foreachBatch(_appending_to(table, uuid4().hex))
        return hooks.original(type(writer), "start").__get__(writer)
    writer.format("delta")
    to_table = hooks.original(type(writer), "toTable")
    return lambda: to_table(writer, table, queryName=given.name)


def _appending_to(table: str, application: str) -> Callable[[DataFrame, int], None]:
    """Return a function for ``foreachBatch``; nested, it is pickled whole, and the server needs nothing of ours."""

    def append(rows: DataFrame, batch_id: int) -> None:
        marked = rows.write.format("delta").option("txnAppId", application).option("txnVersion", batch_id)
        marked.mode("append").saveAsTable(table)

    return append


def _wrap_active(original: property) -> property:
    def active_queries(self: Any) -> list[Any]:
        repeated = active()
        ours = {query.id for query in repeated}
        running = [query for query in original.fget(self) if str(query.id) not in ours]  # type: ignore[misc]
        return [*running, *repeated]

    return property(active_queries, doc=original.__doc__)


def _wrap_get(original: Any) -> Any:
    @wraps(original)
    def get(self: Any, id: str) -> Any:
        return next((query for query in active() if query.id == str(id)), None) or original(self, id)

    return get


def _wrap_await_any(original: Any) -> Any:
    @wraps(original)
    def await_any(self: Any, timeout: float | None = None) -> bool | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (repeated := active()) and not _terminated:
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(RUN_INTERVAL)
            for query in repeated:
                query.processAllAvailable()
        for query in _terminated:
            if (error := query.exception()) is not None:
                raise error
        if _terminated:
            return None if timeout is None else True
        return original(self, timeout)

    return await_any


def _wrap_reset(original: Any) -> Any:
    @wraps(original)
    def reset(self: Any) -> None:
        active()
        _terminated.clear()
        original(self)

    return reset


def _wrap_setting(original: Any) -> Any:
    """Leave a setting as it is where the compute refuses to change it, and say so: a lesson goes on with its value."""

    @wraps(original)
    def change(self: Any, key: str, *value: Any) -> None:
        from pyspark.errors import PySparkException

        try:
            original(self, key, *value)
        except PySparkException as error:
            if "CONFIG_NOT_AVAILABLE" not in str(error) or key.startswith("da."):
                raise
            print(f"This compute does not let you set {key}; its own value stays.")

    return change


_numbers = count(1)
_shown: list[tuple[RepeatedQuery, Callable[[], None]]] = []


def wrap_display(platform_display: Callable[..., None]) -> Callable[..., None]:
    """Return a ``display`` that shows a streaming frame's rows so far, and anything else as the platform does."""

    def display(*values: Any, **options: Any) -> None:
        of_stream = {name: options.pop(name) for name in _OF_A_STREAM if name in options}
        for value in values:
            if getattr(value, "isStreaming", False):
                _show_stream(value, of_stream, platform_display)
            else:
                platform_display(value, **options)

    return display


def show_again() -> None:
    """Show the rows of each displayed stream that is still active."""
    _shown[:] = [(query, show) for query, show in _shown if query.isActive]
    for _query, show in _shown:
        show()


def _show_stream(frame: DataFrame, options: dict[str, Any], platform_display: Callable[..., None]) -> None:
    spark = frame.sparkSession
    name = options.get("streamName") or f"display_query_{next(_numbers)}"
    for earlier, _show in _shown:  # the cell is run again
        if earlier.name == name:
            earlier.stop()
    query = _start(frame, name, options)
    query.processAllAvailable()

    def show() -> None:
        platform_display(spark.table(f"`{name}`"))

    show()
    _shown.append((query, show))


def _start(frame: DataFrame, name: str, options: dict[str, Any]) -> Any:
    """Start a query into a table: in complete mode where the query allows it, else in append mode."""
    from pyspark.errors import PySparkException

    def start(mode: str) -> Any:
        writer = frame.writeStream.format("memory").queryName(name).outputMode(mode)
        if checkpoint := options.get("checkpointLocation"):
            writer = writer.option("checkpointLocation", checkpoint)
        return writer.start()

    if mode := options.get("outputMode"):
        return start(mode)
    try:
        return start("complete")
    except PySparkException:
        return start("append")
