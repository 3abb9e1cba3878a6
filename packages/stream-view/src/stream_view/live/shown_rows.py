"""The rows that a live view shows, read from the query's memory table.

Who gave the query a name was promised a table of that name, so it is left alone and may grow.  A table that nobody
knows of is emptied from time to time: the view keeps the rows that it shows, and nothing else.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from stream_view.tables import SHOWN_ROWS, Table, first_rows, newest_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

EMPTIED_EVERY = 5.0  # seconds
LARGE = 1_000_000  # rows of a memory table, which are rows in the driver's memory


class ShownRows:
    """What a display query has brought.

    Parameters
    ----------
    spark : SparkSession
        Where the memory table is.
    query : StreamingQuery
        The query that fills it.
    output_mode : str
        ``complete`` shows the result from its first row on, the other modes the newest rows first.
    promised : bool
        Whether the user gave the table its name.
    """

    def __init__(self, spark: SparkSession, query: StreamingQuery, output_mode: str, promised: bool) -> None:
        self._spark = spark
        self._query = query
        self._is_whole = output_mode == "complete"
        self._promised = promised
        self._kept: tuple[tuple[str | None, ...], ...] = ()
        self._emptied = time.monotonic()

    def table(self) -> Table:
        """Return the rows to show now."""
        memory = self._spark.table(f"`{self._query.name}`")
        if self._is_whole:
            return first_rows(memory)
        table = newest_rows(memory)
        if self._promised:
            return table
        rows = (*table.rows, *self._kept)
        table = replace(table, rows=rows[:SHOWN_ROWS], cut=table.cut or len(rows) > SHOWN_ROWS)
        self._empty(table)
        return table

    def warning(self) -> str:
        """Return what there is to say about the size of the promised table, or nothing."""
        if not self._promised or self._is_whole:
            return ""
        rows = _rows_held(self._query)
        return f"the table {self._query.name} holds {rows:,} rows in memory" if rows >= LARGE else ""

    def _empty(self, table: Table) -> None:
        """Drop the rows that Spark keeps; a batch that ends in this very moment is dropped with them."""
        if time.monotonic() - self._emptied < EMPTIED_EVERY or not table.cut:
            return
        if (sink := _memory_sink(self._query)) is not None:
            sink.clear()
            self._kept = table.rows
            self._emptied = time.monotonic()


def _memory_sink(query: StreamingQuery):
    """Return Spark's sink, or None over Connect, where it is on the server and cannot be reached."""
    wrapper = getattr(query, "_jsq", None)
    return None if wrapper is None else wrapper.streamingQuery().sink()


def _rows_held(query: StreamingQuery) -> int:
    sink = _memory_sink(query)
    return 0 if sink is None else sink.allData().size()
