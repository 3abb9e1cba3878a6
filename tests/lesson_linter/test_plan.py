"""A lesson states what reading, running, trying and answering take, section by section and in all."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from lesson_linter import plan, questions
from lesson_linter.lesson_file import read

from .conftest import Draft


def needed(draft: Draft) -> list[float]:
    return [part.needs for part in plan.parts(read(draft.write()))]


def told(draft: Draft, rule: str) -> list[str]:
    return [problem.message for problem in draft.check() if problem.rule == rule]


def added_by(draft: Draft, cell) -> list[float]:
    """Return what a cell in the first of the two sections adds to the rest and to each section."""
    before = needed(draft)
    draft.insert(6, cell)
    return [after - was for after, was in zip(needed(draft), before, strict=True)]


@pytest.mark.parametrize(
    ("text", "adds"),
    [
        ("word " * 180, 1),
        ("<details><summary>More</summary>\n\n" + "word " * 180 + "\n\n</details>", 0),
        ("![" + "word " * 90 + "](images/07-road.svg)", 0.5),
    ],
)
def test_words_take_time_where_they_stand_and_what_is_folded_does_not(draft: Draft, text: str, adds: float) -> None:
    assert added_by(draft, new_markdown_cell(text)) == pytest.approx([0, adds, 0])


@pytest.mark.parametrize(
    ("source", "tags", "adds"),
    [
        ("x = 1", [], 25 / 60),
        ("x = 1\n" * 15, [], 25 / 60),
        ("x = None", ["exercise"], 6),
        ('DA.check("07.1")', [], 0),  # is part of its exercise
        ("DA.quiz(2)", [], 4 / 5),
        ("DA.quiz()", [], 4),
    ],
)
def test_a_cell_an_exercise_and_a_question_take_their_time(
    draft: Draft, monkeypatch: pytest.MonkeyPatch, source: str, tags: list[str], adds: float
) -> None:
    monkeypatch.setattr(plan, "quiz_questions", lambda _lesson: ("a question",) * 5)
    assert added_by(draft, new_code_cell(source, metadata={"tags": tags})) == pytest.approx([0, adds, 0])


def test_the_task_of_a_wrap_up_takes_forty_minutes(draft: Draft) -> None:
    draft.name = "07W-A-Small-Lesson.ipynb"
    assert added_by(draft, new_code_cell("x = None", metadata={"tags": ["exercise"]})) == pytest.approx([0, 40, 0])


def test_the_include_takes_none(draft: Draft) -> None:
    before = needed(draft)
    draft.change(2, "%run", "# word\n%run")
    assert needed(draft) == before


def test_a_section_that_states_another_time_is_told_its_own(draft: Draft) -> None:
    assert told(draft, "time") == []
    draft.insert(6, new_markdown_cell("word " * 1800))
    total, wrong = told(draft, "time")
    assert wrong == "state the section's time below its heading: '*11 minutes*'"
    assert total.startswith("state 14 minutes, the sum")


def test_a_section_that_states_none_is_told(draft: Draft) -> None:
    draft.change(4, "\n\n*1 minute*", "")
    assert told(draft, "time") == ["state the section's time below its heading: '*1 minute*'"]


@pytest.mark.parametrize(("name", "most"), [("07-A-Small-Lesson.ipynb", 45), ("07L-A-Small-Lesson.ipynb", 50)])
def test_a_lesson_fits_into_forty_five_minutes_and_a_lab_into_fifty(draft: Draft, name: str, most: int) -> None:
    draft.name = name
    draft.insert(6, new_markdown_cell("word " * 180 * (most - 4)))
    assert told(draft, "core") == []
    draft.insert(6, new_markdown_cell("word " * 180))
    [message] = told(draft, "core")
    assert message.endswith(f"it takes {most + 1} minutes, {most} at most")


def test_questions_of_the_plan_are_the_lessons_own() -> None:
    assert plan.quiz_questions is questions.quiz_questions
