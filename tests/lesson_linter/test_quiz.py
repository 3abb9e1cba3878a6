"""A lesson's quiz is asked once, among its questions, and has a source."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_markdown_cell

from streaming_classroom.exercises import Choice, Question, catalogue
from streaming_classroom.files import directories

from .conftest import Draft, marked

REASON = "Because."
QUESTION = Question("Why?", (Choice("a", REASON), Choice("b", REASON, is_right=True), Choice("c", REASON)))
FURTHER = "## Further reading"


@pytest.fixture
def quizzed(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Give a lesson of the course whose only questions are a quiz of five."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(catalogue, "of_lesson", lambda _number: ())
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: (QUESTION,) * 5)
    cell = ending(draft)
    before, rest = draft.cells[cell].source.split("## Questions")
    draft.cells[cell].source = f"{before}## Questions\n\nChoose."
    draft.insert(cell + 2, marked("DA.quiz()"), new_markdown_cell(FURTHER + rest.split(FURTHER)[1]))
    return draft


def ending(draft: Draft) -> int:
    return next(i for i, cell in enumerate(draft.cells) if "## Questions" in cell.source)


def said(draft: Draft, rule: str = "quiz") -> list[str]:
    return [problem.message for problem in draft.check() if problem.rule == rule]


def test_a_quiz_in_its_place_is_no_problem_and_counts_as_questions(quizzed: Draft) -> None:
    assert quizzed.check() == []


def test_too_few_questions_in_all_are_said(quizzed: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: (QUESTION,) * 4)
    assert "in the quiz or each a <details>" in said(quizzed, "questions")[0]


def test_a_quiz_that_nobody_asks_is_said(quizzed: Draft) -> None:
    quizzed.remove(ending(quizzed) + 2)
    assert said(quizzed) == ["let a cell with DA.quiz() alone stand in the section '## Questions'"]


@pytest.mark.parametrize("code", ["DA.quiz();", 'DA.quiz(1, "b")', "x = DA.quiz()"])
def test_anything_but_the_quiz_is_said(quizzed: Draft, code: str) -> None:
    quizzed.change(ending(quizzed) + 2, "DA.quiz()", code)
    assert said(quizzed) == ["let DA.quiz() stand alone, in the section '## Questions'"]


def test_a_quiz_elsewhere_and_a_second_one_are_said(quizzed: Draft) -> None:
    quizzed.insert(ending(quizzed) + 1, marked("DA.quiz()"))
    assert said(quizzed) == ["let DA.quiz() stand alone, in the section '## Questions'", "ask the quiz once"]


def test_a_quiz_without_a_source_is_said(quizzed: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: ())
    assert said(quizzed) == ["write this lesson's quiz in exercises/"]
