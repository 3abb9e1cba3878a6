"""Exercises on sessions that are not the classroom's own, by the means that those have."""

from __future__ import annotations

import os

import nbformat
import pytest

from kernel_harness import Notebook
from streaming_classroom import places
from streaming_classroom.exercises import Exercise, catalogue
from streaming_classroom.runner import find_lessons
from streaming_classroom.runner.solved import exercises

LESSONS = os.environ.get("X_LESSONS", "01").split()
SECONDS = 240


@pytest.mark.parametrize("number", LESSONS)
def test_over_connect_a_check_tells_right_from_wrong(open_notebook, connect_server: str, number: str) -> None:
    notebook = open_notebook(SPARK_REMOTE=connect_server)
    tried = judged(notebook, number)
    notebook.close()
    assert tried == [exercise.id for exercise in catalogue.of_lesson(number)]


def judged(notebook: Notebook, number: str) -> list[str]:
    """Run a lesson; answer each exercise not at all, wrongly in every way, and rightly; return which were answered."""
    [path] = find_lessons([number], places.notebooks())
    lesson = nbformat.read(path, as_version=4)
    tasks = {id(cell): (check.source, catalogue.find(name)) for cell, check, name in exercises(lesson)}
    tried = []
    for cell in lesson.cells:
        if cell.cell_type == "code" and id(cell) in tasks:
            answer_all(notebook, *tasks[id(cell)])
            tried.append(tasks[id(cell)][1].id)
        elif cell.cell_type == "code":
            result = notebook.run(cell.source, SECONDS)
            if result.status != "ok":
                print("CELL", cell.id, result.error[-600:])
    return tried


def answer_all(notebook: Notebook, check: str, exercise: Exercise) -> None:
    def verdict(code: str) -> str:
        notebook.run(code.strip(), SECONDS)
        return notebook.ok(check, SECONDS).text

    print(exercise.id, "STARTER", verdict(exercise.starter)[:200])
    for wrong in exercise.wrong:
        print(exercise.id, "WRONG", wrong.verdict, "|", verdict(wrong.code)[:300])
    print(exercise.id, "RIGHT", verdict(exercise.solution)[:300])
