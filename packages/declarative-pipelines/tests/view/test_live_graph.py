from __future__ import annotations

from typing import Any

import pytest
from IPython.display import DisplayHandle

from declarative_pipelines.updates.results import State
from declarative_pipelines.view import update_graph
from declarative_pipelines.view.graph import Graph
from declarative_pipelines.view.update_graph import LiveGraph
from streaming_base import front_end

from .graphs import eight_datasets


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Output:
    """Where IPython would show it: all that was shown, and how many outputs there are."""

    def __init__(self) -> None:
        self.bundles: list[dict[str, str]] = []
        self.outputs = 0

    def display(self, bundle: dict[str, str], **options: Any) -> DisplayHandle:
        assert options == {"raw": True, "display_id": True}
        self.outputs += 1
        self.bundles.append(bundle)
        handle = DisplayHandle()
        handle.update = lambda bundle, raw: self.bundles.append(bundle)  # type: ignore[method-assign]
        return handle


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Output:
    made = Output()
    monkeypatch.setattr("IPython.display.display", made.display)
    monkeypatch.setattr(update_graph, "refresh", lambda view: None)
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(front_end, "running_cell", lambda: ("cell", "run"))
    return made


class Source:
    """A graph that changes at each look."""

    looks = 0

    def __call__(self) -> Graph:
        self.looks += 1
        return Graph(f"look {self.looks}", State.RUNNING)


def test_four_pictures_a_second_are_the_most(output: Output) -> None:
    clock, view = Clock(), None
    view = LiveGraph(clock)
    view.begin(Source())
    for step in range(1, 1001):
        clock.now = step / 100
        assert view.tick()
    assert 38 <= len(output.bundles) <= 41
    assert output.outputs == 1


def test_a_change_that_came_too_soon_is_drawn_later_and_nothing_where_nothing_is_new(output: Output) -> None:
    clock, graphs = Clock(), [eight_datasets(State.QUEUED)]
    view = LiveGraph(clock)
    view.begin(lambda: graphs[-1])
    assert "waiting" in output.bundles[0]["text/html"]  # at once
    graphs.append(eight_datasets(State.RUNNING))
    for clock.now in (0.1, 0.2, 0.3, 1, 2, 3):
        view.tick()
    assert len(output.bundles) == 2


def test_the_last_state_is_always_drawn(output: Output) -> None:
    graphs = [eight_datasets(State.RUNNING)]
    view = LiveGraph(Clock())
    view.begin(lambda: graphs[-1])
    graphs.append(eight_datasets())
    assert view.tick()  # no time has passed
    assert len(output.bundles) == 1
    drawn = view.end()
    assert drawn is not None and "completed" in drawn.bundle["text/plain"]
    assert output.bundles[1:] == [drawn.bundle]
    assert not view.tick()
    assert len(output.bundles) == 2


def test_without_a_person_there_is_one_picture_at_the_end(output: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    view = LiveGraph()
    view.begin(eight_datasets)
    assert output.bundles == []
    view.end()
    [bundle] = output.bundles
    assert bundle["text/html"].count("<img") == 1 and len(bundle["text/html"]) < 15_000
    assert "silver_orders" in bundle["text/plain"]


def test_it_knows_the_cell_that_shows_it(output: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    view = LiveGraph()
    view.begin(eight_datasets)
    drawn = view.end()
    assert drawn is not None and drawn.is_here()
    monkeypatch.setattr(front_end, "running_cell", lambda: ("cell", "another run"))
    assert not drawn.is_here()
    monkeypatch.setattr(front_end, "running_cell", lambda: (None, None))
    view = LiveGraph()
    view.begin(eight_datasets)
    drawn = view.end()
    assert drawn is not None and not drawn.is_here()
