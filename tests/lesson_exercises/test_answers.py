"""Every exercise in its lesson's kernel: starter, wrong answers, solution, starter again; and the lesson goes on."""

from __future__ import annotations

import nbformat
import pytest

from kernel_harness import Notebook
from sampling import some_of
from streaming_classroom import places
from streaming_classroom.exercises import Exercise, catalogue
from streaming_classroom.runner import find_lessons
from streaming_classroom.runner.results import MAY_FAIL
from streaming_classroom.runner.solved import exercises

AT_A_TIME = 1  # lessons in every run, which the seed chooses; the long form has all
SECONDS = 240


@pytest.mark.parametrize("number", some_of(catalogue.lessons(), AT_A_TIME))
def test_each_answer_gets_its_verdict_and_the_lesson_goes_on(open_notebook, number: str) -> None:
    [path] = find_lessons([number], places.notebooks())
    lesson = nbformat.read(path, as_version=4)
    tasks = {id(cell): (check.source, catalogue.find(name)) for cell, check, name in exercises(lesson)}
    assert [exercise for _, exercise in tasks.values()] == list(catalogue.of_lesson(number))
    notebook = open_notebook()
    for cell in lesson.cells:
        if cell.cell_type != "code":
            continue
        if id(cell) in tasks:
            try_all(notebook, *tasks[id(cell)])
            continue
        result = notebook.run(cell.source, SECONDS)
        assert MAY_FAIL in cell.metadata.get("tags", []) or result.status == "ok", result.error
    notebook.close()


def try_all(notebook: Notebook, check: str, exercise: Exercise) -> None:
    """Answer one exercise in every way that its source has, and look at each verdict."""

    def verdict(code: str) -> str:
        notebook.run(code.strip(), SECONDS)  # which may end with an error
        return notebook.ok(check, SECONDS).text

    assert notebook.ok(exercise.starter.strip(), SECONDS).status == "ok"
    assert "not tried yet" in verdict(exercise.starter)
    for wrong in exercise.wrong:
        said = verdict(wrong.code)
        assert f"✗ {exercise.id}" in said and wrong.verdict in said, f"{said}\n{wrong.code}"
    assert verdict(exercise.solution).strip() == f"✓ {exercise.id} {exercise.title}: right."
    assert "not tried yet" in verdict(exercise.starter)
    assert verdict(exercise.solution).startswith("✓")
