"""The graph of an update as a learner sees it: JupyterLab, Chromium, Spark, nothing in their place."""

from __future__ import annotations

import json
import re

import nbformat
import pytest
from playwright.sync_api import expect

from browser_harness import faint_texts
from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.graph import Bar, Graph, Node
from declarative_pipelines.graph_picture import as_html
from declarative_pipelines.updates.results import State

SET_UP = """
%run ../Includes/Classroom-Setup
"""
DEFINITIONS = """
import time
from declarative_pipelines import run_pipeline
from pyspark import pipelines as dp
from pyspark.sql import functions as F

spark.conf.set("spark.sql.shuffle.partitions", 2)
spark.range(100).selectExpr("id AS n", "id % 7 AS v").write.mode("overwrite").saveAsTable("source")
pause = F.udf(lambda v: time.sleep(0.05) or v, "long")

@dp.table
def bronze():
    return spark.readStream.table("source").repartition(1).withColumn("v", pause("v"))

@dp.temporary_view
def seen():
    return spark.readStream.table("bronze")

@dp.table
@dp.expect_or_drop("positive", "v > 0")
@dp.expect("large", "v > 3")
def silver():
    return spark.readStream.table("seen")

@dp.materialized_view
def gold():
    return spark.read.table("silver").groupBy("v").count()
"""
FAILING = """
@dp.materialized_view
@dp.expect_or_fail("small", "v < 3")
def strict():
    return spark.read.table("silver")

@dp.materialized_view
def after_strict():
    return spark.read.table("strict")

update = run_pipeline()
update
"""
INTERRUPTED = """
@dp.materialized_view
def slow():
    return spark.range(0, 1000, 1, 1).withColumn("v", pause("id"))

run_pipeline(refresh="slow")
"""
RUN, AGAIN, SHOWN, FAILED, STOPPED = range(2, 7)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    cells = [SET_UP, DEFINITIONS, "run_pipeline()", "update = run_pipeline()", "update", FAILING, INTERRUPTED]
    made = open_notebook("graph", *cells, width=1500)
    made.run(0)
    made.run(1)
    return made


def graphs(notebook, cell: int):
    return notebook.cells.nth(cell).locator("div.sg svg[role=img]")


def box(notebook, cell: int, name: str):
    """Return the box of a dataset."""
    title = re.compile(f"^{name}: ")
    shown = notebook.cells.nth(cell).locator("svg[role=img] > g")
    return shown.filter(has=notebook.page.locator("title", has_text=title)).first


def test_it_shows_what_runs_while_it_runs_and_stays_when_it_has_ended(notebook, screenshot) -> None:
    notebook.start(RUN)
    expect(box(notebook, RUN, "bronze")).to_contain_text("running")
    expect(box(notebook, RUN, "gold")).to_contain_text("waiting")
    screenshot(notebook, "running")
    notebook.wait_for_end(RUN)
    expect(box(notebook, RUN, "gold")).to_contain_text("completed")
    expect(box(notebook, RUN, "bronze")).to_contain_text("100 rows")
    expect(box(notebook, RUN, "silver")).to_contain_text("85 met")
    expect(box(notebook, RUN, "silver")).to_contain_text("15 dropped")
    expect(graphs(notebook, RUN)).to_have_count(1)
    screenshot(notebook, "completed")


@pytest.mark.slow
def test_a_cell_that_keeps_the_update_shows_it_and_one_that_names_it_later_as_well(notebook) -> None:
    notebook.run(AGAIN)
    expect(graphs(notebook, AGAIN)).to_have_count(1)
    notebook.run(SHOWN)
    expect(graphs(notebook, SHOWN)).to_have_count(1)
    expect(box(notebook, SHOWN, "silver")).to_contain_text("completed")


@pytest.mark.slow
def test_what_has_failed_says_why_once(notebook, screenshot) -> None:
    notebook.run(FAILED)
    expect(box(notebook, FAILED, "strict")).to_contain_text("failed")
    expect(box(notebook, FAILED, "after_strict")).to_contain_text("skipped")
    expect(graphs(notebook, FAILED)).to_have_count(1)  # the update is the cell's last value as well
    said = notebook.cells.nth(FAILED).get_by_text("A record does not meet 'small' of strict")
    expect(said).to_have_count(1)
    screenshot(notebook, "failed")


IN_SIGHT = """
(box) => {
  const [inner, outer] = [box, box.closest(".w")].map((part) => part.getBoundingClientRect());
  return inner.left >= outer.left && inner.right <= outer.right + 1;
}
"""
SHADES = "(part) => ['::before', '::after'].map((edge) => Number(getComputedStyle(part, edge).opacity) > 0)"


@pytest.mark.slow
def test_a_wide_graph_begins_where_it_failed_and_has_a_shade_where_there_is_more(notebook, screenshot) -> None:
    page = notebook.page
    graph = notebook.cells.nth(FAILED).locator(".sg .w")
    page.set_viewport_size({"width": 2400, "height": 900})  # it fits
    page.wait_for_function(f"(part) => ({SHADES})(part).join() === 'false,false'", arg=graph.element_handle())
    page.set_viewport_size({"width": 900, "height": 900})
    notebook.run(FAILED)
    assert box(notebook, FAILED, "strict").evaluate(IN_SIGHT)
    assert not box(notebook, FAILED, "bronze").evaluate(IN_SIGHT)
    screenshot(notebook, "narrow")
    assert graph.evaluate(SHADES) == [False, True]  # before is where it begins, at the right
    graph.evaluate("(part) => part.scrollTo(-part.scrollWidth, 0)")
    page.wait_for_function(f"(part) => ({SHADES})(part).join() === 'true,false'", arg=graph.element_handle())
    page.set_viewport_size({"width": 1500, "height": 1200})


@pytest.mark.slow
def test_an_interrupt_leaves_what_was_stopped(notebook, screenshot) -> None:
    notebook.start(STOPPED)
    expect(box(notebook, STOPPED, "slow")).to_contain_text("running")
    notebook.choose("Kernel", "Interrupt Kernel")
    notebook.wait_for_end(STOPPED)
    expect(box(notebook, STOPPED, "slow")).to_contain_text("stopped")
    said = [re.compile("notebook · stopped · .* s"), "The update was stopped."]
    expect(notebook.cells.nth(STOPPED).locator("div.sg > p")).to_have_text(said)
    screenshot(notebook, "stopped")


@pytest.mark.slow
def test_all_of_it_is_readable_in_the_dark_theme_too(notebook, screenshot) -> None:
    assert faint_texts(notebook.cells.nth(FAILED).locator("div.sg")) == []
    notebook.choose_theme("Dark")
    for cell in (RUN, FAILED, STOPPED):
        assert faint_texts(notebook.cells.nth(cell).locator("div.sg")) == []
    screenshot(notebook, "dark")
    notebook.choose_theme("Light")


@pytest.mark.slow
def test_the_saved_page_has_it_without_a_kernel(notebook) -> None:
    notebook.save()
    saved = nbformat.read(notebook.path, 4).cells[RUN].outputs
    assert [output.output_type for output in saved] == ["display_data"]
    assert "silver   streaming table    completed  85" in saved[0].data["text/plain"]
    assert len(json.dumps(saved)) < 15_000
    notebook.reload()
    expect(box(notebook, RUN, "silver")).to_contain_text("85 rows")
    expect(box(notebook, FAILED, "strict")).to_contain_text("failed")


# The texts of a box that reach out of it, or into another text of it.
MEETING = """() => [...document.querySelectorAll("svg[role=img] > g")].flatMap((box) => {
  const paper = box.querySelector("rect, path").getBoundingClientRect();
  const texts = [...box.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const outside = ([, at]) => at.left < paper.left || at.right > paper.right || at.bottom > paper.bottom;
  const meets = ([one, a]) => texts.some(([other, b]) => one !== other
    && a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom);
  return texts.filter((text) => outside(text) || meets(text)).map(([text]) => text);
})"""


LONG = "a_name_that_goes_on_and_on_until_nobody_reads_it"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["short", LONG, LONG.upper(), "名前" * 20])
def test_no_text_meets_another_one_with_this_machines_font(notebook, name: str) -> None:
    bars = (Bar(name, "drop", 9_999_999, 9_999_999), Bar(name, "warn", 0, 0), Bar(name, "fail"))
    kinds = (DatasetKind.MATERIALIZED_VIEW, State.COMPLETED, 9_999_999, 9_999_999, 9_999.9)
    nodes = (Node(name, *kinds), Node(f"{name}2", *kinds, bars), Node(f"{name}3", DatasetKind.TEMPORARY_VIEW))
    page = notebook.page.context.browser.new_page()
    page.set_content(as_html(Graph("shop", State.COMPLETED, nodes=nodes)))
    assert page.evaluate(MEETING) == []
    page.close()
