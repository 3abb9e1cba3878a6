"""A view and the panel without a mouse, and what a screen reader lacks of them, in a real JupyterLab."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.slow

SET_UP = """%run ../Includes/Classroom-Setup
from streaming_classroom import start_lesson
DA = start_lesson("00", dataset="device-readings/readings", into_table="bronze")
DA.data_factory.load()"""
VIEW = 'display(spark.readStream.table("bronze").groupBy("device_id").count(), streamName="per_device")'
FRAME = """display(spark.createDataFrame([(1, "x" * 3000)], "id INT, text STRING"))"""
CELLS = [SET_UP, VIEW, "DA.controls()", "DA.quiz()", FRAME, "print('last')"]
SET_UP, VIEW, PANEL, QUIZ, FRAME, LAST = range(len(CELLS))
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
# Of our own elements; what JupyterLab puts around them is its own.
FINDINGS = """
async () => {
  const ours = [...document.querySelectorAll(".sc-view, .jp-CodeCell .jp-OutputArea-output details")];
  const { violations } = await axe.run({ include: ours.filter((one) => one.getClientRects().length) });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 150))]);
}
"""
FOCUSED = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
TABS_TO_LEAVE = 30  # presses of Tab that get through any view


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook("keyboard", *CELLS)
    for cell in range(len(CELLS)):
        notebook.run(cell)
    expect(notebook.view(VIEW).locator("tbody tr").nth(5)).to_be_visible()
    expect.set_options(timeout=120_000)
    notebook.page.set_default_timeout(10_000)
    return notebook


def reached(notebook, part: Locator) -> list[str]:
    """Go by Tab through a part of the page, from its first control on; return what had the focus."""
    part.evaluate("e => e.querySelector('button, select, input, [tabindex]').focus()")
    found = []
    for _ in range(TABS_TO_LEAVE):
        if not part.evaluate("e => e.contains(document.activeElement)"):
            return found
        found.append(notebook.page.evaluate(FOCUSED))
        notebook.page.keyboard.press("Tab")
    raise AssertionError(f"the focus does not leave: {found}")


@pytest.mark.parametrize("tab", ["Table", "Chart", "Dashboard", "Raw"])
def test_axe_finds_nothing_serious_in_view_panel_and_quiz(notebook, tab: str, screenshot) -> None:
    notebook.view(VIEW).get_by_role("tab", name=tab).click()
    screenshot(notebook, tab)
    notebook.page.evaluate(AXE)
    assert notebook.page.evaluate(FINDINGS) == []


@pytest.mark.parametrize("tab", ["Table", "Chart", "Dashboard", "Raw"])
def test_every_control_of_a_view_is_reached_and_left_by_tab(notebook, tab: str) -> None:
    view = notebook.view(VIEW)
    view.get_by_role("tab", name=tab).click()
    found = reached(notebook, view)
    assert found[:3] == ["Pin the stream per_device", "Stop the stream per_device", tab]
    more = {"Table": ["device_id", "count"], "Chart": ["Chart", "x", "y", "group", "order"]}
    for name in more.get(tab, []):
        assert name in found


def test_every_control_of_the_panel_is_reached_and_left_by_tab(notebook) -> None:
    assert reached(notebook, notebook.view(PANEL)) == [
        "Start over",
        "Land the next batch",
        "Land continuously",
        "Seconds between two batches",
        "Stop the stream per_device",
    ]


@pytest.mark.parametrize("key", ["a", "b", "x", "d", "m", "ArrowDown", "Enter"])
@pytest.mark.parametrize("cell", [VIEW, PANEL, FRAME])
def test_a_key_in_a_view_is_none_of_the_notebooks(notebook, cell: int, key: str) -> None:
    part = notebook.view(cell)
    count, active = notebook.cells.count(), notebook.page.locator(".jp-mod-active").count()
    focused = part.get_by_role("button", name="Start over") if cell == PANEL else part.get_by_role("tab", name="Raw")
    if cell == FRAME:
        focused = part.get_by_role("tab", name="Table")
    focused.focus()
    notebook.page.keyboard.press(key)
    if key != "Enter":  # which, pressed twice, starts the lesson over
        notebook.page.keyboard.press(key)
    expect(focused).to_be_focused()
    assert (notebook.cells.count(), notebook.page.locator(".jp-mod-active").count()) == (count, active)
    notebook.page.keyboard.press("Escape")  # what "Enter" has armed is calm again
    expect(notebook.view(VIEW).get_by_role("button", name="Stop the stream")).to_be_visible()


@pytest.mark.parametrize("cell", [VIEW, PANEL, FRAME])
def test_escape_leaves_to_the_cell_and_keys_are_the_notebooks_again(notebook, cell: int) -> None:
    notebook.view(cell).get_by_role("button").first.focus()
    notebook.page.keyboard.press("Escape")
    expect(notebook.view(cell).locator(":focus")).to_have_count(0)
    assert "jp-mod-selected" in notebook.cells.nth(cell).get_attribute("class")
    notebook.page.keyboard.press("ArrowDown")
    assert "jp-mod-selected" in notebook.cells.nth(cell + 1).get_attribute("class")


def test_the_choices_of_a_chart_are_changed_by_arrows(notebook) -> None:
    view = notebook.view(VIEW)
    view.get_by_role("tab", name="Chart").click()
    for label in ("Chart", "x", "y", "group", "order"):
        box = view.get_by_label(label, exact=True)
        if not box.is_visible():
            continue
        box.evaluate("e => { e.selectedIndex = 0; e.dispatchEvent(new Event('change')); e.focus(); }")
        notebook.page.keyboard.press("ArrowDown")
        expect(box).to_be_focused()
        assert box.evaluate("e => e.selectedIndex") == 1, label
