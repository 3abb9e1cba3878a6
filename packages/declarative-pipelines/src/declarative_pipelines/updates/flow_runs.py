"""One class per kind of flow: it writes the flow's rows once and returns what it counted.

Every way is atomic for readers and can be repeated: a stream's batch is one commit that knows the batch's number, a
materialized view is replaced by one commit, and changes are merged by a function that may be given a batch twice.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from declarative_pipelines.definitions.model import ChangeFlow, DatasetKind, SnapshotFlow
from declarative_pipelines.engine import auto_cdc
from declarative_pipelines.engine.change_rows import quoted
from declarative_pipelines.engine.session import temporary_settings
from declarative_pipelines.engine.spark_engine import WriteObserver, observed_so_far
from declarative_pipelines.engine.storage import Checkpoint
from declarative_pipelines.updates import expectations, idle_streams
from declarative_pipelines.updates.expectations import Counts
from declarative_pipelines.updates.flow_nodes import OWN_TABLE, FlowKind, FlowNode
from declarative_pipelines.updates.idle_streams import BatchCounts, ViewRows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery
    from pyspark.sql.types import StructField

    from declarative_pipelines.updates.plan import PipelinePlan

OBSERVATION_TIMEOUT = 30.0  # seconds from the end of a write to Spark's report of what it observed

#: Called with the counts of each batch of a flow, while it runs.
OnBatch = Callable[[str, Mapping[str, Counts]], None]


@dataclass(frozen=True)
class RunContext:
    """The shared state of an update's flows; ``full_refresh`` are the datasets to recompute."""

    id: str
    plan: PipelinePlan
    checkpoints: Mapping[str, Checkpoint]
    writes: WriteObserver
    on_batch: OnBatch
    full_refresh: Collection[str]

    @property
    def session(self) -> SparkSession:
        return self.plan.engine.session


class FlowRun(ABC):
    """One run of a flow, which may be retried, after the flows that ``after`` names have succeeded."""

    def __init__(self, flow: FlowNode, update: RunContext) -> None:
        self.flow, self._update = flow, update
        self.after = update.plan.before(flow)
        self._stopped = threading.Event()

    @abstractmethod
    def run(self) -> dict[str, Counts]:
        """Write the available rows, and return the counts by dataset, without the target's if they are lost."""

    def stop(self) -> None:
        """Stop the run from another thread; work that has not begun does not begin."""
        self._stopped.set()

    @property
    def _table(self) -> str:
        return self._update.plan.engine.quoted(self.flow.target)

    @property
    def _checkpoint(self) -> Checkpoint:
        return self._update.checkpoints[self.flow.name]

    def _frame(self) -> DataFrame:
        return self._update.plan.graph.frame(self.flow.name)

    def _append(self, rows: DataFrame, application: str, number: int) -> None:
        """Append rows by one commit that records the application and the batch.

        A table without a declared schema gets the columns that a source has found since planning.
        """
        writer = rows.write.format("delta").mode("append")
        writer.option("mergeSchema", str(self.flow.target.schema is None).lower())
        writer.option("txnAppId", application).option("txnVersion", number).saveAsTable(self._table)

    def _nothing(self) -> dict[str, Counts]:
        target = self.flow.target
        return {target.name: Counts(failed=(0,) * len(target.expectations))}


class _BatchFailed(Exception):
    """Raised into Spark in place of a batch's error, which the update reports."""


class _Batches:
    """The callback for each batch; ``error`` is the error of the failed batch.

    Spark keeps it as long as the query, and with it the error that it raises and that error's frames.  It must not
    refer to the query, or all of it stays: this process keeps the query, and the JVM this function.
    """

    def __init__(self, take: Callable[[DataFrame, int], None]) -> None:
        self._take: Callable[[DataFrame, int], None] | None = take
        self.error: Exception | None = None

    def __call__(self, batch: DataFrame, number: int) -> None:
        try:
            assert self._take is not None  # the query has ended before it was released
            self._take(batch, number)
        except Exception as error:
            self.error = error
            text = f"{type(error).__name__}: {error}"
        else:
            return
        raise _BatchFailed(text)

    def release(self) -> None:
        """Forget the flow and its error."""
        self._take = self.error = None


class StreamRun(FlowRun):
    """A flow that is a stream: all that is there, in batches, each counted before its checkpoint moves on."""

    def __init__(self, flow: FlowNode, update: RunContext) -> None:
        super().__init__(flow, update)
        self._started: Future[StreamingQuery] = Future()
        self._is_first_batch = True
        self._batches = _Batches(self._take)
        self._counts: dict[int, Mapping[str, Counts]] = {}

    def run(self) -> dict[str, Counts]:
        """Run the stream to its end; batches that an earlier attempt has committed are counted as well."""
        self._started, self._is_first_batch, self._batches = Future(), True, _Batches(self._take)
        if self._has_nothing_new():
            return self._nothing()
        query = self._start()
        self._started.set_result(query)
        if self._stopped.is_set():
            query.stop()
        try:
            query.awaitTermination()
            return self._counted(query)
        except Exception as error:
            if self._batches.error is None:
                raise
            raise self._batches.error from error
        finally:
            self._batches.release()

    def _counted(self, query: StreamingQuery) -> dict[str, Counts]:
        counted = [BatchCounts(self._update.id, batch, counts) for batch, counts in self._counts.items()]
        if any(self.flow.target.name not in one.counts for one in counted):
            return {}  # a sum without one of its batches would be taken for the whole
        return self._nothing() | idle_streams.summed(counted)

    def _has_nothing_new(self) -> bool:
        return not self._counts and idle_streams.has_nothing_new(self._update.plan, self.flow, self._checkpoint)

    def stop(self) -> None:
        """Stop the query; committed batches stay."""
        super().stop()
        if self._started.done():
            with suppress(Exception):  # of a query that is just ending
                self._started.result().stop()

    def _start(self) -> StreamingQuery:
        name = self._update.plan.engine.full_name(self.flow.target)
        name += "" if self.flow.name == self.flow.target.name else f".{self.flow.name}"
        writer = self._frame().writeStream.queryName(name)
        writer = writer.option("checkpointLocation", self._checkpoint.path).trigger(availableNow=True)
        with _settings(self._update.session, self.flow.spark_conf):
            return self._to_target(writer).start()

    def _to_target(self, writer: Any) -> Any:
        return writer.foreachBatch(self._batches)

    def _take(self, batch: DataFrame, number: int) -> None:
        self._write(batch, number)
        query = self._started.result(OBSERVATION_TIMEOUT)
        self._keep(number, expectations.counts(observed_so_far(self._update.session, query)))

    def _write(self, batch: DataFrame, number: int) -> None:
        """Append a batch; a batch that the table already has is only run for its counts and the stream's state."""
        application = str(self._started.result(OBSERVATION_TIMEOUT).id)
        may_be_there, self._is_first_batch = self._is_first_batch, False  # only a run's first batch may be a replay
        if may_be_there and self._update.plan.engine.committed_batch(self.flow.target, application) >= number:
            batch.write.format("noop").mode("overwrite").save()
            return
        self._append(batch, application, number)

    def _keep(self, number: int, counts: Mapping[str, Counts]) -> None:
        idle_streams.write(self._checkpoint, BatchCounts(self._update.id, number, counts))
        self._counts[number] = counts
        self._update.on_batch(self.flow.name, counts)


class ChangesRun(StreamRun):
    """A change flow: each batch is merged into the target."""

    def _write(self, batch: DataFrame, number: int) -> None:
        batch = batch.persist()  # a merge reads it more than once, and it is counted once
        try:
            flow = cast(ChangeFlow, self.flow.definition)
            auto_cdc.merge_changes(self._update.session, flow, batch, number, self._table)
        finally:
            batch.unpersist()


class SinkRun(StreamRun):
    """A flow into a sink: a function of each batch, or what Spark's own writer of that format writes."""

    def _has_nothing_new(self) -> bool:
        return False  # what it has read is known from the query's reports

    def _counted(self, query: StreamingQuery) -> dict[str, Counts]:
        return {self.flow.target.name: Counts(sum(report.numInputRows for report in query.recentProgress))}

    def _to_target(self, writer: Any) -> Any:
        if self.flow.target.take_batch is not None:
            return super()._to_target(writer)
        return writer.format(self.flow.target.format).options(**self.flow.target.options)

    def _take(self, batch: DataFrame, number: int) -> None:
        self.flow.target.take_batch(batch, number)


class JobsRun(FlowRun):
    """A flow that is not a stream; its Spark jobs are in a group of its name, by which they can be cancelled."""

    def _begin(self) -> None:
        context = self._update.session.sparkContext
        context.setJobGroup(self._group, f"{self.flow.name} {self.flow.kind.value}", interruptOnCancel=True)

    def _counted(self) -> dict[str, Counts]:
        """Return the counts of the last write, stored until the event log has them."""
        return self._kept(self._observed())

    def _observed(self) -> dict[str, Counts]:
        metrics = self._update.writes.wait_for(expectations.observation(self.flow.target.name), OBSERVATION_TIMEOUT)
        return expectations.counts(metrics or {})

    def _kept(self, counts: dict[str, Counts]) -> dict[str, Counts]:
        idle_streams.add(self._checkpoint, self._update.id, counts)
        return counts

    def stop(self) -> None:
        """Cancel its jobs, and those that it has not started yet."""
        super().stop()
        self._update.session.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs(self._group, "the update was stopped")

    @property
    def _group(self) -> str:
        return f"{self._update.id} {self.flow.name}"


class ReplaceRun(JobsRun):
    """A materialized view: computed whole, and put in the place of its rows by one commit."""

    def run(self) -> dict[str, Counts]:
        """Replace the table; readers have the old rows until the commit.

        An unchanged view is left alone, except in a full refresh.
        """
        target = self.flow.target
        self._begin()
        frame = _cast_to_schema(self._frame(), target.schema)
        rows = ViewRows.of(self._update.plan.engine, target, self._checkpoint, frame)
        if rows.are_there and target.name not in self._update.full_refresh:
            return self._nothing()
        self._replace(frame)
        counted = self._counted()
        rows.note()
        return counted

    def _replace(self, frame: DataFrame) -> None:
        session, target = self._update.session, self.flow.target
        writer = frame.writeTo(self._table).using(target.format or "delta")
        comment = {"comment": target.comment} if target.comment else {}
        for key, value in {**target.properties, **comment, OWN_TABLE: FlowKind.REPLACE.name}.items():
            writer = writer.tableProperty(key, value)
        if target.partition_by:
            writer = writer.partitionedBy(*target.partition_by)
        if target.cluster_by:
            writer = writer.clusterBy(*target.cluster_by)
        with _settings(session, target.spark_conf):
            writer.createOrReplace()


class OnceRun(JobsRun):
    """A flow that runs once, such as a backfill: one commit has its rows and the record that it has run."""

    def run(self) -> dict[str, Counts]:
        """Append the rows, if no update has done it since the table was last empty."""
        self._begin()
        engine, application = self._update.plan.engine, f"once {self._checkpoint.path}"
        if engine.committed_batch(self.flow.target, application) >= 0:
            is_counted = self._checkpoint.is_done or idle_streams.is_something_there(self._checkpoint)
            self._checkpoint.end_once()
            return self._nothing() if is_counted else {}  # unknown: killed between the rows and their counts
        self._checkpoint.begin_once()
        rows = self._frame()
        with _settings(self._update.session, self.flow.spark_conf):
            self._append(rows, application, 0)
        counts = self._counted()
        self._checkpoint.end_once()
        return counts


class OnceChangesRun(JobsRun):
    """A change flow that runs once; changes may be merged again if an update was killed before the record."""

    def run(self) -> dict[str, Counts]:
        """Merge the changes, if no update has done it since the table was last empty."""
        self._begin()
        if self._checkpoint.is_done:
            return self._nothing()
        self._checkpoint.begin_once()
        changes = self._frame().localCheckpoint()  # a merge reads them more than once, and they are counted here
        counts = self._observed()
        flow = cast(ChangeFlow, self.flow.definition)
        auto_cdc.merge_changes(self._update.session, flow, changes, 0, self._table)
        # Under one number: what is merged again after a kill is counted once.
        idle_streams.write(self._checkpoint, BatchCounts(self._update.id, 0, counts))
        self._checkpoint.end_once()
        return counts


class SnapshotRun(JobsRun):
    """A snapshot flow: the source's current rows, or each snapshot of its function."""

    def run(self) -> dict[str, Counts]:
        """Compare the snapshots with the target, one after another."""
        session, flow = self._update.session, cast(SnapshotFlow, self.flow.definition)
        self._begin()
        rows = 0
        for frame, version in self._snapshots(flow):
            rows += auto_cdc.merge_snapshot(session, flow, frame, version, self._table)
            if self._stopped.is_set():
                break
        return self._kept({self.flow.target.name: Counts(rows)})

    def _snapshots(self, flow: SnapshotFlow) -> Iterator[tuple[DataFrame, Any]]:
        session = self._update.session
        if isinstance(flow.source, str):
            now = session.sql("SELECT current_timestamp()").first()[0]
            yield self._frame(), now
            return
        newest = auto_cdc.latest_version(session, self._table)
        while (found := flow.source(newest)) is not None:
            yield found
            newest = found[1]


def run_of(flow: FlowNode, update: RunContext) -> FlowRun:
    """Return how a flow is run."""
    if flow.target.kind is DatasetKind.SINK:
        return SinkRun(flow, update)
    if flow.is_once:
        return OnceChangesRun(flow, update) if flow.kind is FlowKind.CHANGES else OnceRun(flow, update)
    kinds: dict[FlowKind | None, Callable[[FlowNode, RunContext], FlowRun]] = {
        FlowKind.APPEND: StreamRun,
        FlowKind.CHANGES: ChangesRun,
        FlowKind.SNAPSHOT: SnapshotRun,
        FlowKind.REPLACE: ReplaceRun,
    }
    return kinds[flow.kind](flow, update)


def _cast_to_schema(frame: DataFrame, schema: Any) -> DataFrame:
    """Return the frame with the columns and types of a declared schema."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    if schema is None:
        return frame
    fields: Any = StructType.fromDDL(schema) if isinstance(schema, str) else schema

    def declared(field: StructField) -> Column:
        value = F.col(quoted(field.name)).cast(field.dataType)
        if not field.nullable:
            text = f"The column {field.name} is NOT NULL, and a row has NULL in it."
            value = F.when(value.isNotNull(), value).otherwise(F.raise_error(F.lit(text)).cast(field.dataType))
        return value.alias(field.name)

    return frame.select(*map(declared, fields))


# py4j logs a batch's error, which the update reports itself.
logging.getLogger("py4j.clientserver").addFilter(
    lambda record: not (record.exc_info and isinstance(record.exc_info[1], _BatchFailed))
)

_setting = threading.Lock()


@contextmanager
def _settings(session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Apply settings to the session while a query starts, which keeps them; one flow at a time."""
    with _setting if settings else nullcontext(), temporary_settings(session, settings):
        yield
