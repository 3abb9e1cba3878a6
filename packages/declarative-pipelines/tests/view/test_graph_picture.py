from __future__ import annotations

import base64
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.updates.results import State
from declarative_pipelines.view.graph import Bar, Graph, Node, as_text, description
from declarative_pipelines.view.graph_picture import (
    COLOURS,
    KINDS,
    STATES,
    as_html,
    as_image,
    as_svg,
    truncate,
)

from .graphs import eight_datasets

SVG = "{http://www.w3.org/2000/svg}"
counts = st.one_of(st.none(), st.integers(0, 10**12))
states = st.sampled_from(State)
bars = st.builds(Bar, st.text(max_size=40), st.sampled_from(["warn", "drop", "fail"]), counts, counts)
nodes = st.builds(
    Node,
    st.text(max_size=40),
    st.one_of(st.none(), st.sampled_from(DatasetKind)),
    st.one_of(st.none(), states),
    counts,
    counts,
    st.one_of(st.none(), st.floats(0, 1e6)),
    st.lists(bars, max_size=3).map(tuple),
)
graphs = st.builds(
    Graph,
    st.text(max_size=20),
    states,
    st.one_of(st.none(), st.floats(0, 1e6)),
    nodes=st.lists(nodes, max_size=5, unique_by=lambda node: node.name).map(tuple),
    errors=st.lists(st.text(max_size=50), max_size=2).map(tuple),
)


def texts(svg: str) -> list[str]:
    return ["".join(one.itertext()) for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def inside_image(html: str) -> str:
    return base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()


@given(graphs)
def test_any_graph_is_well_formed_whatever_its_names(graph: Graph) -> None:
    for svg in (as_svg(graph), inside_image(as_image(graph)) if graph.nodes else ""):
        if svg:
            ElementTree.fromstring(svg)
    assert as_svg(graph) == as_svg(graph)
    assert description(graph) and as_text(graph) and as_html(graph)


def test_names_are_texts_and_no_markup() -> None:
    bar = Bar("<i>rule</i>", "<warn>", 1, 2)
    node = Node("<b>&name", DatasetKind.TABLE, State.FAILED, bars=(bar,))
    graph = Graph("<u>title", State.FAILED, nodes=(node,), errors=("<script>alert()</script>",))
    assert {"<b>&name", "<i>rule</i>"} <= set(texts(as_svg(graph)))
    assert not re.search("<(b|i|u|script|warn)>", as_html(graph) + inside_image(as_image(graph)))
    assert "&lt;script&gt;" in as_html(graph)


def test_each_box_says_what_it_is_how_far_and_how_many() -> None:
    said = texts(as_svg(eight_datasets()))
    assert said.count("streaming table") == 5
    assert said.count("completed") == 6
    assert {"12,345 rows", "3.2 s", "357 dropped", "11,000 met", "988 violated", "warn", "drop"} <= set(said)
    assert "3 s" in texts(as_svg(eight_datasets(State.RUNNING)))  # whole seconds, while they go by


def test_kinds_and_states_are_told_apart_by_signs_and_shapes() -> None:
    def outline(kind: DatasetKind | None) -> str:
        svg = as_svg(Graph("g", State.RUNNING, nodes=(Node("n", kind),)))
        return re.search(r"</title><(.*?)/>", svg)[1]

    assert len({outline(kind) for kind in KINDS}) == len(set(KINDS.values())) == len(KINDS) - 1  # two are tables
    assert len(set(STATES.values())) == len(State)


def test_a_name_that_is_too_long_is_cut_and_whole_in_its_title() -> None:
    name = "a_name_that_goes_on_and_on_and_ends_nowhere_near"
    svg = as_svg(Graph("g", State.RUNNING, nodes=(Node(name, DatasetKind.MATERIALIZED_VIEW),)))
    assert name not in texts(svg) and any(said.endswith("…") for said in texts(svg))
    assert f"<title>{name}: materialized view</title>" in svg


@given(st.text(max_size=60), st.floats(0, 300))
def test_cutting_never_makes_it_longer(said: str, room: float) -> None:
    assert len(truncate(said, room, 13)) <= max(len(said), 1)


def test_nothing_moves_while_counts_come_in() -> None:
    late = eight_datasets()
    nodes = [replace(node, rows=None, seconds=None, dropped=None) for node in late.nodes]
    early = replace(
        late, nodes=tuple(replace(n, bars=tuple(Bar(b.name, b.consequence) for b in n.bars)) for n in nodes)
    )
    places = r'viewBox="[^"]*"|<g transform="[^"]*"'
    assert re.findall(places, as_svg(early)) == re.findall(places, as_svg(late))


def test_one_violating_row_of_a_million_is_seen() -> None:
    bar = Bar("rule", "warn", 999_999, 1)
    svg = as_svg(Graph("g", State.RUNNING, nodes=(Node("n", DatasetKind.TABLE, bars=(bar,)),)))
    assert float(re.search(r'class="x" d="M\S+ \S+h([\d.]+)', svg)[1]) >= 2


def test_a_picture_for_a_file_is_small_and_without_times() -> None:
    graph = eight_datasets()
    assert len(as_image(graph)) < 15_000
    assert as_image(graph) == as_image(
        replace(graph, seconds=99.0, nodes=tuple(replace(n, seconds=9) for n in graph.nodes))
    )
    assert "time" not in as_text(graph, with_seconds=False).splitlines()[2]


def test_it_needs_no_script_and_no_ids() -> None:
    html = as_html(eight_datasets())
    assert not re.search(r"<script|\sid=|\son\w+=|https?://(?!www\.w3\.org)", html)


def test_it_is_described_in_words() -> None:
    said = description(eight_datasets())
    assert said.startswith("Graph of shop · completed · 14.2 s.")
    silver = "silver_orders, streaming table, completed, 11,988 rows, 357 dropped"
    assert f"{silver}, 988 violated has a customer, reads orders." in said
    assert 'role="img" aria-label="Graph of shop' in as_svg(eight_datasets())


def test_as_text_it_has_the_same_counts() -> None:
    lines = as_text(eight_datasets()).splitlines()
    assert lines[0] == "shop · completed · 14.2 s"
    assert "silver_orders     streaming table    completed  11,988     357      12.7 s" in lines
    assert "silver_orders  has a customer       warn         11,000  988" in lines


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_texts_and_bars_are_readable_on_their_boxes(theme: int) -> None:
    for name in ("ink", "soft", "running", "completed", "failed", "stopped"):
        for ground in ("box", "pale"):
            assert contrast(COLOURS[name][theme], COLOURS[ground][theme]) >= 4.5, (name, ground)
    for name in ("keep", "break"):
        assert contrast(COLOURS[name][theme], COLOURS["box"][theme]) >= 3, name
