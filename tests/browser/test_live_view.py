"""The live view as a learner sees it: JupyterLab, Chromium, Spark, nothing in their place."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import expect

from browser_harness import faint_texts
from streaming_classroom.files import directories

STREAMS = "print('active:', [query.name for query in spark.streams.active])"
PER_WINDOW = """
from pyspark.sql import functions as F

per_window = (spark.readStream.table("bronze")
    .withColumn("t", F.timestamp_seconds("time"))
    .withWatermark("t", "2 hours")
    .groupBy(F.window("t", "6 hours"), "device_id").count()
    .select(F.col("window.start").alias("start"), "device_id", "count"))
display(per_window, streamName="per_window", outputMode="update", view="Chart")
"""
FAILING = """
failing = spark.readStream.table("bronze").selectExpr("assert_true(device_id < 0, 'no such <b>sensor</b>')")
display(failing, streamName="failing")
"""
FRAME = """
display(spark.createDataFrame(
    [(2, "b", None), (10, "<script>document.title = 'taken over'</script>", 0.5), (1, "x" * 3000, 1.5)],
    "id INT, text STRING, value DOUBLE"))
"""


@pytest.fixture(scope="module")
def lesson(open_notebook):
    """Lesson 01's own cells up to its live query, and some more."""
    committed = nbformat.read(directories.notebooks() / "01-Understanding-Incremental-Data.ipynb", 4)
    code = [cell.source for cell in committed.cells if cell.cell_type == "code"]
    until_live = code[: next(i for i, source in enumerate(code) if "WHERE heartrate < 0" in source) + 1]
    notebook = open_notebook("lesson-01", *until_live, "DA.data_factory.load()", STREAMS, PER_WINDOW, FAILING, FRAME)
    notebook.live = len(until_live) - 1
    for cell in range(len(until_live)):
        notebook.run(cell)
    return notebook


def rows_of(header: str) -> int:
    """Return the rows so far that a header such as 'batch 0 · 2,274 rows so far · 500 rows/s' tells."""
    return int(header.split(" rows")[0].split("· ")[-1].replace(",", ""))


def test_the_numbers_rise_while_another_cell_runs(lesson, screenshot) -> None:
    numbers = lesson.view(lesson.live).locator(".sc-numbers")
    expect(numbers).to_contain_text("batch 0")
    before = rows_of(numbers.inner_text())
    lesson.run(lesson.live + 1)
    expect(numbers).to_contain_text("batch 1", timeout=120_000)
    assert rows_of(numbers.inner_text()) > before
    screenshot(lesson, "risen")


@pytest.mark.slow
def test_every_tab_shows_the_stream_and_the_keyboard_moves_between_them(lesson, screenshot) -> None:
    lesson.run(lesson.live + 3)
    lesson.run(lesson.live + 1)
    view = lesson.view(lesson.live + 3)
    expect(view.get_by_role("tab", name="Chart")).to_have_attribute("aria-selected", "true")  # as the cell asked
    view.get_by_role("tab", name="Table").click()
    expect(view.locator("thead")).to_contain_text("start")
    lesson.page.keyboard.press("ArrowRight")
    expect(view.get_by_role("tab", name="Chart")).to_be_focused()
    expect(view.locator("svg[aria-label^='count by start: line chart']")).to_be_visible()
    assert view.get_by_label("group").locator("option:checked").inner_text() == "device_id"
    screenshot(lesson, "chart")
    lesson.page.keyboard.press("ArrowRight")
    for title in ("rows per second", "seconds per batch, by phase", "rows in state", "late rows dropped"):
        expect(view.locator(f"svg[aria-label^='{title}']")).to_be_visible()
    screenshot(lesson, "dashboard")
    lesson.page.keyboard.press("ArrowRight")
    expect(view.locator("pre")).to_contain_text('"name": "per_window"')


@pytest.mark.slow
def test_stop_stops_the_query_and_leaves_its_last_frame(lesson, screenshot) -> None:
    lesson.view(lesson.live).get_by_role("button", name="Stop the stream display_query_1").click()
    view = lesson.view(lesson.live)
    expect(view.locator(".sc-state")).to_have_text("stopped")
    expect(view.get_by_role("tab", name="Dashboard")).to_be_visible()
    expect(view.get_by_role("button", name="Stop the stream display_query_1")).to_be_hidden()
    lesson.run(lesson.live + 2)
    expect(lesson.output(lesson.live + 2)).to_contain_text("active: ['per_window']")
    screenshot(lesson, "stopped")


@pytest.mark.slow
def test_a_failing_stream_shows_its_sentence_as_text(lesson, screenshot) -> None:
    lesson.run(lesson.live + 4)
    alert = lesson.cells.nth(lesson.live + 4).get_by_role("alert")
    expect(alert).to_contain_text("no such <b>sensor</b>")
    screenshot(lesson, "failed")


@pytest.mark.slow
def test_a_frame_is_sorted_by_number_with_null_last_and_its_markup_is_text(lesson, screenshot) -> None:
    lesson.run(lesson.live + 5)
    view = lesson.view(lesson.live + 5)
    first_column = view.locator("tbody td:first-child")
    view.get_by_role("button", name="id").click()
    assert first_column.all_inner_texts() == ["1", "2", "10"]
    view.get_by_role("button", name="id").click()
    assert first_column.all_inner_texts() == ["10", "2", "1"]
    view.get_by_role("button", name="value").click()
    assert first_column.all_inner_texts() == ["10", "1", "2"]
    assert view.get_by_role("button", name="value").get_attribute("title").startswith("double")
    widths = [lesson.view(cell).bounding_box()["width"] for cell in (lesson.live, lesson.live + 5)]
    assert widths[0] == widths[1]  # a frame is as wide as a stream
    assert "taken over" not in lesson.page.title()
    view.get_by_role("button", name="more").click()
    expect(view.get_by_text("x" * 3000)).to_be_visible()
    screenshot(lesson, "frame")


@pytest.mark.slow
def test_the_dark_theme_has_light_text_on_dark(lesson, screenshot) -> None:
    lesson.choose_theme("Dark")
    for cell in (lesson.live, lesson.live + 3, lesson.live + 4, lesson.live + 5):
        assert faint_texts(lesson.view(cell)) == []
    screenshot(lesson, "dark")


@pytest.mark.slow
def test_a_restarted_kernel_leaves_no_stream_behind(lesson) -> None:
    lesson.restart_kernel()
    lesson.run(0)
    lesson.run(lesson.live + 2)
    expect(lesson.output(lesson.live + 2)).to_contain_text("active: []")
