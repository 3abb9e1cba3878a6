"""What a lesson is saved with: outputs, execution counts, tags, metadata and ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from nbformat.v4 import new_output

from lesson_linter import check

from .conftest import Draft, OneProblem

WIDGET = "application/vnd.jupyter.widget-view+json"
OUTPUTS = [
    (new_output("stream", name="stdout", text="in /home/ann/x"), "machine-paths", "'/home/a' out of the output"),
    (new_output("stream", name="stderr", text="WARN"), "clean", "stderr-expected"),
    (new_output("stream", name="stdout", text="1\r2"), "clean", "progress bar"),
    (new_output("display_data", {WIDGET: {}}), "clean", "widget"),
    (new_output("execute_result", {"text/plain": "eefc66e8-850a-498a-a3c0-c50ca3974b52"}), "checked", "a UUID"),
    (None, "checked", "give this cell an output"),
]


@pytest.mark.parametrize(("output", "rule", "says"), OUTPUTS)
def test_a_wrong_output_is_one_problem(
    draft: Draft, one_problem: OneProblem, output: Any, rule: str, says: str
) -> None:
    draft.cells[8].outputs = [output] if output else []
    found = one_problem()
    assert found[:3] == (9, None, rule)
    assert says in found[3]


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        (lambda draft: draft.cells[8].update(execution_count=7), (9, None, "ran"), "run it from top to bottom"),
        (lambda draft: draft.cells[8].metadata.update(tags=[]), (None, None, "checked"), "tag at least 5 cells"),
        (lambda draft: draft.cells[13].metadata.update(tags=["raise"]), (14, None, "known-tags"), "'raise'"),
        (lambda draft: draft.metadata.pop("language_info"), (None, None, "form"), "run 07 --save"),
        (lambda draft: draft.cells[8].update(id="l07-07"), (9, None, "ids"), "an id that no other cell has"),
    ],
)
def test_what_the_runner_would_save_otherwise_is_one_problem(
    draft: Draft, one_problem: OneProblem, change: Callable[[Draft], object], place: tuple[Any, ...], says: str
) -> None:
    change(draft)
    found = one_problem()
    assert found[:3] == place
    assert says in found[3]


def test_a_lesson_that_was_never_run_is_one_problem(draft: Draft) -> None:
    for cell in draft.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    assert [problem.message for problem in draft.check()] == [
        "save the lesson with its outputs: python course.py run 07 --save"
    ]


def test_the_size_and_the_end_of_the_file_are_checked(draft: Draft) -> None:
    draft.cells[1].outputs = [new_output("stream", name="stdout", text="x" * 300_000)]
    draft.path.write_text(draft.write().read_text(encoding="utf-8").rstrip(), encoding="utf-8")
    form, size = check(draft.path)
    assert form.message == "end the file with a newline"
    assert "300,000 are too many" in size.message
