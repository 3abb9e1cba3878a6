"""The parts of a lesson: opening, frame, sections, predictions, questions."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from lesson_linter.rules import EXCUSES

FIVE = "<details><summary>5. Is it <code>small</code>?</summary>\n\nYes.\n</details>\n"


@pytest.mark.parametrize(
    ("cell", "old", "new", "line", "rule", "says"),
    [
        (1, "# 07 · A Small", "# 08 · A Small", 1, "title", "'# 07 · A Small Lesson'"),
        (1, "A Small Lesson", "A Large Lesson", 1, "title", "'# 07 · A Small Lesson'"),
        (1, "07 · A", "07 - A", 1, "title", "'# 07 · A Small Lesson'"),
        (1, "Somebody must begin.\n", "", 1, "why", "say why"),
        (1, "**The question:**", "The question:", None, "question", "add a line '**The question:** …?'"),
        (1, "lesson be?", "lesson be.", 5, "question", "question mark"),
        (1, "**After this lesson, you can**", "You can", None, "objectives", "add a line '**After this"),
        (1, "* count its rows;\n", "", 8, "objectives", "at least 3 objectives"),
        (1, "4 minutes", "a while", None, "time", "'**Time:** NN minutes.'"),
        (1, "For instructors", "For teachers", None, "instructors", "<details><summary>For instructors"),
        (1, "takes five minutes", "is short", 16, "instructors", "where its minutes go"),
        (2, "%run ", "# it\n%run ", None, "set-up", "'%run ../Includes/Classroom-Setup', alone"),
        (2, "-Setup", "-Setup-07", None, "set-up", "'%run ../Includes/Classroom-Setup', alone"),
        (3, "07", "08", None, "set-up", "'DA = start_lesson(\"07\", ...)', alone"),
        (3, "DA", "lesson", None, "set-up", "'DA = start_lesson(\"07\", ...)', alone"),
        (3, "DA", "x = 1\nDA", None, "set-up", "'DA = start_lesson(\"07\", ...)', alone"),
        (9, "print(1)", "\n%run ../Includes/Classroom-Setup", 2, "set-up", "in the lesson's first cell"),
        (14, "DA.cleanup()", "DA.cleanup()\n", None, "cleanup", "'DA.cleanup()', alone"),
        (10, "print(1)", "DA.cleanup()", 1, "cleanup", "in the last cell only"),
        (8, "## 2. A", "## 3. A", 1, "sections", "number this section: '## 2. …'"),
        (8, "## 2. A", "## A", 1, "sections", "number this section: '## 2. …'"),
        (13, "## Recap\n\n* It is small.\n", "", None, "ending", "add the section '## Recap'"),
        (13, "## Recap\n", "## Experiment\n\nx\n\n## Recap\n", 7, "sections", "one section of the two"),
        (13, "\n## Recap", "\n## 3. Late\n\nx\n\n## Recap", 7, "sections", "before '## Experiment'"),
        (13, "* Change it.\n", "", 3, "sections", "write this section"),
        (6, "**Predict:**", "**Guess:**", None, "predictions", "at least 3 results"),
        (6, "now?", "now.", 3, "predictions", "question mark"),
        (13, FIVE, "", 11, "questions", "at least 5 questions"),
        (13, "3. Is", "4. Is", 23, "questions", "number this question 3"),
        (13, "3. Is it", "Is it", 23, "questions", "'3. …?'"),
        (13, "</code>?", "</code>.", 13, "questions", "'1. …?'"),
        (13, "\nYes.\n", "", 13, "questions", "write the answer"),
    ],
)
def test_a_lesson_with_a_wrong_part(draft, one_problem, cell, old, new, line, rule, says) -> None:
    draft.change(cell, old, new)
    found = one_problem()
    about_all = line is None and rule in ("ending", "predictions")
    assert found[:3] == (None if about_all else cell, line, rule)
    assert says in found[3]


def test_the_title_is_compared_without_case_and_punctuation(draft) -> None:
    draft.change(1, "A Small Lesson", "A small: lesson")
    assert draft.check() == []


def test_a_file_without_a_lessons_name(draft) -> None:
    draft.name = "Small.ipynb"
    assert (None, "name the file like 07-Title.ipynb") in [(p.cell, p.message) for p in draft.check()]


def test_a_lesson_that_begins_with_code(draft) -> None:
    draft.remove(1)
    found = [(problem.cell, problem.rule) for problem in draft.check()]
    assert found == [(1, "title"), (1, "set-up-is-second")]


def test_a_lesson_without_code(draft) -> None:
    draft.cells = [cell for cell in draft.cells if cell.cell_type == "markdown"]
    assert {"set-up", "cleanup", "break"} <= {problem.rule for problem in draft.check()}


def test_a_page_before_the_set_up(draft, one_problem) -> None:
    draft.insert(2, new_markdown_cell("Read."))
    assert one_problem()[:3] == (3, None, "set-up-is-second")


def test_only_what_is_declared_is_excused_and_each_excuse_has_a_reason(draft) -> None:
    assert {lesson: set(rules) for lesson, rules in EXCUSES.items()} == {"00": {"set-up-is-second"}}
    assert all(reason.endswith(".") for rules in EXCUSES.values() for reason in rules.values())
    draft.insert(2, new_markdown_cell("Read."))
    draft.name = "00-A-Small-Lesson.ipynb"
    assert "set-up-is-second" not in {problem.rule for problem in draft.check()}


def test_sections_in_another_order(draft, one_problem) -> None:
    draft.change(13, "## Experiment", "## X")
    draft.change(13, "## Recap", "## Experiment")
    draft.change(13, "## X", "## Recap")
    assert one_problem() == (13, 7, "sections", "move this section before '## Recap'")


def test_a_lesson_without_numbered_sections(draft) -> None:
    for cell in (4, 8):
        draft.change(cell, "## ", "### ")
    assert [(p.cell, p.rule, p.message[:18]) for p in draft.check()] == [(None, "sections", "divide the lesson ")]


def test_a_section_may_go_on_in_the_next_cells(draft) -> None:
    draft.change(13, "* Change it.\n\n", "")
    draft.change(13, "\n## Recap", "")
    first, second = draft.cells[12].source.split("\n* It is small", 1)
    draft.cells[12].source = first
    draft.insert(14, new_code_cell("1"), new_markdown_cell("## Recap\n\n* It is small" + second))
    draft.change(1, "4 minutes", "5 minutes")
    assert draft.check() == []


def test_a_prediction_without_a_cell_that_answers(draft, one_problem) -> None:
    draft.insert(7, new_markdown_cell("Wait."))
    assert one_problem() == (6, 3, "predictions", "let the cell that shows the answer follow the prediction")


def test_nothing_breaks(draft, one_problem) -> None:
    draft.remove(12)
    assert one_problem()[:3] == (None, None, "break")


def test_what_should_break_does_not(draft, one_problem) -> None:
    draft.cells[11].outputs = []
    assert one_problem() == (12, None, "break", "let this cell fail, or take its tag raises-exception away")


def test_an_error_that_nobody_explains(draft, one_problem) -> None:
    draft.insert(13, new_code_cell("1"))
    assert one_problem() == (12, None, "break", "explain the error in a Markdown cell right below")
