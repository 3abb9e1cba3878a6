"""A lesson's quiz is asked once, among its questions, and has a source."""

from __future__ import annotations

import pytest

from streaming_classroom.exercises import Choice, Question, catalogue
from streaming_classroom.files import directories

from .conftest import Draft, marked

REASON = "Because."
QUESTION = Question("Why?", (Choice("a", REASON), Choice("b", REASON, is_right=True), Choice("c", REASON)))
FURTHER = "## Further reading"
FIRST = 12  # the cell of the first question


@pytest.fixture
def quizzed(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Give a lesson of the course whose only questions are a quiz of five, all asked in its second section."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(catalogue, "of_lesson", lambda _number: ())
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: (QUESTION,) * 5)
    [cell] = [cell for cell in draft.cells if "## Questions" in cell.source]
    before, rest = cell.source.split("## Questions")
    cell.source = f"{before}{FURTHER}{rest.split(FURTHER)[1]}"
    draft.insert(FIRST, *(marked(f"DA.quiz({number})") for number in range(1, 6)))
    draft.change(8, "*2 minutes*", "*6 minutes*")
    draft.change(1, "4 minutes", "8 minutes")
    return draft


def said(draft: Draft, rule: str = "quiz") -> list[str]:
    return [problem.message for problem in draft.check() if problem.rule == rule]


def test_a_quiz_in_its_place_is_no_problem_and_counts_as_questions(quizzed: Draft) -> None:
    assert quizzed.check() == []


def test_too_few_questions_in_all_are_said(quizzed: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: (QUESTION,) * 4)
    assert "in the quiz or each a <details>" in said(quizzed, "questions")[0]


def test_a_question_that_nobody_asks_is_said(quizzed: Draft) -> None:
    quizzed.remove(FIRST + 4)
    assert said(quizzed) == ["ask 'DA.quiz(5)' at the end of the section that it is about"]


@pytest.mark.parametrize("code", ["DA.quiz(1);", 'DA.quiz(1, "b")', "x = DA.quiz(1)", "DA.quiz()"])
def test_anything_but_one_question_is_said(quizzed: Draft, code: str) -> None:
    quizzed.change(FIRST, "DA.quiz(1)", code)
    assert said(quizzed)[1] == "let this cell show one question: 'DA.quiz(1)'"


def test_a_question_out_of_order_and_one_that_comes_twice_are_said(quizzed: Draft) -> None:
    quizzed.insert(FIRST + 2, marked("DA.quiz(2)"))
    assert said(quizzed) == ["ask question 3 here: the quiz is in the lesson's order"]
    quizzed.change(FIRST + 2, "DA.quiz(2)", "DA.quiz(4)")
    assert said(quizzed) == ["ask question 3 here: the quiz is in the lesson's order"]


def test_a_quiz_without_a_source_is_said(quizzed: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: ())
    assert set(said(quizzed)) == {"write this lesson's quiz in exercises/"}
