"""`course.py lab` as a learner and an instructor start it, from the first page on."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from browser_harness import CELLS, choose_theme, median_lightness, running_course
from streaming_classroom.files import directories

LESSON = "00-Start-Here.ipynb"


@pytest.fixture
def opened(tmp_path: Path, browser: Browser):
    """Start the command with some options, and open the page that it names."""
    with ExitStack() as stack:

        def start(*options: str, path: str = "") -> Page:
            address = stack.enter_context(running_course(tmp_path, *options))
            page = browser.new_page(viewport={"width": 1300, "height": 1000})
            page.set_default_timeout(120_000)
            page.goto(f"{address}{path}?token=t")
            page.wait_for_selector(f"{CELLS} >> visible=true")
            return page

        yield start


def outputs_of(path: Path) -> int:
    return sum(len(cell.get("outputs", [])) for cell in nbformat.read(path, as_version=4).cells)


@pytest.mark.slow
def test_the_first_cell_runs_although_its_kernel_is_not_there_yet(opened) -> None:
    page = opened()
    page.locator(CELLS).first.locator(".jp-InputArea-editor").click()
    page.keyboard.press("Shift+Enter")  # at once, as the text says
    expect(page.get_by_text("Select Kernel")).to_have_count(0)
    expect(page.locator(CELLS).first.locator(".jp-InputPrompt")).to_have_text("[1]:")


@pytest.mark.slow
def test_a_learner_has_copies_without_outputs_a_quiz_that_answers_and_the_glossary(opened, tmp_path: Path) -> None:
    page = opened()
    assert f"notebooks/{LESSON}" in page.url  # the first lesson, at once
    expect(page.locator(f"{CELLS} .jp-OutputArea-output")).to_have_count(0)
    copy = tmp_path / "work" / "notebooks" / LESSON
    assert outputs_of(copy) == 0 < outputs_of(directories.notebooks() / LESSON)
    page.wait_for_selector("text=Python 3 (ipykernel) | Idle")

    for cell in (
        page.locator(CELLS).filter(has_text="Classroom-Setup"),
        page.locator(CELLS).filter(has_text="DA = start_lesson"),
        page.locator(CELLS).filter(has_text="DA.quiz(1)"),
    ):
        cell.locator(".jp-InputArea-editor").click()
        page.keyboard.press("Control+Enter")
    right = page.get_by_text("It keeps running, because the kernel is still there.")
    reason = page.get_by_text("Kernel and stream do not need a page.")
    expect(reason).to_be_hidden()
    right.click()
    expect(reason).to_be_visible()

    page.get_by_role("link", name="glossary").first.click()
    expect(page.locator(".jp-MarkdownViewer").get_by_role("heading", name="Watermark")).to_be_visible()


@pytest.mark.slow
def test_for_a_projector_the_lesson_has_the_page_to_itself_and_its_outputs_on_request(opened) -> None:
    page = opened("--present", "--with-outputs")
    assert f"/doc/tree/notebooks/{LESSON}" in page.url
    expect(page.locator("#jp-left-stack")).to_be_hidden()
    expect(page.locator(f"{CELLS} .jp-OutputArea-output").nth(10)).to_be_attached()  # they come after the cells
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.jp-Notebook .cm-content')).fontSize)")
    assert size >= 18  # half as large again as the 13 px that JupyterLab has


@pytest.mark.slow
def test_the_drawing_of_a_lesson_is_dark_in_the_dark_theme(opened) -> None:
    page = opened()
    drawing = page.locator(".jp-RenderedMarkdown img[src*='.svg']").first
    assert median_lightness(drawing) > 230
    choose_theme(page, "Dark")
    assert median_lightness(drawing) < 50
