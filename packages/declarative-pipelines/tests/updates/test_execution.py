"""A flow whose source has found new columns is restarted; any other failure is tried again as often as was asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from declarative_pipelines.definitions.model import Dataset, DatasetKind, SourceLocation
from declarative_pipelines.planning.flow_nodes import FlowKind, FlowNode
from declarative_pipelines.updates import execution
from declarative_pipelines.updates.execution import Execution
from declarative_pipelines.updates.results import FlowProgress, State

GROWN = "[UNKNOWN_FIELD_EXCEPTION] unknown fields: [city], which can be fixed by an automatic retry: true"
FIXED = "[UNKNOWN_FIELD_EXCEPTION] unknown fields: [city], which can be fixed by an automatic retry: false"


class FailingRun:
    """A flow's run that ends with one error after another, and then well."""

    after: frozenset[str] = frozenset()

    def __init__(self, errors: list[str]) -> None:
        table = Dataset("orders", DatasetKind.STREAMING_TABLE, SourceLocation("pipeline.py", 1))
        self.flow, self._errors = FlowNode("orders", table, FlowKind.APPEND, table), errors

    def run(self) -> dict[str, object]:
        if self._errors:
            raise RuntimeError(self._errors.pop(0))
        return {}

    def stop(self) -> None: ...


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FlowProgress]:
    monkeypatch.setattr(execution, "FIRST_PAUSE", 0.01)

    def execute(errors: list[str], retries: int = 0) -> FlowProgress:
        runs = [FailingRun(errors)]
        [result] = Execution(runs, 1, retries, lambda progress: None, lambda: None).run()  # type: ignore[arg-type]
        return result

    return execute


@pytest.mark.parametrize(
    ("errors", "retries", "state", "attempts"),
    [
        ([GROWN, GROWN], 0, State.COMPLETED, 3),
        ([FIXED], 0, State.FAILED, 1),
        (["disk full"], 0, State.FAILED, 1),
        (["disk full", GROWN, "disk full"], 1, State.FAILED, 3),
        (["disk full", GROWN], 1, State.COMPLETED, 3),
        ([GROWN] * 50, 0, State.FAILED, execution.RESTARTS + 1),
    ],
)
def test_restarts_are_no_retries(
    executed: Callable[..., FlowProgress], errors: list[str], retries: int, state: State, attempts: int
) -> None:
    result = executed(errors, retries)
    assert (result.state, result.attempts) == (state, attempts)
