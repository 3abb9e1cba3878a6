"""A lab's own form: which rules do not hold for it, and which hold for nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from lesson_linter.exercises import complete
from lesson_linter.labs import enough_exercises
from lesson_linter.lesson_file import read
from lesson_linter.rules import LABS
from notebook_dialect.notebooks.convert import jupyters_metadata
from streaming_classroom.exercises import catalogue
from streaming_classroom.files import directories

from .conftest import Draft, marked

OPENING = """# 07L · A Small Lab

Somebody must count.

**Time:** 20 minutes.

<details><summary>For instructors</summary>

Each exercise takes five minutes.
</details>"""
SOLUTION = 'DA.exercise("{0}")\n\nquery = (stream.where("x < 3 AND y > 2")\n    .start())'
EXERCISES = tuple(
    replace(
        catalogue.find("01.1"),
        id=f"07L.{number}",
        title="Count",
        starter=f'DA.exercise("07L.{number}")\n\nquery = None',
        solution=SOLUTION.format(f"07L.{number}"),
    )
    for number in range(1, 4)
)


@pytest.fixture
def lab(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Give a lab that has no problem: an opening, a set-up, three exercises and a cleanup."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(catalogue, "of_lesson", lambda _number: EXERCISES)
    draft.name, draft.metadata = "07L-A-Small-Lab.ipynb", jupyters_metadata()
    cells = [
        new_markdown_cell(OPENING),
        new_code_cell("%run ../Includes/Classroom-Setup"),
        new_code_cell('DA = start_lesson("07L")'),
    ]
    cells.append(new_markdown_cell("## 1. Count\n\n*19 minutes*\n\nOne after the other."))
    for exercise in EXERCISES:
        cells.append(new_markdown_cell(f"### Your turn {exercise.id}: {exercise.title}\n\nCount the rows."))
        cells.append(new_code_cell(exercise.starter, metadata={"tags": ["exercise"]}))
        cells.append(marked(f'DA.check("{exercise.id}")', "not tried yet"))
    draft.cells = [*cells, marked("1"), marked("2"), new_code_cell("DA.cleanup()")]
    number(draft)
    return draft


def number(draft: Draft) -> None:
    """Give ids and execution counts, as the runner does."""
    for position, cell in enumerate(draft.cells, start=1):
        cell.id = f"l07L-{position:02}"
    for count, cell in enumerate((cell for cell in draft.cells if cell.cell_type == "code"), start=1):
        cell.execution_count = count


def said(draft: Draft) -> list[tuple[int | None, str, str]]:
    return [(problem.cell, problem.rule, problem.message) for problem in draft.check()]


def test_a_lab_needs_no_question_objectives_predictions_picture_failure_or_ending(lab: Draft) -> None:
    assert said(lab) == []


def test_what_a_lab_need_not_keep_has_a_reason_and_a_lesson_must_keep_it(lab: Draft) -> None:
    assert all(reason.endswith(".") for reason in LABS.values())
    lab.name = "07-A-Small-Lab.ipynb"
    assert set(LABS) <= {rule for _, rule, _ in said(lab)}


def test_the_other_rules_hold(lab: Draft) -> None:
    lab.change(4, "## 1.", "## 2.")
    lab.change(1, "20 minutes", "a while")
    assert [(cell, rule) for cell, rule, _ in said(lab)] == [(1, "time"), (4, "sections")]


def test_a_lab_of_two_exercises_is_too_small(lab: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "of_lesson", lambda _number: EXERCISES[:2])
    del lab.cells[10:13]
    lab.cells[10:10] = [marked("3")]
    number(lab)
    lab.change(1, "20 minutes", "15 minutes")
    lab.change(4, "19 minutes", "14 minutes")
    assert said(lab) == [(None, "lab", "give the lab at least 3 exercises, or make it a part of a lesson")]


@pytest.mark.parametrize("where", ["code", "text", "folded", "shown", "shown in a box"])
def test_a_solution_in_the_file_is_said_wherever_it_is(lab: Draft, where: str) -> None:
    code = EXERCISES[1].solution
    box = "<div><pre style='margin:0'>" + code.replace("<", "&lt;").replace(">", "&gt;") + "</pre><p>Why.</p></div>"
    if where == "code":
        lab.cells[13].source = code
    elif where == "text":
        lab.cells[4].source += f"\n\n```python\n{code}\n```"
    elif where == "folded":
        lab.cells[4].source += f"\n\n<details><summary>Solution</summary>{box}</details>"
    else:
        data = {"text/plain": code} if where == "shown" else {"text/plain": "x", "text/html": box}
        lab.cells[13].outputs = [new_output("display_data", data=data)]
    messages = [message for _, rule, message in said(lab) if rule == "lab"]
    assert "take the solution of exercise 07L.2 out of this cell" in messages


def test_a_line_of_a_solution_may_stand_in_a_lab(lab: Draft) -> None:
    lab.cells[4].source += '\n\nBegin with `query = (stream.where("x < 3 AND y > 2")`.'
    lab.cells[14].source = "(stream\n    .start())"
    assert said(lab) == []


def test_a_wrap_up_has_no_hints_and_may_have_one_exercise(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    draft.name = "07W-A-Small-Lesson.ipynb"
    for hints, told in (((), []), (("Look.", "Look again."), ["take the hints of 07W.1 away: a wrap-up has none"])):
        task = replace(EXERCISES[0], id="07W.1", hints=hints)
        monkeypatch.setattr(catalogue, "of_lesson", lambda _number, task=task: (task,))
        assert [problem.message for problem in complete(read(draft.write()))] == told
        assert list(enough_exercises(read(draft.write()))) == []
