"""Batch counts of a flow, kept beside its checkpoint until they are in the event log.

A batch's counts are written after its rows are in the table and before Spark's checkpoint says that the batch is done.
A crash in between makes Spark run the batch again; the table has its rows already, so it is run to nowhere, and its
counts are written again under the same number.  So there is one file for each batch, however often it is run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from declarative_pipelines.engine.checkpoints import Checkpoint
from declarative_pipelines.planning.expectations import Counts

_FOLDER, _ENDING = "_counts", ".json"


@dataclass(frozen=True)
class BatchCounts:
    """What one batch has counted, by dataset: the target, and the views on the way to it."""

    update: str
    batch: int
    counts: Mapping[str, Counts]


def write(checkpoint: Checkpoint, counted: BatchCounts) -> None:
    """Keep a batch's counts; what an earlier run of the batch has written is replaced."""
    counts = {dataset: asdict(one) for dataset, one in counted.counts.items()}
    text = json.dumps({"update": counted.update, "counts": counts})
    checkpoint.storage.write(text, *checkpoint.folder, _FOLDER, f"{counted.batch}{_ENDING}")


def add(checkpoint: Checkpoint, update: str, counts: Mapping[str, Counts]) -> None:
    """Keep what a flow without numbered batches has counted, beside what another update may have left."""
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


def summed(batches: Iterator[BatchCounts] | list[BatchCounts]) -> dict[str, Counts]:
    """Return the counts of several batches together."""
    total: dict[str, Counts] = {}
    for batch in batches:
        for dataset, counts in batch.counts.items():
            total[dataset] = total.get(dataset, Counts()) + counts
    return total


def is_something_there(checkpoint: Checkpoint) -> bool:
    """Whether there are counts that the event log may not have."""
    return bool(checkpoint.storage.names(*checkpoint.folder, _FOLDER))


def _numbers(checkpoint: Checkpoint) -> list[int]:
    names = checkpoint.storage.names(*checkpoint.folder, _FOLDER)
    return [int(name.removesuffix(_ENDING)) for name in names if name.endswith(_ENDING)]
