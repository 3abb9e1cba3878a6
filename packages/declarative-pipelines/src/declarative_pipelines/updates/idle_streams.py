"""Flows with nothing to do, and the counts of batches.

A stream has nothing to do where its checkpoint says that it has read its Delta tables to the end.

To start a query, let it look at its sources and end takes longer than a small batch.  What a checkpoint and the tables'
newest versions say is read in milliseconds.  A stream is left out only where nothing but new rows could make it do
something: it has no state, its last batch was committed, and each of its sources is a Delta table at the version where
it stopped.  In all other cases, and wherever something is not understood, the query is started.

What a view's rows were computed from is noted beside its flow's checkpoint once they are in its table, together with
the table's version.  A view is left as it is only where the note says the same as what an update finds; a view whose
plan has no fingerprint, a table that somebody else has written to, and a note that was not written are reasons to
compute it.

A batch's counts are written after its rows are in the table and before Spark's checkpoint says that the batch is done.
A crash in between makes Spark run the batch again; the table has its rows already, so it is run to nowhere, and its
counts are written again under the same number.  So there is one file for each batch, however often it is run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import Dataset
from declarative_pipelines.engine.plan_fingerprint import fingerprint
from declarative_pipelines.engine.spark_engine import SparkEngine, TableVersion
from declarative_pipelines.engine.storage import Checkpoint
from declarative_pipelines.updates.expectations import Counts
from declarative_pipelines.updates.flow_nodes import FlowNode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from declarative_pipelines.updates.plan import PipelinePlan

_FOLDER, _ENDING = "_counts", ".json"


@dataclass(frozen=True)
class BatchCounts:
    """The counts of one batch, by dataset: the target, and the views on the way to it."""

    update: str
    batch: int
    counts: Mapping[str, Counts]


def write(checkpoint: Checkpoint, counted: BatchCounts) -> None:
    """Store a batch's counts, in place of those of an earlier run of the batch."""
    counts = {dataset: asdict(one) for dataset, one in counted.counts.items()}
    text = json.dumps({"update": counted.update, "counts": counts})
    checkpoint.storage.write(text, *checkpoint.folder, _FOLDER, f"{counted.batch}{_ENDING}")


def add(checkpoint: Checkpoint, update: str, counts: Mapping[str, Counts]) -> None:
    """Store the counts of a flow without numbered batches, beside those of another update."""
    write(checkpoint, BatchCounts(update, max(_numbers(checkpoint), default=-1) + 1, counts))


def read(checkpoint: Checkpoint) -> Iterator[BatchCounts]:
    """Yield the counts that the event log has not yet."""
    for number in sorted(_numbers(checkpoint)):
        said = json.loads(checkpoint.storage.read(*checkpoint.folder, _FOLDER, f"{number}{_ENDING}"))
        counts = {
            dataset: Counts(one["records"], one["dropped"], tuple(one["failed"]))
            for dataset, one in said["counts"].items()
        }
        yield BatchCounts(said["update"], number, counts)


def forget(checkpoint: Checkpoint) -> None:
    """Remove the counts: the event log has them."""
    if checkpoint.storage.exists(*checkpoint.folder, _FOLDER):
        checkpoint.storage.remove(*checkpoint.folder, _FOLDER)


def summed(batches: Iterable[BatchCounts]) -> dict[str, Counts]:
    """Return the counts of several batches together."""
    total: dict[str, Counts] = {}
    for batch in batches:
        for dataset, counts in batch.counts.items():
            total[dataset] = total.get(dataset, Counts()) + counts
    return total


def is_something_there(checkpoint: Checkpoint) -> bool:
    """Whether counts are stored that the event log may lack."""
    return bool(checkpoint.storage.names(*checkpoint.folder, _FOLDER))


def _numbers(checkpoint: Checkpoint) -> list[int]:
    names = checkpoint.storage.names(*checkpoint.folder, _FOLDER)
    return [int(name.removesuffix(_ENDING)) for name in names if name.endswith(_ENDING)]


_NOTE = "_computed_from"
_SAID_OF_TABLE = ("schema", "properties", "comment", "format", "partition_by", "cluster_by", "spark_conf")


@dataclass(frozen=True)
class ViewRows:
    """The rows of a view: the fingerprint of its query, inputs and definition, and the table before the write."""

    engine: SparkEngine
    target: Dataset
    checkpoint: Checkpoint
    computed_from: str | None
    before: TableVersion | None

    @classmethod
    def of(cls, engine: SparkEngine, target: Dataset, checkpoint: Checkpoint, frame: DataFrame) -> ViewRows:
        """Return the state of a query and its table."""
        found = fingerprint(frame)
        if found is not None:
            said = repr([getattr(target, name) for name in _SAID_OF_TABLE])
            found = hashlib.sha256(f"{found} {said}".encode()).hexdigest()
        return cls(engine, target, checkpoint, found, engine.newest_version(target) if found else None)

    @property
    def are_there(self) -> bool:
        """Whether the table has them, and nothing else."""
        storage, note = self.checkpoint.storage, (*self.checkpoint.folder, _NOTE)
        if self.before is None or not storage.exists(*note):
            return False
        return storage.read(*note) == json.dumps([self.computed_from, *self.before])

    def note(self) -> None:
        """Record that the table has the rows, unless another commit came between."""
        if self.computed_from is None:
            return
        now = self.engine.newest_version(self.target)
        if now is not None and now.number == (0 if self.before is None else self.before.number + 1):
            said = json.dumps([self.computed_from, *now])
            self.checkpoint.storage.write(said, *self.checkpoint.folder, _NOTE)


_FORMAT = "v1"
# Where Delta's source stops when it has read a version to its end: before the first file of the next one.
_BEFORE_FIRST_FILE = (-1, -100)


def has_nothing_new(plan: PipelinePlan, flow: FlowNode, checkpoint: Checkpoint) -> bool:
    """Whether a stream can be skipped."""
    offsets = _last_offsets(checkpoint)
    if not offsets:
        return False
    datasets, tables = plan.reads(flow)
    own = (plan.engine.full_name(one) for one in plan.definitions.datasets if one.name in datasets)
    versions = plan.engine.newest_versions({*tables, *own})
    return all(_is_at_end(offset, versions) for offset in offsets)


def _last_offsets(checkpoint: Checkpoint) -> list[Any]:
    """Return where each source stopped; nothing where the stream has state, or may repeat its last batch."""
    storage, folder = checkpoint.storage, checkpoint.folder
    batches = [int(name) for name in storage.names(*folder, "offsets") if name.isdigit()]
    if not batches or storage.exists(*folder, "state") or not storage.exists(*folder, "commits", str(max(batches))):
        return []
    form, _, *offsets = storage.read(*folder, "offsets", str(max(batches))).splitlines()
    try:
        return [json.loads(offset) for offset in offsets] if form == _FORMAT else []
    except ValueError:
        return []


def _is_at_end(offset: Any, versions: Mapping[str, int]) -> bool:
    if not isinstance(offset, dict) or offset.get("reservoirId") not in versions:
        return False
    next_version = versions[offset["reservoirId"]] + 1
    is_before_it = offset.get("reservoirVersion") == next_version and offset.get("index") in _BEFORE_FIRST_FILE
    return is_before_it and offset.get("isStartingVersion") is False
