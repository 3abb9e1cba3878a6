"""The drawings of the lessons with this machine's font: on Linux that is often DejaVu Sans, wider than most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streaming_classroom.files import directories

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DRAWINGS = sorted((directories.notebooks() / "images").glob("*.svg"))
# The texts that reach out of the drawing.
OUTSIDE = """() => {
  const paper = document.querySelector("svg").getBoundingClientRect();
  const reachesOut = ({ left, right, top, bottom }) =>
    left < paper.left || right > paper.right || top < paper.top || bottom > paper.bottom;
  return [...document.querySelectorAll("text")]
    .filter((text) => reachesOut(text.getBoundingClientRect())).map((text) => text.textContent);
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    return browser.new_page(viewport={"width": 1280, "height": 800})


def test_there_are_drawings() -> None:
    assert DRAWINGS


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)
def test_no_text_runs_out_of_its_drawing(page: Page, drawing) -> None:
    page.set_content(drawing.read_text(encoding="utf-8"))
    assert page.evaluate(OUTSIDE) == []
