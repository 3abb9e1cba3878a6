"""Right answers in other words are accepted: those derived from a solution, and those in ``equivalent.py``."""

from __future__ import annotations

import ast

import pytest

import equivalents
from answering import SECONDS, Task, code_of
from streaming_classroom.exercises import Exercise, catalogue, last_cell
from suite.selection import lesson_cases

EVERY = catalogue.all_exercises()


@pytest.mark.parametrize("exercise", EVERY, ids=lambda exercise: exercise.id)
def test_other_words_can_be_read(exercise: Exercise) -> None:
    for cell in equivalents.of(exercise.solution):
        if not last_cell.is_sql(cell):
            ast.parse(cell)


def test_each_exercise_has_right_answers_in_other_words() -> None:
    few = {one.id for one in EVERY if len(equivalents.of(one.solution)) + len(one.equivalent) < 2}
    # two lines, one loop, one view, one MERGE, one line, one function
    assert few == {"00.2", "08.2", "08.3", "10.1", "13.1", "13.3"}


@pytest.mark.parametrize("number", lesson_cases(catalogue.lessons(), otherwise="exhaustive"))
def test_right_answers_in_other_words_are_accepted(open_notebook, number: str) -> None:
    notebook = open_notebook()
    for cell, task in code_of(number):
        if task is None:
            notebook.run(cell.source, SECONDS)
            continue
        for answer in (*equivalents.of(task.exercise.solution), *task.exercise.equivalent):
            assert is_right(said := task.verdict(notebook, answer), task), f"{said}\n{answer}"
        assert is_right(said := task.verdict(notebook, task.exercise.solution), task), said
    notebook.close()


def is_right(verdict: str, task: Task) -> bool:
    return f"✓ {task.exercise.id} {task.exercise.title}: right." in verdict
