"""Materialized views that would come out as they are: the same query over the same versions of the same tables.

What a view's rows were computed from is noted beside its flow's checkpoint once they are in its table, together with
the table's version.  A view is left as it is only where the note says the same as what an update finds; a view whose
plan has no fingerprint, a table that somebody else has written to, and a note that was not written are reasons to
compute it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import Dataset
from declarative_pipelines.engine.checkpoints import Checkpoint
from declarative_pipelines.engine.plan_fingerprint import fingerprint
from declarative_pipelines.engine.spark_engine import SparkEngine, TableVersion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NOTE = "_computed_from"
_SAID_OF_TABLE = ("schema", "properties", "comment", "format", "partition_by", "cluster_by", "spark_conf")


@dataclass(frozen=True)
class ViewRows:
    """The rows that a view is to have, by what they are computed from.

    Parameters
    ----------
    computed_from
        The fingerprint of the query, its inputs and the table's definition; None where the query has none.
    before
        The table as it is before they are written; None where there is none.
    """

    engine: SparkEngine
    target: Dataset
    checkpoint: Checkpoint
    computed_from: str | None
    before: TableVersion | None

    @classmethod
    def of(cls, engine: SparkEngine, target: Dataset, checkpoint: Checkpoint, frame: DataFrame) -> ViewRows:
        """Look at the query and at the table."""
        found = fingerprint(frame)
        if found is not None:
            said = repr([getattr(target, name) for name in _SAID_OF_TABLE])
            found = hashlib.sha256(f"{found} {said}".encode()).hexdigest()
        return cls(engine, target, checkpoint, found, engine.newest_version(target) if found else None)

    @property
    def are_there(self) -> bool:
        """Whether the table has them, and nothing else."""
        return self.before is not None and self._noted() == [self.computed_from, *self.before]

    def note(self) -> None:
        """Note that they are in the table now, by a commit of this update; nothing where another one came between."""
        if self.computed_from is None:
            return
        now = self.engine.newest_version(self.target)
        if now is not None and now.number == (0 if self.before is None else self.before.number + 1):
            said = json.dumps([self.computed_from, *now])
            self.checkpoint.storage.write(said, *self.checkpoint.folder, _NOTE)

    def _noted(self) -> list[object]:
        storage, place = self.checkpoint.storage, (*self.checkpoint.folder, _NOTE)
        try:
            return list(json.loads(storage.read(*place))) if storage.exists(*place) else []
        except (ValueError, TypeError):  # cut off by a crash
            return []
