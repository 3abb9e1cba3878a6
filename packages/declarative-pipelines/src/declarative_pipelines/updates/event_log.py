"""The event log of a pipeline, and the record of an update that is appended to it.

The log is a Delta table with the columns of the platform's event log, in the pipeline's storage at ``system/events``.
Each update appends its events in one commit, so an update is in the log whole or not at all.  Counts that an update
left over, because it was killed, are put into the log by the next one, as those of the killed update.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.queries import FILES
from declarative_pipelines.engine.storage import Checkpoint, Storage
from declarative_pipelines.updates import idle_streams
from declarative_pipelines.updates.flow_nodes import FlowKind, Selection
from declarative_pipelines.updates.plan import PipelinePlan
from declarative_pipelines.updates.results import (
    DatasetResult,
    ExpectationResult,
    FlowProgress,
    GraphKnown,
    State,
    Update,
    worst_state,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from declarative_pipelines.engine.storage import PipelineLocation

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

    def updates(self) -> set[str]:
        """Return the updates that it has."""
        if not self.storage.exists(*_FOLDER, "_delta_log"):
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
            None if event.error is None else (True, _causes(event.error)),
            json.dumps({event.type: event.details}),
            event.type,
        )


def _causes(error: BaseException) -> list[tuple[str, str]]:
    """Return an error and its causes, as class and message."""
    chain: list[tuple[str, str]] = []
    found: BaseException | None = error
    while found is not None and len(chain) < 5:
        chain.append((type(found).__name__, str(found)[:10_000]))
        found = found.__cause__
    return chain


_FLOW_TYPES = {
    FlowKind.APPEND: "INCREMENTAL",
    FlowKind.REPLACE: "COMPLETE",
    FlowKind.CHANGES: "CHANGE",
    FlowKind.SNAPSHOT: "SNAPSHOT_CHANGE",
    FlowKind.VIEW: "VIEW",
}
_STATES = (State.RUNNING, State.COMPLETED, State.FAILED, State.SKIPPED, State.STOPPED)


class UpdateRecord:
    """The events of one update, kept until it has ended."""

    def __init__(self, update: str, log: EventLog, asked: Selection) -> None:
        self._update, self._log = update, log
        self._plan: PipelinePlan | None = None
        self._checkpoints: Mapping[str, Checkpoint] = {}
        self._left: dict[str, list[Checkpoint]] = {}
        self._killed: tuple[str, ...] = ()
        details = {"full_refresh": asked.full_refresh_all, "full_refresh_selection": sorted(asked.full_refresh)}
        details["refresh_selection"] = sorted(asked.refresh)
        self._events = [EventRow("create_update", f"Update {update[:8]} was started.", details)]

    def graph(self, plan: PipelinePlan) -> GraphKnown:
        """Record the plan, and return its event for observers."""
        self._plan = plan
        for flow in plan.flows:
            details = {
                "output_dataset": flow.target.name,
                "input_datasets": sorted(plan.inputs[flow.name] | plan.tables[flow.name]),
                "flow_type": _FLOW_TYPES[flow.kind],
                "comment": flow.target.comment,
            }
            message = f"Flow {flow.name!r} is defined."
            self._events.append(EventRow("flow_definition", message, details, "INFO", flow.target.name, flow.name))
        return GraphKnown(
            tuple(replace(one, kind=plan.kinds[one.name]) for one in plan.definitions.datasets), tuple(plan.edges)
        )

    def notice_left_over(self, checkpoints: Mapping[str, Checkpoint]) -> None:
        """Find killed updates, and the counts that they have left, also beside an earlier checkpoint."""
        self._checkpoints = checkpoints
        for flow, checkpoint in checkpoints.items():
            with_counts = filter(idle_streams.is_something_there, [*checkpoint.earlier(), checkpoint])
            self._left[flow] = list(with_counts)
        self._killed = self._log.running()
        self._log.begin(self._update)

    def flow_changed(self, flow: FlowProgress) -> None:
        """Record a flow's new state; single batches are not recorded."""
        if flow.state in _STATES and not (flow.state is State.RUNNING and flow.counts):
            self._events.append(self._flow_progress(flow))

    def keep(self, update: Update) -> None:
        """Append the events to the log, and forget the counts that are in it now."""
        self._events += self._left_over() if self._killed or any(self._left.values()) else []
        message = f"Update {self._update[:8]} is {update.state.value}."
        level = "INFO" if update.error is None else "ERROR"
        details = {"state": update.state.value}
        self._events.append(EventRow("update_progress", message, details, level, error=update.error))
        self._log.append(self._update, self._events)
        if self._checkpoints:  # it has run flows, and looked before that whether another one was killed
            self._log.end()
        for flow, checkpoint in self._checkpoints.items():
            for one in {checkpoint, *self._left.get(flow, ())}:
                idle_streams.forget(one)

    def _left_over(self) -> list[EventRow]:
        """Return the counts of updates that were killed before the log had them, and that they were killed."""
        known = self._log.updates()
        found: dict[tuple[str, str], list[idle_streams.BatchCounts]] = {}
        for flow, checkpoints in self._left.items():
            for batch in (batch for checkpoint in checkpoints for batch in idle_streams.read(checkpoint)):
                if batch.update != self._update and batch.update not in known:
                    found.setdefault((batch.update, flow), []).append(batch)
        targets = {} if self._plan is None else {flow.name: flow.target.name for flow in self._plan.flows}
        events = []
        for (update, flow), batches in found.items():
            stopped = FlowProgress(flow, targets[flow], State.STOPPED, idle_streams.summed(batches))
            events.append(self._flow_progress(stopped, update))
        for update in self._killed:
            if update not in known:
                message = (
                    f"Update {update[:8]} was killed. What it has counted is in its other events; the rest is unknown."
                )
                details = {"state": State.STOPPED.value}
                events.append(EventRow("update_progress", message, details, "WARN", update=update))
        return events

    def _flow_progress(self, flow: FlowProgress, update: str | None = None) -> EventRow:
        """Return the event of a flow's new state, with its counts."""
        assert self._plan is not None  # flows run after the plan is made
        counts = flow.counts
        details: dict[str, Any] = {"status": flow.state.value}
        if flow.dataset in counts:
            details["metrics"] = {"num_output_rows": flow.rows}
            details["data_quality"] = {
                "dropped_records": sum(one.dropped for one in counts.values()),
                "expectations": [
                    {
                        "name": expectation.name,
                        "dataset": one.name,
                        "passed_records": counts[one.name].records - failed,
                        "failed_records": failed,
                    }
                    for one in self._plan.definitions.datasets
                    if one.name in counts
                    for expectation, failed in zip(one.expectations, counts[one.name].failed, strict=False)
                ],
            }
        message = f"Flow {flow.name!r} is {flow.state.value}. {flow.lost_counts}".rstrip()
        level = "ERROR" if flow.error is not None else "WARN" if flow.lost_counts else "INFO"
        return EventRow("flow_progress", message, details, level, flow.dataset, flow.name, flow.error, update)


def result(
    identity: str,
    location: PipelineLocation,
    state: State,
    plan: PipelinePlan | None,
    flows: Sequence[FlowProgress],
    seconds: float,
    error: Exception | None,
    is_dry: bool,
) -> Update:
    """Return an update as a value."""
    # What a call of read_files has become is nobody's dataset.
    named = [] if plan is None else [one.name for one in plan.definitions.datasets if not one.name.startswith(FILES)]
    datasets = tuple(_dataset(plan, name, flows) for name in named)
    expectations = () if plan is None else tuple(_expectations(plan, flows))
    root = location.storage.root
    return Update(identity, location.name, state, datasets, tuple(flows), expectations, seconds, error, is_dry, root)


def _dataset(plan: PipelinePlan, name: str, flows: Sequence[FlowProgress]) -> DatasetResult:
    own = [flow for flow in flows if flow.dataset == name]
    are_lost = any(flow.lost_counts for flow in own)
    counts = [flow.counts[name] for flow in own if name in flow.counts]
    rows = sum(one.written for one in counts) if counts and not are_lost else None
    dropped = None if are_lost else sum(one.dropped for one in counts)
    state = worst_state(flow.state for flow in own)
    seconds = max((flow.seconds for flow in own), default=0.0)
    return DatasetResult(name, plan.kinds[name], state, rows, dropped, seconds)


def _expectations(plan: PipelinePlan, flows: Sequence[FlowProgress]) -> Iterator[ExpectationResult]:
    for dataset in plan.definitions.datasets:
        for flow in flows:
            counts = flow.counts.get(dataset.name)
            is_lost = counts is None and flow.dataset == dataset.name and bool(flow.lost_counts)
            unknown = (None,) * len(dataset.expectations) if is_lost else ()
            for expectation, failed in zip(dataset.expectations, counts.failed if counts else unknown, strict=False):
                passed = None if counts is None else counts.records - failed
                yield ExpectationResult(
                    dataset.name, expectation.name, expectation.violation, flow.name, passed, failed
                )
