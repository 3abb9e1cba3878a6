"""What a cell shows of an update, without Spark and without a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from IPython.core.formatters import DisplayFormatter
from IPython.display import DisplayHandle

from declarative_pipelines import pipeline, update_graph
from declarative_pipelines.definitions.model import Dataset, DatasetKind, SourceLocation
from declarative_pipelines.updates.results import (
    DatasetResult,
    FlowProgress,
    GraphKnown,
    Observer,
    Progress,
    State,
    Update,
    UpdateChanged,
)
from streaming_base import front_end


class Notebook:
    """A notebook with a cell that runs: what is shown below it."""

    cell: tuple[str | None, str | None] = ("cell", "first run")
    outputs: list[dict[str, str]]

    def __init__(self) -> None:
        self.outputs = []

    def display(self, bundle: dict[str, str], **options: Any) -> DisplayHandle:
        location, handle = len(self.outputs), DisplayHandle()
        self.outputs.append(bundle)
        handle.update = lambda bundle, raw: self.outputs.__setitem__(location, bundle)  # type: ignore[method-assign]
        return handle

    def last_value(self, value: object) -> dict[str, Any]:
        """Return what IPython shows of a cell's last value."""
        data, _metadata = DisplayFormatter().format(value)
        return data


@pytest.fixture(params=["with a person", "without"])
def notebook(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Notebook:
    made = Notebook()
    monkeypatch.setattr("IPython.display.display", made.display)
    monkeypatch.setattr(update_graph, "refresh", lambda view: None)
    monkeypatch.setattr(front_end, "in_notebook", lambda: True)
    monkeypatch.setattr(front_end, "is_interactive", lambda: request.param == "with a person")
    monkeypatch.setattr(front_end, "running_cell", lambda: made.cell)
    return made


def update(told: Observer) -> Update:
    """An update of one table."""
    told(UpdateChanged(State.QUEUED, 0.0))
    told(GraphKnown((Dataset("silver", DatasetKind.STREAMING_TABLE, SourceLocation("", 0)),), ()))
    told(UpdateChanged(State.RUNNING, 0.5))
    told(FlowProgress("silver", "silver", State.COMPLETED, {}, 1.0))
    told(UpdateChanged(State.COMPLETED, 2.0))
    dataset = DatasetResult("silver", DatasetKind.STREAMING_TABLE, State.COMPLETED, 0, 0, 1.0)
    return Update("id", "shop", State.COMPLETED, (dataset,), (), (), 2.0)


def failing(told: Observer) -> Update:
    """An update of one flow that fails, and one behind it."""
    told(UpdateChanged(State.FAILED, 2.0))
    error = ValueError("no such file: a.json")
    flows = (FlowProgress("silver", "silver", State.FAILED, error=error), FlowProgress("gold", "gold", State.SKIPPED))
    return Update("id", "shop", State.FAILED, (), flows, (), 2.0, error)


def nobody(progress: Progress) -> None:
    """Observe nothing."""


def run(observer: Observer = nobody, what: Callable[[Observer], Update] = update) -> Update:
    return update_graph.run_and_show(what, "shop", False, observer)


def test_a_cell_shows_it_once_whether_or_not_the_update_is_its_last_value(notebook: Notebook) -> None:
    done = run()
    [output] = notebook.outputs
    assert "silver" in output["text/plain"] and "completed" in output["text/plain"]
    assert notebook.last_value(done) == {}
    notebook.cell = ("another", "second run")
    assert notebook.last_value(done) == output


def test_in_plain_python_nothing_is_shown_and_the_update_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("IPython.display.display", lambda *_, **__: pytest.fail("something was shown"))
    done = run()
    assert done.drawn is None
    assert "silver   streaming table  COMPLETED" in repr(done)
    assert done._repr_mimebundle_() == {"text/plain": repr(done)}


def test_an_update_that_is_interrupted_is_shown_as_stopped(notebook: Notebook) -> None:
    def interrupted(told: Observer) -> Update:
        told(UpdateChanged(State.RUNNING, 0.5))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(what=interrupted)
    [output] = notebook.outputs
    assert "stopped" in output["text/html"]


def test_updates_one_after_another_have_one_graph(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "run_pipeline", run)
    done = pipeline.run_continuously(updates=3, every=0)
    assert len(notebook.outputs) == 1
    assert notebook.last_value(done) == {}
    run()
    assert len(notebook.outputs) == 2


def test_a_failed_update_says_so_on_stderr_where_nobody_looks_at_its_picture(
    notebook: Notebook, capsys: pytest.CaptureFixture[str]
) -> None:
    run(what=failing)
    said = capsys.readouterr().err
    if front_end.is_interactive():
        assert said == ""
    else:
        assert said == "Update of shop FAILED. no such file: a.json Skipped behind it: gold.\n"
    update_graph.run_and_show(failing, "shop", True, nobody)  # a wrong plan is the result of a dry run
    assert capsys.readouterr().err == ""
