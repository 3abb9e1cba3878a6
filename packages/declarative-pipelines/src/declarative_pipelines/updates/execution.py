"""Runs flows in the order of the plan, several at a time, and skips those behind a failed one.

Spark's own loop empties every materialized view before it begins, knows no merges, and loses what a replayed batch has
counted; so the flows that Spark's engine has planned are run here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from declarative_pipelines.errors import PipelineError
from declarative_pipelines.planning.expectations import Counts
from declarative_pipelines.planning.flow_nodes import failed
from declarative_pipelines.updates.flow_runs import FlowRun
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
