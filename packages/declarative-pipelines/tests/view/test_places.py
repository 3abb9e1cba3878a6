from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from declarative_pipelines.view.layers import BETWEEN_BOXES, Box, Layout, layout

from .test_layers import dags

sizes = st.tuples(st.integers(150, 250), st.integers(40, 250))


@st.composite
def sized(draw) -> tuple[dict[str, tuple[float, float]], list[tuple[str, str]]]:
    names, edges = draw(dags())
    return {name: draw(sizes) for name in names}, edges


def overlap(one: Box, other: Box, apart: float = 0) -> bool:
    across = one.x < other.right and other.x < one.right
    return across and one.y < other.bottom + apart and other.y < one.bottom + apart


@given(sized())
def test_no_boxes_overlap_and_all_are_on_the_paper(graph) -> None:
    laid = layout(*graph)
    assert not [pair for pair in combinations(laid.boxes.values(), 2) if overlap(*pair, apart=BETWEEN_BOXES - 0.2)]
    for box in laid.boxes.values():
        assert box.x >= 0 and box.y >= 0 and box.right <= laid.width and box.bottom <= laid.height + 0.1


@given(sized())
def test_arrows_go_from_left_to_right_and_pass_no_box(graph) -> None:
    laid = layout(*graph)
    assert len(laid.routes) == len(graph[1])
    for route in laid.routes:
        xs = [x for x, _ in route.points]
        assert xs == sorted(set(xs))
        assert xs[0] == laid.boxes[route.source].right and xs[-1] == laid.boxes[route.target].x
        for end, name in ((0, route.source), (-1, route.target)):
            assert laid.boxes[name].y < route.points[end][1] < laid.boxes[name].bottom
        assert not crossed(laid, route.points[1:-1])


def crossed(laid: Layout, bends) -> list[Box]:
    """Return the boxes that an arrow's straight parts meet; its curves are between columns, where there is none."""
    straight = [Box(x, y, to - x, 0) for (x, y), (to, _) in zip(bends[::2], bends[1::2], strict=True)]
    return [box for box in laid.boxes.values() for line in straight if overlap(box, line)]


@given(sized())
def test_the_same_graph_is_always_laid_out_alike(graph) -> None:
    assert layout(*graph) == layout(*graph)


def test_a_chain_is_a_straight_line() -> None:
    laid = layout({"a": (100, 40), "b": (100, 200), "c": (100, 60)}, [("a", "b"), ("b", "c")])
    assert {y for route in laid.routes for _, y in route.points} == {108.0}
