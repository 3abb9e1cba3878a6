"""``late_rows(query)``: the rows that the watermark dropped, found by reading the query's batches again.

The late rows of all operators are in one frame: their own columns are in one struct, which has the columns of all.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame
from pyspark.sql.types import DataType, StringType, StructField, StructType

from stream_view.late_data import plans
from stream_view.late_data.counts import Counts, NoLateRows
from stream_view.late_data.operators import Input, Operator, PastBatch, Replay, distinct, history, operators
from stream_view.late_data.replayed_sources import CannotBeRead, Sources, why_not

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery


class IncompleteLateRows(UserWarning):
    """Some batches could not be read again; the text names them and the reasons."""


class LateRows(ClassicFrame):
    """The rows that a query's watermark dropped, and their comparison with Spark's counts.

    Attributes
    ----------
    counts : DataFrame
        A row for each batch and operator with dropped or unknown rows: ``rows`` found, ``counted`` as Spark counts,
        ``dropped`` as Spark reported, and ``why`` they differ.
    """

    counts: DataFrame


def late_rows(query: StreamingQuery) -> LateRows:
    """Return the rows that a query's watermark dropped; each batch is read again between its offsets.

    The query and its checkpoint are left alone.  Only batches that dropped something, or of which Spark has no report
    any more, are read again, when this is called.

    Parameters
    ----------
    query : StreamingQuery
        A classic query, running or stopped, that has a watermark.

    Returns
    -------
    LateRows
        A DataFrame of ``operator``, the position in a report's ``stateOperators``; ``name``, the operator's; ``side``
        of a join; ``batch``; ``watermark``, with which the rows of that batch were compared; ``event_time``, NULL where
        only a window was left of it; ``late_by``, from the event time or the end of the window to the watermark;
        ``row``, the row as it entered the operator. A row of sliding windows is there once for each window that was
        closed.  Its ``counts`` compares the numbers with Spark's.

    Raises
    ------
    NotAvailable
        The query runs over Spark Connect.
    NoLateRows
        The query has no watermark, has not finished a batch, or none of its batches can be read again.

    Warns
    -----
    IncompleteLateRows
        Some batches cannot be read again.

    Notes
    -----
    Supported: aggregations by windows, sessions and event times, ``dropDuplicates``, ``dropDuplicatesWithinWatermark``,
    joins of streams; sources that can be read again: files, Delta, Kafka, rate, data sources in Python.

    Not supported: ``applyInPandasWithState``, ``transformWithState`` and their like, whose code decides; operators
    above other stateful ones; sockets and memory; queries that read the clock. Tables that are joined to a stream are
    read as they are now.
    """
    execution = plans.execution_of(query)
    spark = SparkSession.active()
    past = history(execution)
    if past is None:
        raise NoLateRows("The query has not finished a batch yet. Wait for its first one.")
    if not plans.has_watermark(execution.analyzedPlan()):
        raise NoLateRows("The query has no watermark, so nothing is late: no row was dropped.")
    session = execution.sparkSessionForStream().cloneSession()
    with plans.planning_session(spark, session):
        found = operators(spark._jvm, execution, session)
        counts = Counts(query, found, past)
        sources = Sources(spark, session, execution)
        try:
            frames = _find_dropped(found, Replay(spark, session, sources), counts)
        finally:
            sources.close()
    counts.expect_known()
    if missing := counts.missing():
        warnings.warn(missing, IncompleteLateRows, stacklevel=2)
    rows = LateRows(as_frame(spark, found, frames)._jdf, spark)
    rows.counts = counts.frame(spark)
    return rows


def _find_dropped(found: list[Operator], replay: Replay, counts: Counts) -> list[tuple[Operator, Input, DataFrame]]:
    """Return the dropped rows of each input of each operator, and record unreadable batches."""
    frames = []
    for operator in found:
        batches = counts.to_read(operator)
        for entered in operator.inputs if batches else ():
            rows = _read(replay, operator, entered, batches, counts)
            if rows is not None:
                counts.add(operator, rows)
                frames.append((operator, entered, rows))
    return frames


def _read(
    replay: Replay, operator: Operator, entered: Input, batches: list[PastBatch], counts: Counts
) -> DataFrame | None:
    """Return the late rows of all batches in one job, or one batch at a time if one is unreadable."""
    frames: dict[int, DataFrame] = {}
    for batch in batches:
        with _record_unreadable(counts, operator, batch.number):
            frames[batch.number] = replay.late(entered, batch)
    try:
        return _united(list(frames.values()))
    except (PySparkException, Py4JError):
        kept = []
        for number, frame in frames.items():
            with _record_unreadable(counts, operator, number):
                kept.append(frame.localCheckpoint())
        return _united(kept)


def _united(frames: list[DataFrame]) -> DataFrame | None:
    return reduce(DataFrame.union, frames).localCheckpoint() if frames else None


@contextmanager
def _record_unreadable(counts: Counts, operator: Operator, batch: int) -> Iterator[None]:
    """Record an unreadable batch."""
    try:
        yield
    except (CannotBeRead, PySparkException, Py4JError) as error:
        counts.cannot_be_read(operator, batch, why_not(error))


_BEFORE = "operator INT, name STRING, side STRING, batch LONG, watermark TIMESTAMP, event_time TIMESTAMP"
_LATE_BY = "late_by INTERVAL DAY TO SECOND"


def as_frame(
    spark: SparkSession, operators: list[Operator], found: list[tuple[Operator, Input, DataFrame]]
) -> DataFrame:
    """Return the rows of all inputs of all operators; a frame without rows where none was found."""
    row = _merged([_row_type(entered) for operator in operators for entered in operator.inputs])
    frames = [_completed(operator, entered, frame, row) for operator, entered, frame in found]
    if frames:
        return reduce(DataFrame.union, frames)
    schema = DataType.fromDDL(f"{_BEFORE}, {_LATE_BY}")
    return spark.createDataFrame([], StructType([*schema.fields, StructField("row", row)]))  # type: ignore[attr-defined]


def _completed(operator: Operator, entered: Input, frame: DataFrame, row: StructType) -> DataFrame:
    there = {field.name: field.dataType for field in frame.schema["row"].dataType.fields}  # type: ignore[attr-defined]
    own = [_value(field, there).alias(field.name) for field in row.fields]
    return frame.select(
        F.lit(operator.position).alias("operator"),
        F.lit(operator.name).alias("name"),
        F.lit(entered.side).cast("string").alias("side"),
        *("batch", "watermark", "event_time", "late_by"),
        F.struct(*own).alias("row"),
    )


def _value(field: StructField, there: dict[str, DataType]) -> Column:
    value = F.col("row").getField(field.name) if field.name in there else F.lit(None)
    return value.cast(field.dataType)


def _row_type(entered: Input) -> StructType:
    fields = StructType.fromJson(json.loads(entered.plan.schema().json())).fields
    names = distinct(field.name for field in fields)
    return StructType([StructField(name, field.dataType) for name, field in zip(names, fields, strict=True)])


def _merged(types: list[StructType]) -> StructType:
    """Return a struct with the fields of all; a name that stands for two types is a string."""
    merged: dict[str, DataType] = {}
    for field in (field for kind in types for field in kind.fields):
        same = merged.setdefault(field.name, field.dataType) == field.dataType
        merged[field.name] = field.dataType if same else StringType()
    return StructType([StructField(name, kind) for name, kind in merged.items()])
