"""Every exercise in its lesson's kernel: starter, wrong answers, right ones in all words; the lesson continues."""

from __future__ import annotations

import pytest

import equivalents
from answering import SECONDS, Task, code_of
from kernel_harness import Notebook
from streaming_classroom.exercises import catalogue
from streaming_classroom.runner.results import MAY_FAIL
from suite.selection import lesson_cases


@pytest.mark.parametrize("number", lesson_cases(catalogue.lessons(), everyday={"00"}, otherwise="exhaustive"))
def test_each_answer_gets_its_verdict_and_the_lesson_goes_on(open_notebook, number: str) -> None:
    """Run a lesson from top to bottom, and answer its exercises with each wrong answer and the solution."""
    notebook, cells = open_notebook(), list(code_of(number))
    assert [task.exercise for _, task in cells if task] == list(catalogue.exercises_of(number))
    for cell, task in cells:
        if task:
            answer(notebook, task)
            continue
        result = notebook.run(cell.source, SECONDS)
        assert MAY_FAIL in cell.metadata.get("tags", []) or result.status == "ok", result.error
    notebook.close()


def answer(notebook: Notebook, task: Task) -> None:
    """Answer one exercise, and look at each verdict: what an answer leaves behind must not be in the next one's way."""
    exercise = task.exercise
    assert notebook.ok(exercise.starter.strip(), SECONDS).status == "ok"
    assert "not tried yet" in task.verdict(notebook, exercise.starter)
    for wrong in exercise.wrong:
        said = task.verdict(notebook, wrong.code)
        assert f"✗ {exercise.id}" in said and wrong.verdict in said, f"{said}\n{wrong.code}"
    # Before it stands what the check itself has run and shown.
    said = last_line(task.verdict(notebook, exercise.solution))
    assert said.removesuffix(" Your stream was stopped.") == f"✓ {exercise.id} {exercise.title}: right."
    if exercise.is_over_when_right:
        running = notebook.value("[query.name for query in spark.streams.active]")
        assert not set(running) & set(exercise.makes.streams)
        assert last_line(notebook.ok(task.check, SECONDS).text).startswith("✓")  # asked again, it is right as before


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


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
