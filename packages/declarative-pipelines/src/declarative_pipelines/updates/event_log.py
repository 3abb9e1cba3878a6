"""The event log: a Delta table with the columns of the platform's event log, one commit per update.

It is in the pipeline's storage at ``system/events``. Each update appends its events in one commit, so an update is in
the log whole or not at all.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import Dataset
from declarative_pipelines.engine.storage import Storage
from declarative_pipelines.planning.expectations import Counts
from declarative_pipelines.updates.results import State, lost_counts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = """
id STRING, sequence STRUCT<data_plane_id: STRUCT<instance: STRING, seq_no: BIGINT>, control_plane_seq_no: BIGINT>,
origin STRUCT<pipeline_id: STRING, pipeline_name: STRING, pipeline_type: STRING, update_id: STRING,
  dataset_name: STRING, flow_name: STRING, flow_id: STRING, batch_id: BIGINT>,
timestamp TIMESTAMP, message STRING, level STRING, maturity_level STRING,
error STRUCT<fatal: BOOLEAN, exceptions: ARRAY<STRUCT<class_name: STRING, message: STRING>>>,
details STRING, event_type STRING
"""
_FOLDER = ("system", "events")
_RUNNING = ("system", "running")
# Smallest and largest values of each column of each file: for a log this small they cost more than the rows.
_NO_STATISTICS = "delta.dataSkippingNumIndexedCols"


@dataclass(frozen=True)
class EventRow:
    """One event; ``update`` is its update if that is not the one that writes it."""

    type: str
    message: str
    details: Mapping[str, Any]
    level: str = "INFO"
    dataset: str | None = None
    flow: str | None = None
    error: Exception | None = None
    update: str | None = None
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True)
class EventLog:
    """The event log of a pipeline."""

    storage: Storage
    pipeline: str

    def frame(self) -> DataFrame:
        """Return all events, with the columns of the platform."""
        return self.storage.session.read.format("delta").load(self.storage.path(*_FOLDER))

    @property
    def exists(self) -> bool:
        """Whether there was an update."""
        return self.storage.exists(*_FOLDER, "_delta_log")

    def updates(self) -> set[str]:
        """Return the updates that it has."""
        if not self.exists:
            return set()
        return {row[0] for row in self.frame().select("origin.update_id").distinct().collect()}

    def running(self) -> tuple[str, ...]:
        """Return the updates that have begun and not ended, which were killed if another one begins."""
        return tuple(self.storage.read(*_RUNNING).split()) if self.storage.exists(*_RUNNING) else ()

    def begin(self, update: str) -> None:
        """Record that an update begins, beside those that were killed."""
        self.storage.write("\n".join([*self.running(), update]), *_RUNNING)

    def end(self) -> None:
        """Record that the update's events, and those of killed updates, are in the log."""
        self.storage.remove(*_RUNNING)

    def append(self, update: str, events: Sequence[EventRow]) -> None:
        """Append the events of an update, all or none."""
        session = self.storage.session
        identity = str(uuid.uuid5(uuid.NAMESPACE_URL, self.storage.root))
        rows = [self._row(number, event, update, identity) for number, event in enumerate(events)]
        frame = session.createDataFrame(rows, SCHEMA).coalesce(1)
        writer = frame.write.format("delta").mode("append").option(_NO_STATISTICS, "0")
        writer.save(self.storage.path(*_FOLDER))

    def _row(self, number: int, event: EventRow, update: str, identity: str) -> tuple[Any, ...]:
        seen = event.timestamp
        flow = None if event.flow is None else str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.storage.root} {event.flow}"))
        about = event.update or update
        return (
            str(uuid.uuid4()),
            ((update, number), int(seen.timestamp() * 1_000_000)),
            (identity, self.pipeline, "WORKSPACE", about, event.dataset, event.flow, flow, None),
            seen,
            event.message,
            event.level,
            "STABLE",
            _error(event.error),
            json.dumps({event.type: event.details}),
            event.type,
        )


def flow_progress(
    flow: str,
    dataset: str,
    status: str,
    counts: Mapping[str, Counts],
    datasets: Iterable[Dataset],
    error: Exception | None = None,
    update: str | None = None,
) -> EventRow:
    """Return the event of a flow's new state, with its counts."""
    details: dict[str, Any] = {"status": status}
    if dataset in counts:
        details["metrics"] = {"num_output_rows": counts[dataset].written}
        details["data_quality"] = {
            "dropped_records": sum(one.dropped for one in counts.values()),
            "expectations": [
                {
                    "name": expectation.name,
                    "dataset": one.name,
                    "passed_records": counts[one.name].records - failed,
                    "failed_records": failed,
                }
                for one in datasets
                if one.name in counts
                for expectation, failed in zip(one.expectations, counts[one.name].failed, strict=False)
            ],
        }
    lost = lost_counts(flow, dataset, State(status), counts)
    message = f"Flow {flow!r} is {status}. {lost}".rstrip()
    level = "ERROR" if error is not None else "WARN" if lost else "INFO"
    return EventRow("flow_progress", message, details, level, dataset, flow, error, update)


def _error(error: Exception | None) -> tuple[Any, ...] | None:
    if error is None:
        return None
    chain: list[tuple[str, str]] = []
    found: BaseException | None = error
    while found is not None and len(chain) < 5:
        chain.append((type(found).__name__, str(found)[:10_000]))
        found = found.__cause__
    return True, chain
