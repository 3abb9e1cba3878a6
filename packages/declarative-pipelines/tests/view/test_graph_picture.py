from __future__ import annotations

import base64
import re
from dataclasses import replace
from xml.etree import ElementTree

from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.graph import Bar, Graph, Node, as_text, description
from declarative_pipelines.graph_picture import (
    as_html,
    as_image,
    as_svg,
)
from declarative_pipelines.updates.results import State

from .graphs import eight_datasets

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return ["".join(one.itertext()) for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def inside_image(html: str) -> str:
    return base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()


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


def test_a_name_that_is_too_long_is_cut_and_whole_in_its_title() -> None:
    name = "a_name_that_goes_on_and_on_and_ends_nowhere_near"
    svg = as_svg(Graph("g", State.RUNNING, nodes=(Node(name, DatasetKind.MATERIALIZED_VIEW),)))
    assert name not in texts(svg) and any(said.endswith("…") for said in texts(svg))
    assert f"<title>{name}: materialized view</title>" in svg


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
