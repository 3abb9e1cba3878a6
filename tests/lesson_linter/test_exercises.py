"""A lesson's exercises and their source must not differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from streaming_classroom.exercises import catalogue
from streaming_classroom.files import directories

from .conftest import Draft, marked

EXERCISE = replace(catalogue.find("01.1"), id="07.1", title="Count", starter="\nquery = None\n")
HEADING = "### Your turn 07.1: Count\n\nCount the rows."


@pytest.fixture
def solvable(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Give a lesson of the course with one exercise."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(catalogue, "of_lesson", lambda _number: (EXERCISE,))
    starter = new_code_cell("query = None", metadata={"tags": ["exercise"]})
    draft.change(1, "**Time:** 4 minutes", "**Time:** 10 minutes")
    draft.change(8, "*2 minutes*", "*8 minutes*")
    for cell in (5, 9, 10):
        draft.change(cell, "print(1)", "print(1)  # change 1")
    draft.insert(12, new_markdown_cell(HEADING), starter, marked('DA.check("07.1")'))
    return draft


def messages(draft: Draft) -> list[str]:
    return [problem.message for problem in draft.check() if problem.rule == "exercises"]


def test_an_exercise_that_is_as_in_its_source_is_no_problem(solvable: Draft) -> None:
    assert solvable.check() == []


@pytest.mark.parametrize(
    ("cell", "old", "new", "says"),
    [
        (12, "07.1", "07.2", "let '### Your turn 07.1: Count' stand in the cell above"),
        (12, "Count", "Sum", "let '### Your turn 07.1: Count' stand in the cell above"),
        (13, "None", "1", "let the cell be the starter of exercise 07.1"),
        (14, "07.1", "07.2", 'let the next cell be DA.check("07.1"), alone'),
        (14, "DA", "x = 1; DA", 'let the next cell be DA.check("07.1"), alone'),
    ],
)
def test_what_differs_is_said(solvable: Draft, cell: int, old: str, new: str, says: str) -> None:
    solvable.change(cell, old, new)
    [message] = messages(solvable)
    assert says in message


def test_an_exercise_that_is_only_in_the_source_is_said(solvable: Draft) -> None:
    for _ in range(3):
        solvable.remove(12)
    assert messages(solvable) == ["put exercise 07.1 into a cell with the tag exercise, or take it out of the source"]


def test_an_exercise_that_is_only_in_the_notebook_is_said(solvable: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "of_lesson", lambda _number: ())
    assert messages(solvable) == ["write this exercise's source in exercises/"]


@pytest.mark.parametrize(
    ("less", "says"),
    [
        ({"hints": ("one",)}, "two or three hints"),
        ({"hints": ("1", "2", "3", "4")}, "two or three hints"),
        ({"wrong": EXERCISE.wrong[:2]}, "three wrong answers"),
    ],
)
def test_an_exercise_with_too_little_help_or_proof_is_said(solvable, monkeypatch, less: dict, says: str) -> None:
    monkeypatch.setattr(catalogue, "of_lesson", lambda _number: (replace(EXERCISE, **less),))
    [message] = messages(solvable)
    assert says in message


def test_somebody_elses_notebook_of_the_same_number_has_exercises_of_its_own(solvable, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(directories, "notebooks", lambda: tmp_path / "elsewhere")
    assert messages(solvable) == ["write this exercise's source in exercises/"]
