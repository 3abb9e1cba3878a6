"""The layout of a graph: columns, the order within them, and places that no arrow and no other box crosses."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from declarative_pipelines.graph import BETWEEN_BOXES, Box, Layout, columns_of, crossings, layout


@st.composite
def dags(draw) -> tuple[list[str], list[tuple[str, str]]]:
    names = [f"n{number}" for number in range(draw(st.integers(0, 9)))]
    pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=14)) if pairs else []
    return draw(st.permutations(names)), edges


@st.composite
def sized(draw) -> tuple[dict[str, tuple[float, float]], list[tuple[str, str]]]:
    names, edges = draw(dags())
    return {name: draw(st.tuples(st.integers(150, 250), st.integers(40, 250))) for name in names}, edges


def test_a_node_stands_after_the_longest_way_to_it_and_one_that_reads_nothing_before_its_reader() -> None:
    columns, _ = columns_of(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    assert columns == [["a"], ["b", ("a", "c", 1)], ["c"]]
    columns, _ = columns_of(["a", "b", "c", "table"], [("a", "b"), ("b", "c"), ("table", "c")])
    assert columns == [["a"], ["b", "table"], ["c"]]


def test_arrows_that_need_not_cross_do_not() -> None:
    columns, routes = columns_of(["a", "b", "x", "y"], [("a", "y"), ("b", "x")])
    assert crossings([["a", "b"], ["x", "y"]], [("a", "y"), ("b", "x")]) == 1
    assert crossings(columns, map(tuple, routes)) == 0


def test_a_circle_is_opened() -> None:
    columns, routes = columns_of(["a", "b"], [("a", "b"), ("b", "a"), ("a", "a"), ("nobody", "a")])
    assert (columns, routes) == ([["a"], ["b"]], [["a", "b"]])


def overlap(one: Box, other: Box, apart: float = 0) -> bool:
    across = one.x < other.right and other.x < one.right
    return across and one.y < other.bottom + apart and other.y < one.bottom + apart


def crossed(laid: Layout, bends) -> list[Box]:
    """Return the boxes that an arrow's straight parts meet; its curves are between columns, where there is none."""
    straight = [Box(x, y, to - x, 0) for (x, y), (to, _) in zip(bends[::2], bends[1::2], strict=True)]
    return [box for box in laid.boxes.values() for line in straight if overlap(box, line)]


@given(sized())
def test_no_boxes_overlap_and_arrows_go_from_left_to_right_and_pass_no_box(graph) -> None:
    laid = layout(*graph)
    assert not [pair for pair in combinations(laid.boxes.values(), 2) if overlap(*pair, apart=BETWEEN_BOXES - 0.2)]
    for box in laid.boxes.values():
        assert box.x >= 0 and box.y >= 0 and box.right <= laid.width and box.bottom <= laid.height + 0.1
    for (source, target), route in zip(graph[1], laid.routes, strict=True):
        xs = [x for x, _ in route]
        assert xs == sorted(set(xs))
        assert xs[0] == laid.boxes[source].right and xs[-1] == laid.boxes[target].x
        for end, name in ((0, source), (-1, target)):
            assert laid.boxes[name].y < route[end][1] < laid.boxes[name].bottom
        assert not crossed(laid, route[1:-1])
    assert layout(*graph) == laid


def test_a_chain_is_a_straight_line() -> None:
    laid = layout({"a": (100, 40), "b": (100, 200), "c": (100, 60)}, [("a", "b"), ("b", "c")])
    assert {y for route in laid.routes for _, y in route} == {108.0}
