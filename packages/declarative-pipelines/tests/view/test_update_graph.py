"""The progress of an update as a graph, without Spark."""

from __future__ import annotations

import pytest

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Expectation, SourceLocation, Violation
from declarative_pipelines.errors import ExpectationFailed, FlowFailed
from declarative_pipelines.graph import Bar, Graph, Node
from declarative_pipelines.update_graph import UpdateGraph, visible_edges
from declarative_pipelines.updates.expectations import Counts
from declarative_pipelines.updates.results import FlowProgress, GraphKnown, State, UpdateChanged


def dataset(name: str, kind: DatasetKind, *expectations: Expectation) -> Dataset:
    return Dataset(name, kind, SourceLocation("pipeline.py", 1), expectations=expectations)


KNOWN = GraphKnown(
    (
        dataset("bronze", DatasetKind.STREAMING_TABLE),
        dataset("seen", DatasetKind.TEMPORARY_VIEW, Expectation("odd", "v % 2 = 1")),
        dataset("silver", DatasetKind.STREAMING_TABLE, Expectation("positive", "v > 0", Violation.DROP)),
        dataset("gold", DatasetKind.MATERIALIZED_VIEW),
        dataset("alerts", DatasetKind.SINK),
    ),
    (("c.d.source", "bronze"), ("bronze", "seen"), ("seen", "silver"), ("silver", "gold"), ("silver", "alerts")),
)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watched(clock: Clock) -> UpdateGraph:
    """An update that has begun to run; all of its flows wait."""
    made = UpdateGraph("shop", clock=clock)
    made(UpdateChanged(State.QUEUED, 0.0))
    made(KNOWN)
    made(UpdateChanged(State.RUNNING, 1.0))
    for flow, target in (("bronze", "bronze"), ("silver", "silver"), ("more", "silver"), ("gold", "gold")):
        made(FlowProgress(flow, target, State.QUEUED))
    return made


def node(graph: Graph, name: str) -> Node:
    return next(one for one in graph.nodes if one.name == name)


def test_what_the_update_leaves_out_is_excluded_and_a_view_has_no_state(watched: UpdateGraph) -> None:
    assert {one.name: one.state for one in watched.graph().nodes} == {
        "c.d.source": None,
        "bronze": State.QUEUED,
        "seen": None,
        "silver": State.QUEUED,
        "gold": State.QUEUED,
        "alerts": State.EXCLUDED,
    }


def test_rows_dropped_rows_and_rules_are_those_counted_so_far(watched: UpdateGraph) -> None:
    assert node(watched.graph(), "silver").bars == (Bar("positive", "drop"),)
    watched(
        FlowProgress("silver", "silver", State.RUNNING, {"silver": Counts(10, 3, (3,)), "seen": Counts(12, 0, (5,))})
    )
    watched(FlowProgress("more", "silver", State.RUNNING, {"silver": Counts(5, 1, (1,)), "seen": Counts(2, 0, (2,))}))
    silver, seen = node(watched.graph(), "silver"), node(watched.graph(), "seen")
    assert (silver.state, silver.rows, silver.dropped) == (State.RUNNING, 11, 4)
    assert silver.bars == (Bar("positive", "drop", 11, 4),)
    assert (seen.rows, seen.bars) == (None, (Bar("odd", "warn", 7, 5),))  # of the flow that has read most of it


def test_of_several_flows_the_worst_is_the_state(watched: UpdateGraph) -> None:
    watched(FlowProgress("silver", "silver", State.COMPLETED))
    assert node(watched.graph(), "silver").state is State.QUEUED
    watched(FlowProgress("more", "silver", State.FAILED, error=FlowFailed("silver", "more", "no such file")))
    assert node(watched.graph(), "silver").state is State.FAILED


def test_the_reason_of_a_failure_is_said_once_and_shortly(watched: UpdateGraph) -> None:
    error = ExpectationFailed("silver", "silver", ("positive",), '{"v": -1}')
    watched(FlowProgress("silver", "silver", State.FAILED, error=error))
    watched(FlowProgress("gold", "gold", State.SKIPPED))
    watched(UpdateChanged(State.FAILED, 3.0, error))
    graph = watched.graph()
    [said] = graph.errors
    assert said.startswith("A record does not meet 'positive' of silver") and '{"v": -1}' not in said
    assert (graph.state, node(graph, "gold").state) == (State.FAILED, State.SKIPPED)


def test_a_dry_run_has_no_states(clock: Clock) -> None:
    made = UpdateGraph("shop", is_dry=True, clock=clock)
    made(KNOWN)
    made(UpdateChanged(State.COMPLETED, 1.0))
    assert {one.state for one in made.graph().nodes} == {None}
    assert made.graph().shown_state == "dry run, completed"


def test_a_flow_that_is_stopped_has_run_until_then_and_stops_the_update(watched: UpdateGraph, clock: Clock) -> None:
    watched(FlowProgress("bronze", "bronze", State.RUNNING))
    clock.now += 4
    watched(FlowProgress("bronze", "bronze", State.STOPPED))
    clock.now += 4
    watched.broke(ValueError("the job was cancelled"))
    graph = watched.graph()
    assert (node(graph, "bronze").state, node(graph, "bronze").seconds) == (State.STOPPED, 4.0)
    assert (graph.state, graph.seconds, graph.errors) == (State.STOPPED, 9.0, ())


def test_helpers_are_left_out_and_their_edges_passed_through() -> None:
    edges = (("a", "__one"), ("__one", "c.__two"), ("b", "c.__two"), ("c.__two", "d"), ("a", "d"), ("__lonely", "d"))
    assert visible_edges(edges) == (("a", "d"), ("b", "d"))
    assert visible_edges((("__a", "__b"), ("__b", "__a"), ("__a", "c"))) == ()
