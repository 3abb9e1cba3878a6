"""The page of all streams' health as a person sees it: JupyterLab, Chromium, Spark, nothing in their place."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import expect

from browser_harness import faint_texts
from stream_view.health.health_page import Row, as_html
from stream_view.health.service_target import Problem
from stream_view.health.watched_streams import Backlog, StreamReading

SET_UP = """
import time
from pathlib import Path
from pyspark.sql import SparkSession, functions as F
from stream_view import ServiceTarget, stream_health

builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2)
spark = builder.config("spark.ui.enabled", "false").getOrCreate()
rate = spark.readStream.format("rate").option("rowsPerSecond", 20).load()
"""
HEALTH = "stream_health(target={'stores': ServiceTarget(state_rows=1)})"
START = """
late = rate.withWatermark("timestamp", "1 minute")
stores = late.groupBy("value").count().writeStream.format("noop").outputMode("update").queryName("stores").start()
plain = rate.writeStream.format("noop").queryName("plain").start()
"""
FAIL = """
failing = rate.selectExpr("assert_true(value < 0, 'no such <b>sensor</b>')").writeStream.format("noop")
failing = failing.queryName("failing").start()
"""
STOP = "plain.stop()"
PAGE = 1


@pytest.fixture(scope="module")
def notebook(open_notebook):
    made = open_notebook("health", SET_UP, HEALTH, START, FAIL, STOP, width=1500)
    made.run(0)
    made.run(PAGE)
    return made


def row(notebook, name: str):
    return notebook.view(PAGE).locator("tbody tr").filter(has=notebook.page.locator(f"th:text-is('{name}')"))


def test_streams_appear_by_themselves_and_what_is_wrong_is_a_sentence(notebook, screenshot) -> None:
    expect(notebook.view(PAGE)).to_contain_text("No stream has run in this session")
    notebook.run(2)
    expect(row(notebook, "plain")).to_contain_text("ago")
    problem = notebook.view(PAGE).get_by_role("listitem")
    expect(problem).to_contain_text("stores: The state has")
    marked = row(notebook, "stores").locator("[data-sh-wrong=state_rows]")
    expect(marked).to_contain_text("▲")
    assert "at most 1 are expected" in marked.get_attribute("title")
    expect(row(notebook, "plain").locator("[data-sh-wrong]")).to_have_count(0)
    screenshot(notebook, "two")


@pytest.mark.slow
def test_a_stream_that_fails_is_told_as_text_and_one_that_is_stopped_stays(notebook, screenshot) -> None:
    notebook.run(3)
    expect(row(notebook, "failing")).to_contain_text("▲ failed")
    expect(notebook.view(PAGE).get_by_role("listitem").filter(has_text="failing")).to_contain_text(
        "no such <b>sensor</b>"
    )
    notebook.run(4)
    expect(row(notebook, "plain")).to_contain_text("■ stopped")
    screenshot(notebook, "failed")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_its_texts_can_be_read(notebook, screenshot, theme: str) -> None:
    notebook.choose_theme(theme)
    assert faint_texts(notebook.view(PAGE)) == []
    screenshot(notebook, theme.lower())


@pytest.mark.slow
def test_when_the_kernel_is_shut_down_the_saved_notebook_has_the_last_figures(notebook, screenshot) -> None:
    notebook.choose("Kernel", "Shut Down Kernel")
    expect(notebook.cells.nth(PAGE).get_by_role("alert").first).to_contain_text("The kernel has ended")
    notebook.save()
    screenshot(notebook, "ended")
    cell = nbformat.read(notebook.path, 4).cells[PAGE]
    [frame] = [output for output in cell.outputs if "data-sc-view" in str(output.get("data", {}).get("text/html"))]
    assert "stores" in frame.data["text/html"] and "The kernel has ended" in frame.data["text/html"]
    assert "stores" in frame.data["text/plain"]


def readings() -> list[Row]:
    """Return streams with all figures, one of them with a long name and a problem."""
    figures = {
        "batch": 17, "age_seconds": 0.9, "rows_per_second": 12_345.0, "processed_per_second": 23_456.0,
        "batch_seconds": 1.1, "phases": {"addBatch": 1.0, "walCommit": 0.1}, "backlog": Backlog(rows=120_000, files=12),
        "watermark": "2025-06-01T10:00:00Z", "watermark_lag_seconds": 600.0, "state_rows": 120_000, "state_bytes": 2e6,
    }  # fmt: skip
    wrong = [Problem("state_rows", "The state has 120,000 rows; at most 1 are expected.")]
    streams = [StreamReading(name, "running", **figures) for name in ("plain", "a_stream_with_a_long_name")]
    return [Row(streams[0], []), Row(streams[1], wrong)]


@pytest.mark.parametrize(("width", "lines"), [(1440, 1), (900, 2), (680, 3)])
def test_a_stream_takes_more_lines_where_the_page_is_narrow_and_nothing_is_cut(browser, width: int, lines: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_content(as_html(readings()))
    assert page.evaluate("[...document.querySelectorAll('.sh-page *')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tops = page.locator("tbody tr").first.evaluate(
        "row => [...row.cells].map(cell => cell.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == lines
    headings = page.locator("tbody tr").first.evaluate(
        "row => [...row.cells].map(cell => getComputedStyle(cell, '::before').content)"
    )
    assert ('"state rows"' in headings) is (lines > 1)
    page.close()
