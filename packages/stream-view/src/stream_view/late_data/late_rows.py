"""``late_rows(query)``: the rows that the watermark dropped, found by reading the query's batches again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

from stream_view.late_data import plans
from stream_view.late_data.counts import Counts
from stream_view.late_data.operators import Input, Operator, operators
from stream_view.late_data.replay import History, PastBatch, Replay, history
from stream_view.late_data.replayed_sources import CannotBeRead, Sources, why_not
from stream_view.late_data.result import NoLateRows, as_frame

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
    past = _history(execution)
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


def _history(execution: Any) -> History:
    past = history(execution)
    if past is None:
        raise NoLateRows("The query has not finished a batch yet. Wait for its first one.")
    if not plans.has_watermark(execution.analyzedPlan()):
        raise NoLateRows("The query has no watermark, so nothing is late: no row was dropped.")
    return past


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
