"""A lesson with exercises asks for a line early, and for three before the first exercise."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell

from .conftest import Draft

ASKING = ("DA.predict('07.a', ...)  # replace ... with your number", "x = 2  # change 2, and run it again")


def told(draft: Draft) -> list[str]:
    return [problem.message for problem in draft.check() if problem.rule == "own-lines"]


@pytest.fixture
def exercised(draft: Draft) -> Draft:
    """Give a lesson with an exercise at its end that asks for nothing before."""
    draft.insert(len(draft.cells), new_code_cell("x = None", metadata={"tags": ["exercise"]}))
    return draft


def test_a_lesson_without_exercises_asks_for_nothing(draft: Draft) -> None:
    assert told(draft) == []


def test_a_lesson_that_only_shows_is_told_both(exercised: Draft) -> None:
    early_line, enough = told(exercised)
    assert "one of the first 5 code cells" in early_line
    how = "by a comment that says what to change, replace, write, fill in or remove, as in '# change 5 to 6'"
    assert enough == f"let 3 cells before the first exercise ask for a line, {how}; 0 do"


def test_lines_to_change_in_python_and_sql_and_predictions_count(exercised: Draft) -> None:
    for source in (*ASKING, "%sql\nSELECT 1 -- change 1 to 2"):
        exercised.insert(4, new_code_cell(source))
    assert told(exercised) == []


def test_a_first_line_that_comes_late_is_told(exercised: Draft) -> None:
    for source in ASKING * 2:
        exercised.insert(len(exercised.cells) - 1, new_code_cell(source))
    [message] = told(exercised)
    assert "one of the first 5 code cells" in message


@pytest.mark.parametrize("name", ["07L-A-Small-Lesson.ipynb", "07X-A-Small-Lesson.ipynb"])
def test_labs_and_companions_need_none(exercised: Draft, name: str) -> None:
    exercised.name = name
    assert told(exercised) == []
