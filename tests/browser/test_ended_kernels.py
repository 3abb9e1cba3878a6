"""A kernel or Spark ends under live views and the panel: the page says so at once, and its advice works."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

SET_UP = """%run ../Includes/Classroom-Setup
from streaming_classroom import start_lesson
DA = start_lesson("ended", dataset="device-readings/readings", into_table="bronze")"""
LAND = "DA.data_factory.load()"
VIEW = 'display(spark.readStream.table("bronze").groupBy("device_id").count(), streamName="per_device")'
PANEL = "DA.controls()"
CELLS = [
    SET_UP, LAND, VIEW, PANEL, "spark.stop()", "import os\nos.kill(os.getpid(), 9)",
    "import time\ntime.sleep(30)  # with a busy kernel",
]  # fmt: skip
SET_UP, LAND, VIEW, PANEL, STOP_SPARK, KILL, BUSY = range(len(CELLS))
AT_ONCE = 3000  # milliseconds
KERNEL_ENDED, SPARK_ENDED = "ended with its kernel", "ended with Spark"
ADVICE = "run the set-up cells, then this one"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook("ended", *CELLS)
    prepare(notebook)
    return notebook


def prepare(notebook) -> None:
    """Follow the advice of a view and a panel that have ended; there is one batch more to look at."""
    for cell in (SET_UP, LAND, VIEW, PANEL):
        notebook.run(cell)
    expect(notebook.view(VIEW).locator(".sc-state")).to_have_text("waiting")
    expect(notebook.view(VIEW).locator("tbody tr")).to_have_count(12)
    expect(notebook.view(PANEL).locator(".sc-streams")).to_contain_text("per_device")
    notebook.run(LAND)
    expect(notebook.view(VIEW).locator(".sc-numbers")).to_contain_text("batch 1")


def expect_ended(notebook, state: str) -> None:
    """Expect that both say within three seconds from now that they have ended, and offer nothing that cannot work."""
    began = time.monotonic()
    view, panel = notebook.view(VIEW), notebook.view(PANEL)
    expect(view.locator(".sc-state")).to_have_text(state, timeout=AT_ONCE)
    left = max(1.0, AT_ONCE - 1000 * (time.monotonic() - began))
    expect(panel).to_contain_text(re.compile(f"(The kernel|Spark) has ended.*{ADVICE}"), timeout=left)
    expect(view.get_by_role("alert")).to_contain_text(ADVICE)
    expect(view.get_by_role("button", name="Stop the stream")).to_be_hidden()
    expect(view.locator(".sc-fresh")).to_have_count(0)
    expect(view.locator(".sc-numbers")).to_contain_text("batch 1 · 2,274 rows so far")  # what was seen last
    expect(view.locator("tbody tr")).to_have_count(12)
    expect(panel.locator("button:not([aria-disabled=true])")).to_have_count(0)
    expect(panel.locator(".sc-streams li")).to_have_count(0)
    expect(panel).not_to_contain_text("Errno")
    expect(panel).to_contain_text("2 of 30 batches have landed")


def expect_kept(notebook, state: str) -> None:
    """Expect that the page that is saved and loaded again shows the last batch, and says how it ended."""
    notebook.save()
    notebook.reload()
    expect(notebook.view(VIEW)).to_contain_text(f"per_device · {state} · batch 1 · 12 rows")
    expect(notebook.view(VIEW).locator("tbody tr")).to_have_count(12)
    expect(notebook.cells.nth(PANEL)).to_contain_text("The instructor's panel was here: run the set-up cells")
    for complaint in notebook.page.get_by_text("Error displaying widget").all():
        expect(complaint).to_be_hidden()


def restart(notebook) -> None:
    notebook.choose("Kernel", "Restart Kernel…")
    notebook.page.locator(".jp-Dialog button.jp-mod-accept").click()


WAYS: dict[str, tuple[Callable, str]] = {
    "Spark is stopped": (lambda notebook: notebook.run(STOP_SPARK), SPARK_ENDED),
    "the kernel is restarted": (restart, KERNEL_ENDED),
    "the kernel is killed": (lambda notebook: notebook.start(KILL), KERNEL_ENDED),
    "the kernel is shut down": (lambda notebook: notebook.choose("Kernel", "Shut Down Kernel"), KERNEL_ENDED),
}


@pytest.mark.parametrize("way", WAYS)
def test_view_and_panel_say_at_once_that_they_have_ended_and_keep_what_was_seen(notebook, way: str, screenshot) -> None:
    end, state = WAYS[way]
    end(notebook)
    expect_ended(notebook, state)
    screenshot(notebook, way.replace(" ", "-"))
    if way == "the kernel is shut down":
        expect_kept(notebook, state)
        screenshot(notebook, "loaded-again")
        return
    if way == "the kernel is killed":
        notebook.page.locator(".jp-Dialog button.jp-mod-accept").click()  # JupyterLab's own, that it starts a new one
        notebook.wait_for_kernel()
    prepare(notebook)


def test_what_was_seen_after_a_reload_is_what_is_saved(open_notebook) -> None:
    notebook = open_notebook("ended-after-a-reload", *CELLS)
    prepare(notebook)
    notebook.save()
    notebook.reload()
    notebook.wait_for_kernel()
    notebook.run(LAND)
    expect(notebook.view(VIEW).locator(".sc-numbers")).to_contain_text("batch 2")
    notebook.save()
    notebook.choose("Kernel", "Shut Down Kernel")
    expect(notebook.view(VIEW).locator(".sc-state")).to_have_text(KERNEL_ENDED)
    notebook.page.close()
    notebook.open_page()
    expect(notebook.view(VIEW)).to_contain_text("per_device · running when this was saved · batch 2 · 12 rows")
