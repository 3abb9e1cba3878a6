from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from declarative_pipelines.view.layers import columns_of, crossings


@st.composite
def dags(draw) -> tuple[list[str], list[tuple[str, str]]]:
    names = [f"n{number}" for number in range(draw(st.integers(0, 9)))]
    pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=14)) if pairs else []
    return draw(st.permutations(names)), edges


def test_a_node_stands_after_the_longest_way_to_it() -> None:
    columns, _ = columns_of(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    assert columns == [["a"], ["b", ("a", "c", 1)], ["c"]]


def test_what_reads_nothing_stands_beside_its_reader() -> None:
    columns, _ = columns_of(["a", "b", "c", "table"], [("a", "b"), ("b", "c"), ("table", "c")])
    assert columns == [["a"], ["b", "table"], ["c"]]


def test_arrows_that_need_not_cross_do_not() -> None:
    columns, routes = columns_of(["a", "b", "x", "y"], [("a", "y"), ("b", "x")])
    assert crossings([["a", "b"], ["x", "y"]], [("a", "y"), ("b", "x")]) == 1
    assert crossings(columns, map(tuple, routes)) == 0


def test_a_circle_is_opened() -> None:
    columns, routes = columns_of(["a", "b"], [("a", "b"), ("b", "a"), ("a", "a"), ("nobody", "a")])
    assert (columns, routes) == ([["a"], ["b"]], [["a", "b"]])


@given(dags())
def test_every_arrow_goes_one_column_to_the_right_at_a_time(graph) -> None:
    names, edges = graph
    columns, routes = columns_of(names, edges)
    column = {spot: number for number, spots in enumerate(columns) for spot in spots}
    assert sorted(spot for spot in column if isinstance(spot, str)) == sorted(names)
    assert sorted((route[0], route[-1]) for route in routes) == sorted(edges)
    assert all(column[other] == column[one] + 1 for route in routes for one, other in pairwise(route))
    assert all(any(isinstance(spot, str) for spot in spots) for spots in columns)
    assert columns_of(names, edges) == (columns, routes)
