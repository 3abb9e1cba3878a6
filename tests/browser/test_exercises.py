"""An exercise as a learner meets it: the box under the check, its hints and solution, and what is left of it later."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from browser_harness import faint_texts
from streaming_classroom.exercises import catalogue

SET_UP = """
%run ../Includes/Classroom-Setup
from streaming_classroom import start_lesson
DA = start_lesson("exercises", dataset="device-readings/readings", into_table="bronze")
DA.data_factory.load()
"""
EXERCISE = catalogue.find("01.3")
CHECK = 'DA.check("01.3")'


@pytest.fixture
def lesson(open_notebook):
    wrong = next(answer.code for answer in EXERCISE.wrong if "every reading" in answer.verdict)
    cells = [SET_UP, EXERCISE.starter.strip(), CHECK, wrong.strip(), CHECK, EXERCISE.solution.strip(), CHECK]
    notebook = open_notebook("exercises", *cells, 'DA.hint("01.3")', "DA.progress()")
    notebook.run(0)
    return notebook


def box(lesson, cell: int) -> Locator:
    """Run a cell and return the box that it shows."""
    lesson.run(cell)
    return lesson.cells.nth(cell).locator(".sc-verdict")


def test_the_box_says_how_it_stands_helps_step_by_step_and_is_there_after_a_reload(lesson, screenshot) -> None:
    lesson.run(1)
    expect(box(lesson, 2)).to_contain_text("○ 01.3 A stream of your own, in a table")
    lesson.run(3)
    wrong = box(lesson, 4)
    expect(wrong).to_contain_text("faulty_readings has every reading")
    hints = [hint.split("`")[0].strip() for hint in EXERCISE.hints]
    for name, hint in zip(("Hint", "Next hint", "Next hint"), hints, strict=True):
        shown = wrong.get_by_text(name, exact=True).locator("visible=true").last
        shown.click()
        if hint:
            expect(wrong.get_by_text(hint).last).to_be_visible()
    left = [wrong.get_by_text(name, exact=True).bounding_box()["x"] for name in ("Hint", "Solution")]
    assert left[0] == left[1]  # an open hint does not push it away
    solution = wrong.locator("pre")
    expect(solution).to_be_hidden()
    wrong.get_by_text("Solution", exact=True).click()
    expect(solution).to_contain_text("availableNow=True")
    screenshot(lesson, "exercise")
    lesson.run(5)
    expect(box(lesson, 6)).to_contain_text("✓ 01.3")
    expect(box(lesson, 7)).to_contain_text("Hint 1 of 3")
    expect(box(lesson, 8)).to_contain_text("1 of 3 right")
    lesson.save()
    lesson.reload()
    expect(lesson.cells.nth(4).locator(".sc-verdict")).to_contain_text("every reading")
    lesson.cells.nth(4).locator(".sc-verdict").get_by_text("Hint", exact=True).click()
    screenshot(lesson, "exercise-later")
    for theme in ("Dark", "Light"):
        lesson.choose_theme(theme)
        assert [faint_texts(lesson.cells.nth(cell).locator(".sc-verdict")) for cell in (2, 4, 6)] == [[], [], []]
