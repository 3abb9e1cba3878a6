"""Every exercise in its lesson's kernel: starter, wrong answers, solution, starter again; and the lesson continues."""

from __future__ import annotations

import pytest

from answering import SECONDS, Task, code_of
from kernel_harness import Notebook
from streaming_classroom.exercises import catalogue
from streaming_classroom.runner.results import MAY_FAIL
from suite.selection import lesson_cases


@pytest.mark.parametrize("number", lesson_cases(catalogue.lessons(), everyday={"00"}))
def test_each_answer_gets_its_verdict_and_the_lesson_goes_on(open_notebook, number: str) -> None:
    cells = list(code_of(number))
    assert [task.exercise for _, task in cells if task] == list(catalogue.exercises_of(number))
    notebook = open_notebook()
    for cell, task in cells:
        if task:
            try_all(notebook, task)
            continue
        result = notebook.run(cell.source, SECONDS)
        assert MAY_FAIL in cell.metadata.get("tags", []) or result.status == "ok", result.error
    notebook.close()


def try_all(notebook: Notebook, task: Task) -> None:
    """Answer one exercise in every way that its source has, and look at each verdict."""
    exercise = task.exercise
    assert notebook.ok(exercise.starter.strip(), SECONDS).status == "ok"
    assert "not tried yet" in task.verdict(notebook, exercise.starter)
    for wrong in exercise.wrong:
        said = task.verdict(notebook, wrong.code)
        assert f"✗ {exercise.id}" in said and wrong.verdict in said, f"{said}\n{wrong.code}"
    # Before it stands what the check itself has run and shown.
    assert last_line(task.verdict(notebook, exercise.solution)) == f"✓ {exercise.id} {exercise.title}: right."
    if exercise.is_over_when_right:
        running = notebook.value("[query.name for query in spark.streams.active]")
        assert not set(running) & set(exercise.makes.streams)
        assert last_line(notebook.ok(task.check, SECONDS).text).startswith("✓")  # asked again, it is right as before
    assert "not tried yet" in task.verdict(notebook, exercise.starter)
    assert last_line(task.verdict(notebook, exercise.solution)).startswith("✓")


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]
