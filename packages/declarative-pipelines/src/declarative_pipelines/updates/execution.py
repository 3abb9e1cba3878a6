"""Prepares tables and checkpoints, and runs flows in the plan's order, several at once; skips those behind a failure.

Spark's own loop empties every materialized view before it begins, knows no merges, and loses what a replayed batch
has counted; so the flows that Spark's engine has planned are run here.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, cast

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.definitions.queries import QueryText
from declarative_pipelines.engine.auto_cdc import forget_snapshots
from declarative_pipelines.engine.change_rows import forget_changes
from declarative_pipelines.engine.spark_engine import SparkEngine
from declarative_pipelines.engine.storage import Checkpoint, Storage
from declarative_pipelines.errors import BadDefinition, PipelineError, innermost_message
from declarative_pipelines.updates.expectations import Counts
from declarative_pipelines.updates.flow_nodes import OWN_TABLE, FlowKind, FlowNode, failed
from declarative_pipelines.updates.flow_runs import FlowRun
from declarative_pipelines.updates.plan import PipelinePlan
from declarative_pipelines.updates.results import FlowProgress, Observer, State

POLL_INTERVAL = 0.1  # seconds in which an interrupt is noticed at the latest
FIRST_PAUSE = 1.0  # seconds before a flow that failed is tried again; doubled each time
RESTARTS = 20  # of a flow whose source has found new columns
_NEW_COLUMNS = "which can be fixed by an automatic retry: true"  # Auto Loader's own words, and the platform's
_ENDED = (State.COMPLETED, State.FAILED, State.SKIPPED, State.EXCLUDED, State.STOPPED)


@dataclass
class _FlowStatus:
    state: State = State.QUEUED
    began: float = 0.0
    not_before: float = 0.0
    attempts: int = 0
    restarts: int = 0
    seconds: float = 0.0
    counts: Mapping[str, Counts] = field(default_factory=dict)
    error: PipelineError | None = None


class Execution:
    """One execution of some flows, ``at_once`` at a time.

    A failed flow is retried ``retries`` times, and restarted if its source has found new columns.  ``prepare`` is
    called in each thread before its first flow.
    """

    def __init__(self, runs: Sequence[FlowRun], at_once: int, retries: int, observer: Observer, prepare: Any) -> None:
        self._runs = {run.flow.name: run for run in runs}
        self._statuses = {name: _FlowStatus() for name in self._runs}
        self._at_once, self._retries, self._observer, self._prepare = at_once, retries, observer, prepare

    def run(self) -> tuple[FlowProgress, ...]:
        """Run all flows and return their results.

        KeyboardInterrupt stops all flows; :attr:`results` then has the results so far.
        """
        for name in self._runs:
            self._tell(name)
        pool = ThreadPoolExecutor(self._at_once, "pipeline", initializer=self._prepare)
        running: dict[Future[Any], str] = {}
        try:
            while any(one.state not in _ENDED for one in self._statuses.values()):
                for name in self._runs:
                    status = self._statuses[name]
                    if status.state is State.QUEUED and {State.FAILED, State.SKIPPED} & self._states_before(name):
                        self._change(name, State.SKIPPED)
                    elif len(running) < self._at_once and self._may_begin(name):
                        status.began, status.attempts = time.monotonic(), status.attempts + 1
                        self._change(name, State.RUNNING)
                        running[pool.submit(self._runs[name].run)] = name
                if not running:
                    time.sleep(POLL_INTERVAL)  # until a flow may be tried again
                for future in wait(running, POLL_INTERVAL, FIRST_COMPLETED).done:
                    self._settle(running.pop(future), future)
        except BaseException:
            self._stop()
            raise
        finally:
            pool.shutdown(wait=True)
        return self.results

    @property
    def results(self) -> tuple[FlowProgress, ...]:
        return tuple(map(self._progress, self._statuses))

    def add_counts(self, name: str, counts: Mapping[str, Counts]) -> None:
        """Record the counts of a batch; called by the flow's thread."""
        status = self._statuses[name]
        both = status.counts.keys() | counts.keys()
        status.counts = {one: status.counts.get(one, Counts()) + counts.get(one, Counts()) for one in both}
        status.seconds = time.monotonic() - status.began
        self._tell(name)

    def _states_before(self, name: str) -> set[State]:
        return {self._statuses[one].state for one in self._runs[name].after if one in self._statuses}

    def _may_begin(self, name: str) -> bool:
        status, target = self._statuses[name], self._runs[name].flow.target
        is_ready = status.state is State.QUEUED and self._states_before(name) <= {State.COMPLETED}
        # Merges of two flows into one target would be in each other's way, and so would two that make a sink's table.
        is_target_free = not any(
            one.state is State.RUNNING and self._runs[other].flow.target == target
            for other, one in self._statuses.items()
        )
        return is_ready and is_target_free and time.monotonic() >= status.not_before

    def _settle(self, name: str, future: Future[Any]) -> None:
        status = self._statuses[name]
        status.seconds = time.monotonic() - status.began
        error = future.exception()
        if error is None:
            status.counts = future.result()
            status.error = None
            self._change(name, State.COMPLETED)
            return
        status.error = failed(error, self._runs[name].flow)
        failures = status.attempts - status.restarts
        if _NEW_COLUMNS in str(error) and status.restarts < RESTARTS:
            status.restarts += 1  # at once: the source has kept its new schema, which the flow's next frame has
            self._change(name, State.QUEUED)
        elif failures <= self._retries:
            status.not_before = time.monotonic() + FIRST_PAUSE * 2 ** (failures - 1)
            self._change(name, State.QUEUED)
        else:
            self._change(name, State.FAILED)

    def _stop(self) -> None:
        """Stop all running flows; an interrupt may also come between a flow's start and its registration."""
        for name, status in self._statuses.items():
            if status.state is State.RUNNING:
                self._runs[name].stop()
            if status.state not in _ENDED:
                self._change(name, State.STOPPED)

    def _change(self, name: str, state: State) -> None:
        self._statuses[name].state = state
        self._tell(name)

    def _tell(self, name: str) -> None:
        self._observer(self._progress(name))

    def _progress(self, name: str) -> FlowProgress:
        one, target = self._statuses[name], self._runs[name].flow.target
        return FlowProgress(name, target.name, one.state, one.counts, one.seconds, one.error, one.attempts)


def choose(
    engine: SparkEngine, storage: Storage, flows: Sequence[FlowNode], full_refresh: Collection[str]
) -> dict[str, Checkpoint]:
    """Return the checkpoint of each flow, also of views, which store schemas there; nothing is changed.

    A flow begins a new checkpoint if its dataset is refreshed in full, its table is missing, or an earlier update was
    killed during its refresh.
    """
    newest = {flow.name: Checkpoint.of_flow(storage, engine.full_name(flow.target), flow.name) for flow in flows}
    new = {flow.target.name for flow in flows if _needs_new_checkpoint(engine, flow, newest[flow.name], full_refresh)}
    return {flow.name: newest[flow.name].next() if flow.target.name in new else newest[flow.name] for flow in flows}


def prepare(plan: PipelinePlan, flows: Sequence[FlowNode], chosen: Mapping[str, Checkpoint]) -> None:
    """Create the tables of the flows to run, and empty those of a full refresh."""
    for flow in flows:
        if flow.target.kind is not DatasetKind.SINK:
            _refuse_table_of_others(plan, flow, chosen)
    flows = [flow for flow in flows if flow.kind in (FlowKind.APPEND, FlowKind.CHANGES, FlowKind.SNAPSHOT)]
    for flow in flows:
        chosen[flow.name].begin()
    targets = {flow.target.name: flow.target for flow in flows if flow.target.kind is not DatasetKind.SINK}
    tables = list(targets.values())
    emptied = [table for table in tables if any(chosen[flow.name].is_new for flow in flows if flow.target == table)]
    for flow in flows:
        if flow.target in emptied and flow.kind in (FlowKind.CHANGES, FlowKind.SNAPSHOT):
            forget = forget_changes if flow.kind is FlowKind.CHANGES else forget_snapshots
            forget(plan.engine.session, plan.engine.quoted(flow.target))
    plan.engine.create_databases(plan.definitions.datasets)
    plan.graph.create_tables([one for one in tables if one not in emptied], emptied)
    for flow in flows:
        if chosen[flow.name].is_new:
            chosen[flow.name].table_is_empty()


def publish_views(plan: PipelinePlan) -> None:
    """Create or replace the views that stay in the catalog; BadDefinition if Spark rejects one."""
    for dataset in plan.definitions.datasets:
        if dataset.is_published:
            try:
                plan.engine.publish_view(dataset, cast(QueryText, dataset.query).text)
            except (PySparkException, Py4JJavaError) as error:
                problem = f"the view {dataset.name} cannot be made in the catalog: {innermost_message(error)}"
                raise BadDefinition(dataset.location, problem) from error


def _refuse_table_of_others(plan: PipelinePlan, flow: FlowNode, chosen: Mapping[str, Checkpoint]) -> None:
    """Raise BadDefinition if another writer has written the target's table, whose rows would double or get lost."""
    engine, table = plan.engine, plan.engine.quoted(flow.target)
    own = [chosen[one.name] for one in plan.flows if one.target == flow.target]
    if any(one.is_new or one.has_begun for one in own) or not engine.session.catalog.tableExists(table):
        return
    if flow.kind is FlowKind.REPLACE:
        is_own = engine.table_property(flow.target, OWN_TABLE) is not None
    else:
        is_own = flow.kind is FlowKind.SNAPSHOT or engine.session.table(table).isEmpty()
    if not is_own:
        raise BadDefinition(
            flow.location,
            f"{flow.target.name} is a table already, which this pipeline has not made. Drop it, or give one of the two "
            "another name; a pipeline continues with its own tables where its name= or storage= is as it was.",
        )


def _needs_new_checkpoint(
    engine: SparkEngine, flow: FlowNode, newest: Checkpoint, full_refresh: Collection[str]
) -> bool:
    if flow.kind is FlowKind.VIEW or flow.kind is FlowKind.REPLACE:
        return False
    if flow.target.name in full_refresh or newest.is_pending:
        return True
    in_catalog = flow.target.kind is not DatasetKind.SINK
    return in_catalog and newest.has_begun and not engine.session.catalog.tableExists(engine.quoted(flow.target))
