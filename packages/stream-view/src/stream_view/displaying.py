"""``display``: a table for a batch frame, a live view for a streaming frame.

A stream is shown by a query into a memory table, and a live view (``live``) follows it while other cells run.  Without
a person to look, the cell waits until the stream has processed what is there and leaves one final frame; the query
continues until the lesson stops it, as it would for a person.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from stream_view import cell_streams
from stream_view.errors import NoInterval
from stream_view.starts import start_hooks
from stream_view.tables import Table, first_rows, newest_rows, rows_of
from streaming_base import front_end, waiting
from streaming_base.errors import StreamTimeout, interrupt_behind

if TYPE_CHECKING:
    from pyspark.errors import AnalysisException
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

View = Literal["Table", "Chart", "Map", "Dashboard"]
FIRST_RESULT_TIMEOUT = 8.0  # seconds that a cell waits for a first result on the screen
# Seconds that a cell waits, when nobody looks, for the stream to run dry; runners give a cell two minutes.
DRAIN_TIMEOUT = 90.0
NO_COLUMNS = "Done: the statement has no rows to show."  # an INSERT, say
POLL_INTERVAL = 0.1  # seconds between two looks for a first result


def display(
    *values: Any,
    streamName: str | None = None,
    trigger: dict | str | None = None,
    processingTime: str | None = None,
    checkpointLocation: str | None = None,
    outputMode: str | None = None,
    view: View = "Table",
    **ipython_options: Any,
) -> None:
    """Show a frame or a list of rows as a table, a streaming frame as one that moves, the rest as IPython would.

    Parameters
    ----------
    *values : object
        What to show. The first 1,000 rows of a frame are shown, and said so when it has more.
    streamName : str, optional
        Name of the query and of the memory table it fills; by default ``display_query_<n>``.
    trigger : str or dict, optional
        Interval between batches, such as ``"4 seconds"``, or arguments of ``DataStreamWriter.trigger``, such as
        ``{"availableNow": True}``.
    processingTime : str, optional
        The same interval under its other name.
    checkpointLocation : str, optional
        Where the query keeps its progress; by default a temporary directory.
    outputMode : str, optional
        By default ``complete`` where the query allows it, else ``append``.
    view : str
        The tab that is open at first: ``Table``, ``Chart``, and of a stream also ``Map`` and ``Dashboard``. Without a
        person to look, ``Chart`` puts a picture of the chart above the table.

    Raises
    ------
    AnalysisException
        Spark refuses the query.
    NameInUse
        An active stream has the name, and it is not one that an earlier run of the same cell has started: those end
        when the cell is run again.
    NoInterval
        The trigger is a string that Spark does not read as an interval.
    """
    from pyspark.sql import DataFrame

    for value in values:
        if not isinstance(value, DataFrame):
            if (table := rows_of(value)) is None:
                _ipython_display(value, ipython_options)
            else:
                _publish(table, view=view)
        elif value.isStreaming:
            options = {"checkpointLocation": checkpointLocation} if checkpointLocation else {}
            _show_stream(_start(value, streamName, trigger or processingTime, options, outputMode), view)
        elif not value.columns:
            print(NO_COLUMNS)
        else:
            _publish(first_rows(value), view=view)


def displayHTML(html: str) -> None:
    """Render a string of HTML."""
    from IPython.display import HTML

    _ipython_display(HTML(html), {})


@dataclass(frozen=True)
class _OwnTable:
    """The memory table of a query without a name of the user's."""

    spark: SparkSession
    name: str

    def close(self) -> None:
        """Drop it, and with it the rows in memory."""
        self.spark.catalog.dropTempView(self.name)


@dataclass(frozen=True)
class _Stream:
    """A query and the memory table that it fills."""

    spark: SparkSession
    query: StreamingQuery
    output_mode: str
    is_named: bool

    def table(self) -> Table:
        """Return the rows of the table; in append mode, the newest first."""
        memory = self.spark.table(f"`{self.query.name}`")
        return newest_rows(memory) if self.output_mode == "append" else first_rows(memory)


def _start(
    frame: DataFrame, name: str | None, trigger: dict | str | None, options: dict[str, str], mode: str | None
) -> _Stream:
    """Start the query whose memory table is shown."""
    from pyspark.errors import AnalysisException

    from stream_view.starts import failures
    from streaming_base import listener  # with all of PySpark, which a batch of pandas does without

    listener.watch(frame.sparkSession)  # before the query reports anything

    def start(output_mode: str) -> _Stream:
        writer = frame.writeStream.format("memory").queryName(query_name).outputMode(output_mode)
        with failures.without_reports():
            query = _triggered(writer, trigger).options(**options).start()
        cell_streams.register_stream(query)
        if name is None:
            cell_streams.close_when_run_again(_OwnTable(frame.sparkSession, query_name))
        return _Stream(frame.sparkSession, query, output_mode, name is not None)

    if name:
        start_hooks.wait_for_stopped(name)
        cell_streams.refuse_name_in_use(name, frame.sparkSession.streams.active)
    query_name = name or _free_name(frame)
    with _stop_if_interrupted(frame.sparkSession, query_name):
        if mode:
            return start(mode)
        try:
            return start("complete")
        except AnalysisException as error:
            of_complete = error
        try:
            return start("append")
        except AnalysisException:
            if _is_about_the_output_mode(of_complete):
                raise
            # Append says of any aggregation without a watermark that its mode is wrong, whatever else is.
            raise of_complete from None


def _is_about_the_output_mode(error: AnalysisException) -> bool:
    """Whether Spark rejects complete mode: without an aggregation, or above a join of two streams."""
    return "output mode" in str(error).partition("\n")[0].lower()


@contextmanager
def _stop_if_interrupted(spark: SparkSession, name: str) -> Iterator[None]:
    """Stop a stream if the cell is interrupted before the stream is shown."""
    try:
        yield
    except BaseException as error:  # py4j may say otherwise that it was interrupted
        if interrupt_behind(error):
            start_hooks.stop_when_it_appears(spark, name)
        raise


def _triggered(writer: DataStreamWriter, trigger: dict | str | None) -> DataStreamWriter:
    from pyspark.errors import PySparkException

    if not trigger:
        return writer
    if not isinstance(trigger, str):
        return writer.trigger(**trigger)
    try:
        return writer.trigger(processingTime=trigger)
    except PySparkException:
        raise NoInterval(trigger) from None


def _free_name(frame: DataFrame) -> str:
    spark = frame.sparkSession
    taken = {query.name for query in spark.streams.active} | {table.name for table in spark.catalog.listTables()}
    number = 1
    while f"display_query_{number}" in taken:
        number += 1
    return f"display_query_{number}"


def _show_stream(stream: _Stream, view: View) -> None:
    """Show the stream's table now, and after each batch for a person at the notebook."""
    if not front_end.is_interactive():
        _drain(stream.query)
        _publish(_first_result(stream), stream.query.name, view)
        return
    _follow(stream, view)


def _drain(query: StreamingQuery) -> None:
    """Wait until the stream has processed the available data, at most until the deadline."""
    try:
        waiting.wait_until_processed([query], DRAIN_TIMEOUT)
    except StreamTimeout:
        if waiting.last_batch(query) < 0:
            raise


def _follow(stream: _Stream, opened: View) -> None:
    """Show the stream live; return when its first result is on the screen, or when that takes too long."""
    # Widgets take a second to import, and without a person there are none.
    from stream_view.live.live_view import LiveView
    from stream_view.live.static_frame import ShownRows

    with _stop_if_interrupted(stream.spark, stream.query.name):
        shown = ShownRows(stream.spark, stream.query, stream.output_mode, stream.is_named)
        view = LiveView(stream.query, shown, opened)
    cell_streams.close_when_run_again(view)
    try:
        deadline = time.monotonic() + FIRST_RESULT_TIMEOUT
        while not view.has_result and time.monotonic() < deadline:
            if stream.query.awaitTermination(POLL_INTERVAL):  # type: ignore[arg-type]  # raises what the query failed with
                break
        view.tick()
    finally:
        view.follow()


def _first_result(stream: _Stream) -> Table:
    """Return the rows so far; wait for the first ones of a source that generates rows by the clock."""
    deadline = time.monotonic() + FIRST_RESULT_TIMEOUT / 2
    while not (table := stream.table()).rows and time.monotonic() < deadline:
        if stream.query.awaitTermination(POLL_INTERVAL):  # type: ignore[arg-type]
            break
    return table


def _publish(table: Table, title: str = "", view: View = "Table") -> None:
    text = table.to_text(title)
    if front_end.in_notebook():
        _ipython_display({"text/html": _html(table, title, view), "text/plain": text}, {"raw": True})
    else:
        print(text)


def _html(table: Table, title: str, view: View) -> str:
    """Return the table as HTML: for a person to sort and to draw, else plain."""
    if not front_end.is_interactive():
        return (_picture(table, title) if view == "Chart" else "") + table.to_html(title)
    from stream_view.live.static_frame import brings_script, interactive_html  # as above

    return interactive_html(table, title, with_script=brings_script(front_end.running_cell()), view=view)


def _picture(table: Table, title: str) -> str:
    """Return the chart of a table as an HTML image, or an empty string where there is nothing to draw."""
    from stream_view.table_chart import chart_of

    if not (chart := chart_of(table, title or "Rows")):
        return ""
    return f'<img alt="Chart of the table below" src="data:image/png;base64,{b64encode(chart).decode()}">'


def _ipython_display(value: Any, options: dict[str, Any]) -> None:
    from IPython.display import display as ipython_display

    ipython_display(value, **options)
