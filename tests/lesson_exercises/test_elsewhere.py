"""Exercises on a session that is not the classroom's own: a check goes by what Spark Connect tells of a query."""

from __future__ import annotations

import nbformat
import pytest

from kernel_harness import Notebook
from sampling import some_of
from streaming_classroom import places
from streaming_classroom.exercises import Exercise, catalogue
from streaming_classroom.runner import find_lessons
from streaming_classroom.runner.solved import exercises

SECONDS = 240
# Their other cells run over Connect as well; those of later lessons open files and processes that are here, not there.
LESSONS = ("01", "02", "05")
# Mistakes that may go unnoticed, by words of their verdicts: Connect tells neither trigger nor checkpoint.
UNTOLD = {"has no interval", "looks every 120 seconds", "temporary one", "belongs to another query", "of its own"}


@pytest.mark.parametrize("number", some_of(LESSONS, 1))
def test_over_connect_a_check_tells_right_from_wrong(open_notebook, connect_server: str, number: str) -> None:
    notebook = open_notebook(SPARK_REMOTE=connect_server)
    [path] = find_lessons([number], places.notebooks())
    lesson = nbformat.read(path, as_version=4)
    tasks = {id(cell): (check.source, catalogue.find(name)) for cell, check, name in exercises(lesson)}
    assert tasks
    for cell in lesson.cells:
        if cell.cell_type == "code" and id(cell) in tasks:
            answer_in_all_ways(notebook, *tasks[id(cell)])
        elif cell.cell_type == "code":
            notebook.run(cell.source, SECONDS)
    notebook.close()


def answer_in_all_ways(notebook: Notebook, check: str, exercise: Exercise) -> None:
    """Answer an exercise not at all, wrongly, and rightly; which mistake it is may be said in other words here."""

    def verdict(code: str) -> str:
        notebook.run(code.strip(), SECONDS)  # which may end with an error
        return notebook.ok(check, SECONDS).text

    assert "not tried yet" in verdict(exercise.starter)
    unnoticed = {wrong.verdict for wrong in exercise.wrong if f"✗ {exercise.id}" not in verdict(wrong.code)}
    assert unnoticed <= UNTOLD
    assert verdict(exercise.solution).strip() == f"✓ {exercise.id} {exercise.title}: right."
