"""A lesson promises no less time than reading, typing, predicting and trying take."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell

from lesson_linter import plan
from lesson_linter.lesson_file import read

from .conftest import Draft


def minutes(draft: Draft) -> float:
    return plan.minutes(read(draft.write()))


def told(draft: Draft, rule: str) -> list[str]:
    return [problem.message for problem in draft.check() if problem.rule == rule]


@pytest.mark.parametrize(
    ("text", "adds"),
    [
        ("word " * 200, 1),
        ("<details><summary>More</summary>\n\n" + "word " * 200 + "\n\n</details>", 0),
        ("**Predict:** what?", 0.5 + 2 / 200),
    ],
)
def test_words_and_predictions_take_time_and_what_is_folded_does_not(draft: Draft, text: str, adds: float) -> None:
    before = minutes(draft)
    draft.cells[5].source += f"\n\n{text}"
    assert minutes(draft) - before == pytest.approx(adds)


def test_lines_of_code_take_time_and_an_exercise_five_minutes_whatever_it_has(draft: Draft) -> None:
    before = minutes(draft)
    draft.insert(6, new_code_cell("\n\n".join(["x = 1"] * 15)))
    assert minutes(draft) - before == pytest.approx(1)
    draft.insert(6, new_code_cell("x = 1\n" * 30, metadata={"tags": ["exercise"]}))
    assert minutes(draft) - before == pytest.approx(6)


def test_a_lesson_that_promises_less_is_told_how_long_it_takes(draft: Draft) -> None:
    assert told(draft, "time") == []
    draft.cells[5].source += "\n\n" + "word " * 2000
    assert told(draft, "time") == [
        f"state {round(minutes(draft))} minutes, which is what its plan takes, or shorten it"
    ]
    draft.change(1, "**Time:** 5 minutes", "**Time:** 40 minutes")
    assert told(draft, "time") == []


def test_a_lesson_fits_into_thirty_five_minutes(draft: Draft) -> None:
    draft.change(1, "**Time:** 5 minutes", "**Time:** 40 minutes")
    words = round((35 - minutes(draft)) * 200)
    draft.cells[5].source += "\n\n" + "word " * words
    assert told(draft, "core") == []
    draft.cells[5].source += "word " * 20
    [message] = told(draft, "core")
    assert message.endswith("it takes 35.1 minutes, 35 at most")
