"""A quiz gives a reason for each choice, as a page that folds and as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom.exercises import Choice, Question, catalogue
from streaming_classroom.exercises.grader import Grader
from streaming_classroom.exercises.quiz import NoQuiz, NoSuchChoice, answer_shown, quiz_shown

QUESTIONS = (
    Question(
        "Is `1 < 2`?",
        (
            Choice("No", "Count again."),
            Choice("Yes", "One comes before two.", is_right=True),
            Choice("Never", "There is no clock in it."),
        ),
    ),
    Question(
        "And `2 < 1`?",
        (Choice("No", "Two comes after.", is_right=True), Choice("Yes", "Look."), Choice("Some", "No.")),
    ),
)


@pytest.fixture(autouse=True)
def _record_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what these tests choose out of the progress of whoever runs them."""
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "home"))


def test_the_text_has_no_reason_and_says_how_to_get_one() -> None:
    text = str(quiz_shown(QUESTIONS))
    assert "   b) Yes" in text and "2. And 2 < 1?" in text
    assert not [choice.reason for question in QUESTIONS for choice in question.choices if choice.reason in text]
    assert text.endswith('DA.quiz(1, "a") says whether a choice is right, and why.')


@pytest.mark.parametrize(
    ("number", "letter", "says"),
    [
        (1, "b", "✓ 1b Right: One comes before two."),
        (1, " B ", "✓ 1b Right: One comes before two."),
        (1, "a", "✗ 1a Not this one: Count again."),
        (2, "a", "✓ 2a Right: Two comes after."),
    ],
)
def test_a_choice_that_is_typed_is_answered(number: int, letter: str, says: str) -> None:
    assert str(answer_shown(QUESTIONS, number, letter)) == says


@pytest.mark.parametrize(("number", "letter"), [(0, "a"), (3, "a"), (1, "d"), (1, ""), (1, "ab"), ("x", "a"), (1, 2)])
def test_what_is_no_choice_is_refused_in_a_sentence(number: object, letter: object) -> None:
    with pytest.raises(NoSuchChoice, match=r"name one of its 2 questions by number and a choice by letter"):
        answer_shown(QUESTIONS, number, letter)  # type: ignore[arg-type]


@pytest.mark.parametrize("right", [(), (0, 1)])
def test_a_question_has_one_right_choice(right: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="one of them right"):
        Question("?", tuple(Choice(str(i), "why", is_right=i in right) for i in range(3)))


def test_a_lesson_without_a_quiz_says_so() -> None:
    with pytest.raises(NoQuiz, match="Lesson 98 has no quiz"):
        Grader(None, None, {}).quiz("98")  # type: ignore[arg-type]


def test_a_lesson_shows_its_own_quiz() -> None:
    grader = Grader(None, None, {})  # type: ignore[arg-type]
    assert str(grader.quiz("01")) == str(quiz_shown(catalogue.quiz_of("01")))
    assert str(grader.quiz("01", 2)) == str(quiz_shown(catalogue.quiz_of("01"), 2))
    right = "abc"[[choice.is_right for choice in catalogue.quiz_of("01")[0].choices].index(True)]
    assert str(grader.quiz("01", 1, right)).startswith(f"✓ 1{right} Right")


@pytest.mark.parametrize("lesson", catalogue.quizzes())
def test_the_right_choice_of_a_lesson_is_not_always_in_the_same_place(lesson: str) -> None:
    questions = catalogue.quiz_of(lesson)
    places = {[choice.is_right for choice in question.choices].index(True) for question in questions}
    assert len(places) > 1 or len(questions) < 3
    for question in questions:
        reasons = [choice.reason for choice in question.choices]
        assert all(reasons) and len(set(reasons)) == len(reasons)


def test_a_choice_is_recorded_and_progress_says_how_a_quiz_went() -> None:
    grader = Grader(None, None, {})  # type: ignore[arg-type]
    assert "; a quiz of" in line_of("05", grader)
    questions = catalogue.quiz_of("05")
    for number, question in enumerate(questions, start=1):
        right = "abcdef"[[choice.is_right for choice in question.choices].index(True)]
        wrong = next(letter for letter in "abc" if letter != right)
        grader.quiz("05", number, wrong if number == 1 else right)
        grader.quiz("05", number, right)
    assert f"; quiz: {len(questions) - 1} of {len(questions)} right at once" in line_of("05", grader)
    with pytest.raises(NoSuchChoice):
        grader.quiz("05", 99, "a")


def test_a_prediction_is_recorded_unless_nobody_made_one() -> None:
    grader = Grader(None, None, {})  # type: ignore[arg-type]
    assert str(grader.predict("05.a", ...)).startswith("○ 05.a: no prediction yet.")
    assert "prediction" not in line_of("05", grader)
    assert str(grader.predict("05.a", 3)) == "● 05.a: you predict 3. Run the next cell to see what happens."
    assert "; 0 of 1 prediction right" in line_of("05", grader)


def test_an_outcome_says_how_far_the_prediction_was_from_it() -> None:
    grader = Grader(None, None, {})  # type: ignore[arg-type]
    assert str(grader.outcome("05.a", 5)) == "05.a: 5"
    grader.predict("05.a", 3)
    assert str(grader.outcome("05.a", 5)) == "✗ 05.a: 5; you predicted 3, off by 2"
    grader.predict("05.b", "append")
    assert str(grader.outcome("05.b", "update")) == "✗ 05.b: 'update'; you predicted 'append'"
    grader.predict("05.a", 5)
    assert str(grader.outcome("05.a", 5)) == "✓ 05.a: 5, as you predicted"
    assert grader.predictions.summary() == "1 of 2 predictions right."
    assert "; 1 of 2 predictions right" in line_of("05", grader)


def line_of(lesson: str, grader: Grader) -> str:
    return next(line for line in str(grader.progress()).splitlines() if line.startswith(f"{lesson} "))
