"""A page for a projector, in a real JupyterLab."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

ON = "from streaming_classroom.lesson.page import present\npresent()"
TIMELINE = """
from stream_view.timelines.story import Batch, story_of
from stream_view.timelines.timeline import Timeline

Timeline(story_of("readings", [Batch(number, rows=number * 100) for number in range(4)], []))
"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    return open_notebook("presenting", ON, TIMELINE, "print('out')", "present(False)", width=800, height=700)


def size_of_code(notebook) -> float:
    return notebook.page.evaluate(
        "parseFloat(getComputedStyle(document.querySelector('.jp-Notebook .cm-content')).fontSize)"
    )


def scale(notebook) -> str:
    return notebook.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--sc-scale').trim()")


def test_it_enlarges_the_page_and_can_be_taken_back(notebook, screenshot) -> None:
    side_bar = notebook.page.locator("#jp-left-stack")
    expect(side_bar).to_be_visible()
    before = size_of_code(notebook)

    notebook.run(0)
    expect(side_bar).to_be_hidden()
    assert size_of_code(notebook) == pytest.approx(1.5 * before)
    assert scale(notebook) == "1.5"

    notebook.run(1)
    picture = notebook.output(1).locator("svg[role=img]")
    assert picture.bounding_box()["width"] >= 900  # wider than the page, and as it was drawn
    screenshot(notebook, "on")

    notebook.run(2)
    notebook.run(3)
    expect(side_bar).to_be_visible()
    assert (size_of_code(notebook), scale(notebook)) == (before, "")
    assert picture.bounding_box()["width"] < 700
    screenshot(notebook, "off")
