"""A lesson has exercises, a quiz and a stated time; a lab, a wrap-up and a companion have forms of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from lesson_linter.rules import EXCUSES
from streaming_classroom.exercises import Choice, Question, catalogue
from streaming_classroom.files import directories

from .conftest import OPENING, Draft, marked, number

SOLUTION = 'DA.exercise("07.1")\n\nquery = (stream.where("x < 3 AND y > 2")\n    .start())'
EXERCISE = replace(catalogue.find("01.3"), id="07.1", title="Count", starter="\nquery = None\n", solution=SOLUTION)
REASON = "Because."
QUESTION = Question("Why?", (Choice("a", REASON), Choice("b", REASON, is_right=True), Choice("c", REASON)))


@pytest.fixture
def exercised(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Return a lesson of the course with one exercise, in cells 12 to 14."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(catalogue, "exercises_of", lambda _number: (EXERCISE,))
    starter = new_code_cell("query = None", metadata={"tags": ["exercise"]})
    draft.change(1, "4 minutes", "10 minutes")
    draft.change(8, "*2 minutes*", "*8 minutes*")
    for cell in (5, 9, 10):
        draft.change(cell, "print(1)", "print(1)  # change 1")
    draft.insert(12, new_markdown_cell("### Your turn 07.1: Count\n\nCount."), starter, marked('DA.check("07.1")'))
    return draft


def test_a_lesson_with_an_exercise_has_no_problem(exercised: Draft) -> None:
    assert exercised.check() == []


@pytest.mark.parametrize(
    ("cell", "old", "new", "says"),
    [
        (12, "Count", "Sum", "let '### Your turn 07.1: Count' stand in the cell above"),
        (13, "None", "1", "let the cell be the starter of exercise 07.1"),
    ],
)
def test_an_exercise_is_as_in_its_source(exercised: Draft, cell: int, old: str, new: str, says: str) -> None:
    exercised.change(cell, old, new)
    [message] = exercised.messages("exercises")
    assert says in message


@pytest.mark.parametrize(
    ("exercises", "says"),
    [
        ((), "write this exercise in exercises/lesson_07"),
        ((EXERCISE, replace(EXERCISE, id="07.2")), "put exercise 07.2 into a cell with the tag exercise"),
        ((replace(EXERCISE, wrong=EXERCISE.wrong[:2]),), "three wrong answers"),
    ],
)
def test_the_source_of_exercises_is_complete(exercised: Draft, monkeypatch, exercises: tuple, says: str) -> None:
    monkeypatch.setattr(catalogue, "exercises_of", lambda _number: exercises)
    [message] = exercised.messages("exercises")
    assert says in message


def test_a_lesson_with_exercises_asks_for_lines_before(exercised: Draft) -> None:
    for cell in (5, 9, 10):
        exercised.change(cell, "  # change 1", "")
    [message] = exercised.messages("own-lines")
    assert "one of the first 6 code cells" in message


def test_a_lesson_with_an_early_exercise_needs_no_lines_before(exercised: Draft) -> None:
    for cell in (5, 9, 10):
        exercised.change(cell, "  # change 1", "")
    exercised.cells[3:11] = []
    assert exercised.messages("own-lines") == []


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (["DA.quiz(1)"], "ask 'DA.quiz(2)' at the end of the section that it is about"),
        (["DA.quiz(1)", "DA.quiz(1)", "DA.quiz(2)"], "ask question 2 here: the quiz is in the lesson's order"),
        (["DA.quiz(1)", "DA.quiz(2)"], None),
    ],
)
def test_a_quiz_is_asked_once_and_in_order(exercised: Draft, monkeypatch, cells: list[str], says: str | None) -> None:
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: (QUESTION,) * 2)
    exercised.insert(11, *(marked(cell) for cell in cells))
    assert exercised.messages("quiz") == ([says] if says else [])


@pytest.mark.slow
def test_a_section_and_the_lesson_state_the_time_that_they_need(draft: Draft) -> None:
    draft.insert(6, new_markdown_cell("word " * 1800))
    total, section = draft.messages("time")
    assert section == "state the section's time below its heading: '*11 minutes*'"
    assert total.startswith("state 14 minutes, the sum")


def test_a_lesson_fits_into_its_time(draft: Draft) -> None:
    draft.insert(6, new_markdown_cell("word " * 180 * 41))
    before = draft.messages("core")
    draft.insert(6, new_markdown_cell("word " * 180))
    [message] = draft.messages("core")
    assert before == []
    assert message.endswith("it takes 46 minutes, 45 at most")


@pytest.mark.parametrize("letter", ["L", "W", "X"])
def test_another_form_is_excused_from_rules_that_a_lesson_breaks(draft: Draft, letter: str) -> None:
    form = EXCUSES[letter]
    before, after = OPENING.replace("# 07", f"# 07{letter}").split("**After this lesson, you can**")
    starter = new_code_cell("x = None", metadata={"tags": ["exercise"]})
    draft.cells[0].source = before + after[after.index("**Time:**") :]
    given = [new_code_cell(f"print({place})") for place in range(5)]  # an early exercise would need no lines before it
    draft.cells[3:13] = [new_markdown_cell("## 1. A step\n\nCount."), *given, starter]
    number(draft.cells, f"07{letter}")
    draft.name = f"07{letter}-A-Small-Lesson.ipynb"
    excused = {problem.rule for problem in draft.check()}
    draft.name = "07-A-Small-Lesson.ipynb"
    assert not excused & form.keys()
    assert {problem.rule for problem in draft.check()} >= form.keys() - {"question"}
    assert "time" in excused
    assert all(reason.endswith(".") for reason in [*form.values(), *EXCUSES["00"].values()])


def test_a_lab_has_three_exercises_and_shows_no_solution(exercised: Draft) -> None:
    exercised.name = "07L-A-Small-Lesson.ipynb"
    exercised.cells[11].source += f"\n\n```python\n{SOLUTION}\n```"
    assert sorted(exercised.messages("lab")) == [
        "give the lab at least 3 exercises, or make it a part of a lesson",
        "take the solution of exercise 07.1 out of this cell",
    ]


def test_a_wrap_up_has_no_hints(exercised: Draft) -> None:
    exercised.name = "07W-A-Small-Lesson.ipynb"
    assert exercised.messages("exercises") == ["take the hints of 07.1 away: a wrap-up has none"]
