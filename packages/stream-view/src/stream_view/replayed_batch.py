"""``replay(checkpoint, batch, query)``: a batch once more, from the same offsets and the same state, without its sink.

Spark's own recovery does it, on a copy of the checkpoint (:mod:`stream_view.scratch_checkpoint`), so all operators are
replayed that Spark can recover.  Nothing is done until one of the results is asked for.  ``compare`` sets two replayed
batches side by side.
"""

from __future__ import annotations

import re
import tempfile
import weakref
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from py4j.protocol import Py4JError
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

from stream_view.checkpoint_batches import LoggedBatch, NoSuchBatch, checkpoint_log, state_stores
from stream_view.late_data import plans
from stream_view.late_data.operators import offsets_of
from stream_view.late_data.replayed_sources import CannotBeRead, Sources, refuse_read_once, why_not
from stream_view.scratch_checkpoint import copy_checkpoint
from stream_view.starts import failures
from streaming_base.errors import ExplainedError, NotAvailable, StreamTimeout

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

#: What Spark says of rows that are not there any more, and the same in a sentence.
_GONE = {
    r"KAFKA_DATA_LOSS|OffsetOutOfRange|data may have been (lost|missed)": "Kafka has removed messages of this batch",
    r"FILE_NOT_EXIST|FileNotFound|DELTA_FILE_NOT_FOUND": "A file that this batch has read is gone",
}
NAME = "replay of batch"  # of the query that runs one again


@dataclass(eq=False)
class Several(ExplainedError):
    """A query has several matches: choose one by name or number."""

    what: str
    instead: str
    there: tuple[str, ...]

    def __str__(self) -> str:
        return f"The query has {len(self.there)} {self.what}: {', '.join(self.there) or 'none'}. Use {self.instead}."


def replay(
    checkpoint: str,
    batch: int,
    query: StreamingQuery | DataFrame,
    output_mode: str | None = None,
    scratch: str | None = None,
    timeout: float = 600,
) -> ReplayedBatch:
    """Return a batch that can be looked into: its input, its state before and after, and what it wrote.

    The checkpoint, the query and its sink are left alone; a query may run with the checkpoint meanwhile.

    Parameters
    ----------
    checkpoint : str
        The folder.
    batch : int
        One that is in the offset log with the previous one; it need not be committed, so a batch that fails can be
        looked into.
    query : StreamingQuery or DataFrame
        The query, running or stopped, or the streaming frame that it is started from: the same one, or one that is
        corrected, so far as Spark would restart it with this checkpoint.
    output_mode : str, optional
        Of a frame: ``append`` by default.
    scratch : str, optional
        An empty folder that the driver and all executors have, for the copy of the checkpoint. By default it is on this
        machine, and goes with the result.
    timeout : float
        Seconds that the batch may take.

    Raises
    ------
    NotAvailable
        The query runs over Spark Connect.
    NotACheckpoint, NoSuchBatch
        The checkpoint does not have the batch.
    CannotBeRead
        The source gives its rows only once, such as a socket.

    Notes
    -----
    Supported: what Spark recovers; sources that can be read again: files, Delta, Kafka, rate, ``cloudFiles`` and other
    data sources in Python. Rows that depend on chance or on a table that has changed may be others than at first.
    """
    plan, mode = _plan_and_mode(query, output_mode)
    # What a frame was written as does not name its sources yet.
    refuse_read_once(query._jdf.queryExecution().analyzed() if isinstance(query, ClassicFrame) else plan)
    spark = SparkSession.active()
    log = checkpoint_log(spark, checkpoint)
    replayable = [n for n in sorted(log) if n == 0 or (n - 1 in log and log[n - 1].is_committed)]
    if batch not in replayable:
        raise NoSuchBatch(batch, *((replayable[0], replayable[-1]) if replayable else (0, -1)))
    return ReplayedBatch(spark, checkpoint, log[batch], log.get(batch - 1), _Run(spark, plan, mode, scratch, timeout))


class ReplayedBatch:
    """A replayed batch of a checkpoint; ``is_committed`` is whether the original has ended."""

    def __init__(
        self, spark: SparkSession, checkpoint: str, logged: LoggedBatch, before: LoggedBatch | None, run: _Run
    ) -> None:
        self.number, self.is_committed = logged.number, logged.is_committed
        self.logged, self.before = logged, before
        self._spark, self._checkpoint, self._run = spark, checkpoint, run

    @property
    def inputs(self) -> list[DataFrame]:
        """The rows of each source, in the order in which the query names its sources; CannotBeRead if they are gone.

        If a source has a hidden column ``_metadata``, it may be included.
        """
        return self._ended.inputs()

    @property
    def input(self) -> DataFrame:
        """The rows of the only source; see ``inputs``."""
        found = self.inputs
        if len(found) != 1:
            raise Several("sources", "inputs[number]", tuple(map(str, range(len(found)))))
        return found[0]

    @property
    def output(self) -> DataFrame:
        """The rows that the batch gives to the sink.

        Raises StreamingQueryException if the batch fails again, and CannotBeRead if its rows are gone.
        """
        self._ended.inputs()  # raises if a source no longer has its rows, which Spark may ignore
        return self._ended.output()

    @cached_property
    def state_before(self) -> dict[str, DataFrame]:
        """The state that the batch began with, a frame for each store; see :func:`state_stores`."""
        if self.before is not None:
            return state_stores(self._spark, self._checkpoint, self.number - 1)
        return {name: frame.limit(0) for name, frame in self.state_after.items()}

    @cached_property
    def state_after(self) -> dict[str, DataFrame]:
        """The state after the batch from the checkpoint; for an uncommitted batch, after the replay."""
        if self.is_committed:
            return state_stores(self._spark, self._checkpoint, self.number)
        return self.replayed_state

    @cached_property
    def replayed_state(self) -> dict[str, DataFrame]:
        """The state after the replay."""
        self._ended.output()
        stores = state_stores(self._spark, self._ended.checkpoint, self.number)
        return {name: frame.localCheckpoint() for name, frame in stores.items()}  # the copy goes with this object

    @property
    def state(self) -> DataFrame:
        """The content of ``state_after`` if there is one state store."""
        stores = self.state_after
        if len(stores) != 1:
            raise Several("state stores", "state_after[name]", tuple(stores))
        return next(iter(stores.values()))

    @cached_property
    def _ended(self) -> _EndedRun:
        return self._run.of(self._checkpoint, self.number)


def _plan_and_mode(query: StreamingQuery | DataFrame, output_mode: str | None) -> tuple[Any, str]:
    """Return a query's plan without its sink, and its output mode."""
    if isinstance(query, ClassicFrame):
        return query._jdf.queryExecution().logical(), output_mode or "append"
    if hasattr(query, "isStreaming"):
        raise NotAvailable("Over Spark Connect a frame's plan is on the server.", "Use a classic session.")
    execution = plans.execution_of(query)
    return execution.analyzedPlan(), output_mode or str(execution.outputMode().toString()).lower()


@dataclass(frozen=True)
class _Run:
    """How a batch is run again."""

    spark: SparkSession
    plan: Any
    mode: str
    scratch: str | None
    timeout: float

    def of(self, checkpoint: str, batch: int) -> _EndedRun:
        """Run a batch again on a copy of its checkpoint, and return the run when it has ended."""
        folder, holder = self.scratch, None
        if folder is None:
            holder = tempfile.TemporaryDirectory(prefix="replay-", ignore_cleanup_errors=True)
            folder = (Path(holder.name) / "checkpoint").as_uri()
        copy_checkpoint(self.spark, checkpoint, folder, batch)
        written: list[DataFrame] = []
        datasets = self.spark._jvm.org.apache.spark.sql.classic.Dataset
        frame = DataFrame(datasets.ofRows(self.spark._jsparkSession, self.plan), self.spark)
        writer = frame.writeStream.foreachBatch(lambda rows, _batch: written.append(rows.localCheckpoint()))
        writer = writer.outputMode(self.mode).option("checkpointLocation", folder).trigger(once=True)
        with failures.without_reports():  # and told by the one who asks for its results
            query = writer.start()
        error = self._wait(query, batch)
        return _EndedRun(self.spark, query, folder, holder, written, error)

    def _wait(self, query: StreamingQuery, batch: int) -> StreamingQueryException | None:
        try:
            has_ended = query.awaitTermination(self.timeout)  # type: ignore[arg-type]
        except StreamingQueryException as error:
            return error
        if not has_ended:
            query.stop()
            raise StreamTimeout(f"{NAME} {batch}", self.timeout, "ended", "it was stopped")
        return None


class _EndedRun:
    """A run of a batch on a copy, which has ended."""

    def __init__(
        self,
        spark: SparkSession,
        query: StreamingQuery,
        checkpoint: str,
        holder: tempfile.TemporaryDirectory | None,
        written: list[DataFrame],
        error: StreamingQueryException | None,
    ) -> None:
        self.checkpoint = checkpoint
        self._spark, self._written, self._error = spark, written, error
        self._execution = query._jsq.streamingQuery()
        self._session = self._execution.sparkSessionForStream().cloneSession()
        self._sources: Sources | None = None
        if holder is not None:
            weakref.finalize(self, holder.cleanup)

    def output(self) -> DataFrame:
        """Return the rows that the sink received."""
        self._expect_rows()
        if self._error is not None:
            raise self._error
        [rows] = self._written
        plain = self._spark._jsparkSession.internalCreateDataFrame(
            rows._jdf.queryExecution().toRdd(), rows._jdf.schema(), False
        )
        return DataFrame(plain, self._spark)

    def _expect_rows(self) -> None:
        """Raise where the run has failed because its rows are not there any more."""
        said = "" if self._error is None else f"{self._error}{getattr(self._error, '_stackTrace', '')}"
        for pattern, reason in _GONE.items():
            if re.search(pattern, said):
                raise CannotBeRead(reason) from self._error

    def inputs(self) -> list[DataFrame]:
        """Return the rows of each source."""
        self._expect_rows()
        with plans.planning_session(self._spark, self._session):
            if self._sources is None:
                self._sources = Sources(self._spark, self._session, self._execution)
            starts, ends = self._offsets()
            try:
                return [self._sources.frame(leaf, starts, ends) for leaf in self._sources.leaves]
            except Py4JError as error:
                raise CannotBeRead(why_not(error)) from error
            finally:
                self._sources.close()

    def _offsets(self) -> tuple[list[Any], list[Any]]:
        log = self._execution.offsetLog()
        last = int(plans.option(log.getLatestBatchId()))  # type: ignore[arg-type]  # the copy has it
        ends = offsets_of(log.get(last).get())
        starts = offsets_of(log.get(last - 1).get()) if last else []
        return starts + [None] * (len(ends) - len(starts)), ends


def compare(one: ReplayedBatch, other: ReplayedBatch) -> BatchComparison:
    """Return how two batches differ in their input, in what they write and in their state.

    Parameters
    ----------
    one, other : ReplayedBatch
        Two batches, or the same batch with a query and with its correction.
    """
    return BatchComparison(one, other)


class BatchComparison:
    """Two batches side by side.

    Attributes
    ----------
    only_in_one, only_in_other : dict of str to DataFrame
        The rows, as JSON, that one batch has and the other lacks or has less often: of ``output``, of ``input`` and,
        with the store's name, of ``state before`` and ``state after`` the replay.
    """

    def __init__(self, one: ReplayedBatch, other: ReplayedBatch) -> None:
        parts = [_parts(one), _parts(other)]
        names = list(dict.fromkeys([*parts[0], *parts[1]]))
        self._heads = [f"batch {one.number}", f"batch {other.number}"]
        if one.number == other.number:
            self._heads = [f"{self._heads[0]}, one", f"{self._heads[0]}, other"]
        self._rows = {name: [part.get(name) for part in parts] for name in names}
        self.only_in_one = {name: _less(*rows) for name, rows in self._rows.items() if rows[0] is not None}
        self.only_in_other = {name: _less(*rows[::-1]) for name, rows in self._rows.items() if rows[1] is not None}

    @property
    def summary(self) -> pd.DataFrame:
        """How many rows each has of each part, and how many that the other has not."""
        heads = [*self._heads, "only in one", "only in other"]
        counted = [
            [_count(frame) for frame in (*rows, self.only_in_one.get(name), self.only_in_other.get(name))]
            for name, rows in self._rows.items()
        ]
        return pd.DataFrame(counted, index=list(self._rows), columns=heads).astype("Int64")

    def __repr__(self) -> str:
        return self.summary.to_string()

    def _repr_html_(self) -> str:
        return self.summary.to_html()


def _parts(batch: ReplayedBatch) -> dict[str, DataFrame]:
    inputs = batch.inputs
    names = ["input"] if len(inputs) == 1 else [f"input {number}" for number in range(len(inputs))]
    return {
        **dict(zip(names, map(_as_json, inputs), strict=True)),
        "output": _as_json(batch.output),
        **{f"state before, {name}": _as_json(frame) for name, frame in batch.state_before.items()},
        **{f"state after, {name}": _as_json(frame) for name, frame in batch.replayed_state.items()},
    }


def _as_json(rows: DataFrame) -> DataFrame:
    """Return rows as text: of all types, maps among them, whose rows Spark does not compare."""
    kept = rows.drop("partition_id") if "key" in rows.columns else rows
    return kept.select(F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("row"))


def _less(rows: DataFrame, others: DataFrame | None) -> DataFrame:
    return rows if others is None else rows.exceptAll(others)


def _count(rows: DataFrame | None) -> int | None:
    return None if rows is None else rows.count()
