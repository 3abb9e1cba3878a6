"""A companion's own form: it goes deeper than its lesson, and leaves to the lesson what need not be said twice."""

from __future__ import annotations

import pytest

from lesson_linter.rules import COMPANIONS

from .conftest import Draft, number
from .test_rules import NAME


@pytest.fixture
def companion(draft: Draft) -> Draft:
    """Give a companion that has no problem: an opening without objectives, one section, a list for reading."""
    opening = draft.cells[0].source
    before, after = opening.split("**After this lesson, you can**")
    draft.cells[0].source = before.replace("# 07 ·", "# 07X ·") + after[after.index("**Time:**") :]
    ending = draft.cells[12]
    ending.source = ending.source[ending.source.index("## Further reading") :]
    draft.name = NAME.replace("07-", "07X-")
    draft.change(3, "07", "07X")
    named(draft, "07X")
    return draft


def named(draft: Draft, lesson: str) -> None:
    number(draft.cells)
    for position, cell in enumerate(draft.cells, start=1):
        cell.id = f"l{lesson}-{position:02}"


def rules(draft: Draft) -> set[str]:
    return {problem.rule for problem in draft.check()}


def test_a_companion_needs_neither_objectives_nor_an_ending(companion: Draft) -> None:
    assert [str(problem) for problem in companion.check()] == []


def test_what_it_need_not_keep_has_a_reason_and_a_lesson_must_keep_it(companion: Draft) -> None:
    assert all(reason.endswith(".") for reason in COMPANIONS.values())
    companion.name = NAME
    assert {"objectives", "ending"} <= rules(companion)


def test_a_question_a_time_and_reading_are_asked_of_it_too(companion: Draft) -> None:
    companion.change(1, "**The question:**", "The question:")
    companion.change(1, "**Time:**", "Time:")
    assert {"question", "time"} <= rules(companion)


def test_three_marked_outputs_are_enough_and_two_are_not(companion: Draft) -> None:
    marked = [cell for cell in companion.cells if "nbval-check-output" in cell.metadata.get("tags", [])]
    for cell in marked[:-3]:
        cell.metadata = {}
    assert "checked" not in rules(companion)
    marked[-1].metadata = {}
    assert "tag at least 3 cells with nbval-check-output" in [problem.message for problem in companion.check()]
