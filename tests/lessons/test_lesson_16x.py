"""Lesson 16X: rows of batches, their multiples, and a backlog, computed from the dataset's files and by arithmetic."""

from __future__ import annotations

import ast

import pytest

pytestmark = [pytest.mark.lesson("16X"), pytest.mark.slow]

LANDED = 20  # files that the lesson has landed when section 3 begins
FILES_PER_BATCH = 10
ACTIONS = 3  # of the function that computes its batch again for each


@pytest.fixture(scope="module")
def batches(dataset) -> list[int]:
    """The rows of each batch of section 3."""
    files = sorted((dataset("bakery") / "heartbeats").iterdir())[:LANDED]
    rows = [len(file.read_text(encoding="utf-8").splitlines()) for file in files]
    return [sum(rows[first : first + FILES_PER_BATCH]) for first in range(0, LANDED, FILES_PER_BATCH)]


def after_colon(line: str) -> list[int]:
    return ast.literal_eval(line.partition(":")[2].strip())


def test_there_is_a_state_store_for_each_partition_of_the_first_start(lines):
    many, few = lines("16X", "l16X-06")
    assert many.split()[-5:] == ["64", "rows", "in", "state:", "8"]
    assert few.split()[-5:] == ["2", "rows", "in", "state:", "8"]
    assert lines("16X", "l16X-10")[-1].split()[-1] == "64"


def test_a_batch_is_reported_once_for_each_action(batches, lines):
    reported, counted = map(after_colon, lines("16X", "l16X-21"))
    assert counted == batches
    assert reported == [ACTIONS * rows for rows in batches]
    assert after_colon(lines("16X", "l16X-22")[-1]) == batches


def test_the_backlog_grows_by_arrivals_minus_limit_and_shrinks_likewise(lines):
    backlog = [3 * number - 2 * number for number in range(1, 5)]
    assert ast.literal_eval(lines("16X", "l16X-25")[-1]) == backlog
    expected = [backlog[-1] + (3 - 5) * number for number in (1, 2)]
    assert ast.literal_eval(lines("16X", "l16X-28")[-1]) == expected
