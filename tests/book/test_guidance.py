"""Quizzes that answer, hints that fold, and no solution."""

from __future__ import annotations

from bs4 import BeautifulSoup

from book.guidance import hints_html, quiz_html
from streaming_classroom.exercises.exercise import Exercise
from streaming_classroom.exercises.question import Choice, Question

QUESTION = Question(
    "Is `a < b`?", (Choice("No.", "Look again."), Choice("Yes.", "So it is.", True), Choice("Both.", "It cannot be."))
)
EXERCISE = Exercise(
    "05.2", "Title", "starter", ("concept", "use `x < y`"), "the solution", "the reason", lambda attempt: None, ()
)


def test_each_choice_opens_and_says_whether_it_is_right_and_why() -> None:
    page = BeautifulSoup(quiz_html(3, QUESTION), "html.parser")
    said = [choice.get_text(" ", strip=True) for choice in page.find_all("details")]
    assert said == [
        "a) No. ✗ Not this one. Look again.",
        "b) Yes. ✓ Right. So it is.",
        "c) Both. ✗ Not this one. It cannot be.",
    ]


def test_the_question_names_its_group_for_those_who_do_not_see_it() -> None:
    page = BeautifulSoup(quiz_html(3, QUESTION), "html.parser")
    assert page.find(id=page.div["aria-labelledby"]).get_text(" ", strip=True) == "Question 3 Is a < b ?"


def test_hints_are_folded_each_into_the_one_before() -> None:
    first = BeautifulSoup(hints_html(EXERCISE), "html.parser").details
    assert first.summary.get_text() == "Hint 1 of 2"
    assert first.details.p.get_text() == "use x < y"
    assert not [fold for fold in (first, first.details) if fold.has_attr("open")]


def test_a_solution_is_not_there() -> None:
    html = hints_html(EXERCISE)
    assert "the solution" not in html and "the reason" not in html
