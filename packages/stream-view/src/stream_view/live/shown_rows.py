"""The rows that a live view shows, read from what the query keeps in memory, and the batch that they are the result of.

Who gave the query a name was promised a table of that name, so it is left alone and may grow.  A table that nobody
knows of is emptied from time to time: the view keeps the rows that it shows, and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stream_view.tables import SHOWN_ROWS, Table, first_rows, newest_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

EMPTIED_EVERY = 5.0  # seconds
LARGE = 1_000_000  # rows of a memory table, which are rows in the driver's memory
TRIES = 10  # to read rows while no batch ends; each takes milliseconds


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
        self._emptied_at = -1  # the batch after which it was

    def read(self, reported: Callable[[], int]) -> tuple[int, Table]:
        """Return the rows to show now, and the batch whose result they are; -1 where none has ended.

        Parameters
        ----------
        reported : callable
            Returns the last batch that was reported.  Over Connect nothing else is known, and rows of a batch whose
            report is still on its way may be among those of the one before.
        """
        if self._sink is None:
            batch, memory = reported(), self._spark.table(f"`{self._query.name}`")
            return batch, first_rows(memory) if self._is_whole else newest_rows(memory)
        batch, memory = self._of_one_batch(self._sink)
        if self._is_whole:
            return batch, first_rows(memory)
        table = newest_rows(memory)
        if self._promised:
            return batch, table
        rows = (*table.rows, *self._kept)
        table = replace(table, rows=rows[:SHOWN_ROWS], cut=table.cut or len(rows) > SHOWN_ROWS)
        self._empty(table, batch)
        return batch, table

    def _of_one_batch(self, sink: Any) -> tuple[int, DataFrame]:
        """Return the newest rows of the sink, or its first ones, as a frame, and the batch after which they were so."""
        for _ in range(TRIES):
            before = _latest_batch(sink)
            rows = sink.allData()
            if _latest_batch(sink) == before:
                break
        batch = self._emptied_at if before is None else before
        some = rows.take(SHOWN_ROWS + 1) if self._is_whole else rows.takeRight(SHOWN_ROWS + 1)
        return batch, self._frame(some)

    def _frame(self, rows: Any) -> DataFrame:
        from pyspark.sql.classic.dataframe import DataFrame

        listed = self._spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(rows)
        return DataFrame(self._spark._jsparkSession.createDataFrame(listed, self._schema), self._spark)

    @cached_property
    def _sink(self) -> Any:
        """Spark's sink, or None over Connect, where it is on the server and cannot be reached."""
        wrapper = getattr(self._query, "_jsq", None)
        return None if wrapper is None else wrapper.streamingQuery().sink()

    @cached_property
    def _schema(self) -> Any:
        return self._spark.table(f"`{self._query.name}`")._jdf.schema()

    def warning(self) -> str:
        """Return what there is to say about the size of the promised table, or nothing."""
        if not self._promised or self._is_whole:
            return ""
        rows = self.rows_held()
        return f"the table {self._query.name} holds {rows:,} rows in memory" if rows >= LARGE else ""

    def rows_held(self) -> int:
        """Return how many rows the query keeps in memory; 0 over Connect, where nobody knows."""
        return 0 if self._sink is None else self._sink.allData().size()

    def _empty(self, table: Table, batch: int) -> None:
        """Drop the rows that Spark keeps, unless there are newer ones than those that were read."""
        if time.monotonic() - self._emptied < EMPTIED_EVERY or not table.cut or _latest_batch(self._sink) != batch:
            return
        self._sink.clear()
        self._kept, self._emptied, self._emptied_at = table.rows, time.monotonic(), batch


def _latest_batch(sink: Any) -> int | None:
    """Return the last batch that a sink has; None where it has none, or was emptied since."""
    latest = sink.latestBatchId()
    return int(latest.get()) if latest.isDefined() else None
