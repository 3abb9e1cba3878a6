"""Exercises on a session that is not the classroom's own: a check goes by what Spark Connect tells of a query."""

from __future__ import annotations

import pytest

from answering import SECONDS, Task, code_of
from kernel_harness import Notebook
from suite.selection import lesson_cases

# Their other cells run over Connect as well; those of later lessons open files and processes that are here, not there.
LESSONS = ("01", "02", "05")
# Mistakes that may go unnoticed, by words of their verdicts: Connect tells neither trigger nor checkpoint.
UNTOLD = {
    "temporary one", "belongs to another query", "of its own", "was asked for",
    "nothing limits how many",
    "could be 4 seconds old", "can run 1,800 batches per hour", "listed 3,600 times per hour",
    "it checks for files all",
}  # fmt: skip

UNTESTED = "It was not run on other data: that needs a session that is not over Spark Connect."


@pytest.mark.parametrize("number", lesson_cases(LESSONS))
def test_over_connect_a_check_tells_right_from_wrong(open_notebook, connect_server: str, number: str) -> None:
    notebook = open_notebook(SPARK_REMOTE=connect_server)
    cells = list(code_of(number))
    assert any(task for _, task in cells)
    for cell, task in cells:
        if task:
            answer_in_all_ways(notebook, task)
        else:
            notebook.run(cell.source, SECONDS)
    notebook.close()


def answer_in_all_ways(notebook: Notebook, task: Task) -> None:
    """Answer an exercise not at all, wrongly, and rightly; which mistake it is may be said in other words here."""
    exercise = task.exercise
    assert "not tried yet" in task.verdict(notebook, exercise.starter)
    unnoticed = {one.verdict for one in exercise.wrong if f"✗ {exercise.id}" not in task.verdict(notebook, one.code)}
    assert unnoticed <= UNTOLD
    right = f"right on the data that is here. {UNTESTED}" if exercise.hidden else "right."
    assert task.verdict(notebook, exercise.solution).strip() == f"✓ {exercise.id} {exercise.title}: {right}"
