"""What an update did: the value that is returned, and the events that go into the log.

Counts that an update left over, because it was killed, are put into the log here as that update's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from declarative_pipelines.engine.checkpoints import Checkpoint
from declarative_pipelines.planning.flow_nodes import FlowKind, FlowNode
from declarative_pipelines.planning.plan import PipelinePlan
from declarative_pipelines.planning.selection import Selection
from declarative_pipelines.sql.queries import FILES
from declarative_pipelines.updates import idle_streams
from declarative_pipelines.updates.event_log import EventLog, EventRow, flow_progress
from declarative_pipelines.updates.results import (
    DatasetNode,
    DatasetResult,
    ExpectationResult,
    FlowChanged,
    FlowResult,
    GraphKnown,
    State,
    Update,
)

if TYPE_CHECKING:
    from declarative_pipelines.engine.storage import PipelineLocation

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
        self._events += [_definition(plan, flow) for flow in plan.flows]
        if plan.engine.lost_answers:
            self._events.append(_lost_answers(plan.engine.lost_answers))
        return GraphKnown(
            tuple(
                DatasetNode(one.name, plan.kinds[one.name], one.expectations, one.comment)
                for one in plan.definitions.datasets
            ),
            {flow.name: flow.target.name for flow in plan.flows},
            tuple((edge.source, edge.target) for edge in plan.edges),
        )

    def notice_left_over(self, checkpoints: Mapping[str, Checkpoint]) -> None:
        """Find killed updates, and the counts that they have left, also beside an earlier checkpoint."""
        self._checkpoints = checkpoints
        for flow, checkpoint in checkpoints.items():
            with_counts = filter(idle_streams.is_something_there, [*checkpoint.earlier(), checkpoint])
            self._left[flow] = list(with_counts)
        self._killed = self._log.running()
        self._log.begin(self._update)

    def flow_changed(self, changed: FlowChanged) -> None:
        """Record a flow's new state; single batches are not recorded."""
        if changed.state not in _STATES or (changed.state is State.RUNNING and changed.counts):
            return
        counts = {} if changed.state is State.RUNNING else changed.counts
        self._events.append(self._flow_progress(changed.flow, changed.state.value, counts, changed.error))

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
        counted = [
            self._flow_progress(flow, "STOPPED", idle_streams.summed(batches), None, update)
            for (update, flow), batches in found.items()
        ]
        return [*counted, *(_killed(update) for update in self._killed if update not in known)]

    def _flow_progress(self, flow, status, counts, error, update=None) -> EventRow:
        plan = self._plan
        assert plan is not None  # flows run after the plan is made
        target = next(one.target.name for one in plan.flows if one.name == flow)
        return flow_progress(flow, target, status, counts, plan.definitions.datasets, error, update)


def result(
    identity: str,
    location: PipelineLocation,
    state: State,
    plan: PipelinePlan | None,
    flows: Sequence[FlowResult],
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


def _killed(update: str) -> EventRow:
    message = f"Update {update[:8]} was killed. What it has counted is in its other events; the rest is unknown."
    return EventRow("update_progress", message, {"state": State.STOPPED.value}, "WARN", update=update)


def _lost_answers(times: int) -> EventRow:
    message = f"Spark's JVM lost the answer of a flow {times} times while the update was planned, and was asked again."
    return EventRow("engine_warning", message, {"lost_answers": times}, "WARN")


def _definition(plan: PipelinePlan, flow: FlowNode) -> EventRow:
    details = {
        "output_dataset": flow.target.name,
        "input_datasets": sorted(plan.inputs[flow.name] | plan.tables[flow.name]),
        "flow_type": _FLOW_TYPES[flow.kind],
        "comment": flow.target.comment,
    }
    return EventRow(
        "flow_definition", f"Flow {flow.name!r} is defined.", details, dataset=flow.target.name, flow=flow.name
    )


def _dataset(plan: PipelinePlan, name: str, flows: Sequence[FlowResult]) -> DatasetResult:
    own = [flow for flow in flows if flow.dataset == name]
    are_lost = any(flow.lost_counts for flow in own)
    counts = [flow.counts[name] for flow in own if name in flow.counts]
    rows = sum(one.written for one in counts) if counts and not are_lost else None
    dropped = None if are_lost else sum(one.dropped for one in counts)
    return DatasetResult(
        name, plan.kinds[name], _state(own), rows, dropped, max((flow.seconds for flow in own), default=0.0)
    )


def _state(flows: Sequence[FlowResult]) -> State:
    """Return the state of a dataset: the worst of its flows."""
    order = (State.FAILED, State.STOPPED, State.SKIPPED, State.RUNNING, State.QUEUED, State.COMPLETED)
    there = {flow.state for flow in flows}
    return next((state for state in order if state in there), State.EXCLUDED)


def _expectations(plan: PipelinePlan, flows: Sequence[FlowResult]):
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
