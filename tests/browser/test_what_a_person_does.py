"""A person reloads the page, opens a second one, runs cells twice, interrupts them, restarts the kernel."""

from __future__ import annotations

import re

import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

SET_UP = """%run ../Includes/Classroom-Setup
from streaming_classroom import start_lesson
DA = start_lesson("person", dataset="device-readings/readings", into_table="bronze")"""
LAND = "DA.data_factory.load()"
NAMED = """spark.readStream.table("bronze").createOrReplaceTempView("streaming")
display(spark.readStream.table("bronze").groupBy("device_id").count(), streamName="per_device")"""
UNNAMED = """%sql
SELECT device_id, count(*) AS readings FROM streaming GROUP BY device_id"""
STREAMS = "print('active:', sorted(query.name for query in spark.streams.active))"
LONG = """from pyspark.sql.functions import udf
@udf("int")
def slow(value):
    import time
    time.sleep(60)
print("working")
spark.range(2).select(slow("id")).collect()"""
OTHER = NAMED + "  # in a cell of its own"
CELLS = [SET_UP, LAND, NAMED, UNNAMED, STREAMS, LONG, OTHER]
SET_UP, LAND, NAMED, UNNAMED, STREAMS, LONG, OTHER = range(len(CELLS))


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """Have a notebook with a lesson that has been set up and has data, saved."""
    notebook = open_notebook("person", *CELLS)
    notebook.run(SET_UP)
    return notebook


def active(notebook) -> str:
    notebook.run(STREAMS)
    return notebook.output(STREAMS).inner_text().strip()


def land(notebook, cell: int) -> None:
    """Land a batch and see the view of a cell take it."""
    numbers = notebook.view(cell).locator(".sc-numbers")
    before = int(numbers.inner_text().split("batch ")[1].split()[0])
    notebook.run(LAND)
    # One further where it had not yet taken, when it was looked at, what had landed for another view.
    expect(numbers).to_contain_text(re.compile(rf"batch ({before + 1}|{before + 2})\b"))


def test_set_up_says_in_one_line_what_is_there(notebook, screenshot) -> None:
    expect(notebook.cells.nth(SET_UP).locator(".jp-OutputArea-output")).to_have_count(1)
    lines = notebook.output(SET_UP).inner_text().strip()
    assert lines.startswith("Lesson person is ready (") and lines.endswith(" s). Nothing has landed yet.")


def test_a_cell_that_is_run_again_replaces_its_stream_and_its_view(notebook, screenshot) -> None:
    notebook.run(LAND)
    for _again in range(2):
        notebook.run(NAMED)
        notebook.run(UNNAMED)
    assert active(notebook) == "active: ['display_query_1', 'per_device']"
    for cell in (NAMED, UNNAMED):
        expect(notebook.view(cell)).to_have_count(1)
        expect(notebook.view(cell).get_by_role("button", name="Stop the stream")).to_be_visible()
        land(notebook, cell)
    screenshot(notebook, "again")


def test_two_cells_with_one_name_get_a_sentence_that_names_both(notebook) -> None:
    notebook.run(OTHER)
    shown = notebook.cells.nth(OTHER).locator(".jp-OutputArea").inner_text()
    assert "NameInUse: Cell [" in shown and "asks for the name 'per_device' of the stream that cell [" in shown
    assert active(notebook) == "active: ['display_query_1', 'per_device']"


def test_after_a_reload_the_view_is_there_and_goes_on(notebook, screenshot) -> None:
    notebook.save()
    notebook.reload()
    expect(notebook.view(NAMED).locator("tbody tr")).to_have_count(12)
    notebook.wait_for_kernel()
    land(notebook, NAMED)
    screenshot(notebook, "reloaded")


def test_a_second_tab_shows_it_as_well_and_both_know_when_it_is_stopped(notebook, screenshot) -> None:
    first = notebook.page
    second = notebook.open_page()
    notebook.wait_for_kernel()
    expect(notebook.view(NAMED).locator("tbody tr")).to_have_count(12)
    land(notebook, NAMED)
    notebook.view(UNNAMED).get_by_role("button", name="Stop the stream").click()
    expect(notebook.view(UNNAMED).locator(".sc-state")).to_have_text("stopped")
    screenshot(notebook, "second")
    notebook.page = first
    expect(notebook.view(UNNAMED).locator(".sc-state")).to_have_text("stopped")
    expect(notebook.view(UNNAMED).get_by_role("tab", name="Dashboard")).to_be_visible()
    second.close()


def test_a_pinned_view_is_there_whatever_one_reads(notebook, screenshot) -> None:
    view = notebook.view(NAMED)
    view.get_by_role("button", name="Pin").click()
    notebook.cells.nth(OTHER).scroll_into_view_if_needed()
    notebook.page.mouse.wheel(0, 5000)
    box = view.bounding_box()
    assert box["y"] > 300 and box["y"] + box["height"] <= 1200 and box["x"] + box["width"] <= 1300
    expect(view.get_by_role("tab", name="Chart")).to_be_in_viewport()
    expect(notebook.cells.nth(NAMED)).to_contain_text("pinned to the corner")  # where it was, no hole
    screenshot(notebook, "pinned")
    before, handle = view.bounding_box(), view.locator(".sc-header strong").bounding_box()
    notebook.page.mouse.move(handle["x"] + 3, handle["y"] + 3)
    notebook.page.mouse.down()
    notebook.page.mouse.move(handle["x"] - 197, handle["y"] - 97, steps=4)
    notebook.page.mouse.up()
    after = view.bounding_box()
    assert (before["x"] - after["x"], before["y"] - after["y"]) == pytest.approx((200, 100), abs=2)
    view.get_by_role("button", name="Unpin").click()
    expect(view).not_to_have_class(re.compile("sc-pinned"))
    expect(notebook.cells.nth(NAMED)).not_to_contain_text("pinned to the corner")


def test_an_interrupt_cancels_the_job_and_the_next_cell_runs_at_once(notebook, screenshot) -> None:
    notebook.wait_for_kernel()
    notebook.start(LONG)
    expect(notebook.output(LONG)).to_contain_text("working")
    notebook.page.wait_for_timeout(1000)  # into the job
    notebook.choose("Kernel", "Interrupt Kernel")
    notebook.wait_for_end(LONG)
    shown = notebook.cells.nth(LONG).locator(".jp-OutputArea").inner_text()
    said = shown.split("working")[1].strip()
    assert said.startswith("Interrupted; Spark's job was cancelled. The stream continues: ")
    assert said.endswith(". To stop it: stopAllStreams().")
    land(notebook, NAMED)
    screenshot(notebook, "interrupted")


def test_after_a_restart_the_view_says_that_it_has_ended_and_cells_what_to_do(notebook, screenshot) -> None:
    notebook.save()
    notebook.restart_kernel()
    expect(notebook.view(NAMED).locator(".sc-state")).to_have_text("ended with its kernel")
    expect(notebook.view(NAMED)).to_contain_text("run the set-up cells, then this one")
    expect(notebook.view(NAMED).locator("tbody tr")).to_have_count(12)
    for cell in (NAMED, UNNAMED, STREAMS):
        notebook.run(cell)
        expect(notebook.cells.nth(cell).locator(".jp-OutputArea")).to_contain_text("run the set-up cells first")
    screenshot(notebook, "restarted")


def test_set_up_again_says_what_it_stopped_and_removed(notebook, screenshot) -> None:
    for cell in (SET_UP, LAND, NAMED):
        notebook.run(cell)
    expect(notebook.output(SET_UP)).to_contain_text("Started over: 1 table removed. Nothing has landed yet.")
    notebook.run(SET_UP)
    expect(notebook.output(SET_UP)).to_contain_text("Started over: 1 stream stopped, 1 table removed. Nothing has")
    expect(notebook.view(NAMED).locator(".sc-state")).to_have_text("stopped")
    screenshot(notebook, "over")


def test_without_its_kernel_a_saved_notebook_shows_the_last_rows_and_says_so(notebook, screenshot) -> None:
    notebook.run(LAND)
    notebook.run(NAMED)
    frame = notebook.cells.nth(NAMED).locator("[data-sc-view]")
    expect(frame).to_contain_text("per_device · running when this was saved · batch 0")
    notebook.save()
    notebook.choose("Kernel", "Shut Down Kernel")
    expect(notebook.view(NAMED).locator(".sc-state")).to_have_text("ended with its kernel")
    notebook.reload()
    expect(notebook.view(NAMED)).to_contain_text("per_device · running when this was saved · batch 0")
    expect(notebook.view(NAMED).locator("tbody tr")).to_have_count(12)
    expect(notebook.cells.nth(NAMED).get_by_text("Error displaying widget")).to_be_hidden()
    screenshot(notebook, "saved")


@pytest.mark.parametrize("scripts", [True, False], ids=["nbviewer", "a preview without scripts"])
def test_elsewhere_a_saved_notebook_shows_them_as_well(notebook, scripts: bool) -> None:
    html, _resources = HTMLExporter().from_filename(str(notebook.path))
    context = notebook.page.context.browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.set_content(html, wait_until="domcontentloaded")  # what it fetches from elsewhere is not what is tested
    view = page.locator("[data-sc-view]")
    expect(view).to_contain_text("per_device · running when this was saved · batch 0")
    expect(view.locator("tbody tr")).to_have_count(12)
    expect(view.get_by_role("tab", name="Chart")).to_have_count(int(scripts))
    context.close()
