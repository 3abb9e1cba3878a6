"""Check exercise 07.2, "What one batch added"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_07.readings import landed_readings

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_SECOND_DAY = "2025-06-02.json"  # which batch 1 has read


def check(attempt: Attempt) -> None:
    """Compare with the file that batch 1 has read, and name each state alone and the wrong sign."""
    view = attempt.view("added_vw")
    of_day = landed_readings(attempt).where(f"_metadata.file_name = '{_SECOND_DAY}'").groupBy("device_id").count()
    right = of_day.withColumnRenamed("count", "added")
    of_state = {batch: _counts(attempt.spark.table(f"state_after_{batch}")) for batch in (0, 1)}
    if attempt.is_same(view, of_state[1]):
        raise Mistake(
            "The state is a running total: this is the count of batch 0 and batch 1 together. Subtract the state "
            "after batch 0."
        )
    if attempt.is_same(view, of_state[0]):
        raise Mistake("This is what batch 0 counted. What batch 1 added is the difference between the two states.")
    if attempt.is_same(view, right.selectExpr("device_id", "-added AS added")):
        raise Mistake("The sign is wrong: subtract the earlier state from the later one.")
    if set(view.columns) == set(right.columns) and (rows := view.count()) > right.count():
        raise Mistake(
            f"Your view has {rows} rows, but a state has one row per device: join the two states by their key."
        )
    attempt.compare(view, right, "added_vw")


def _counts(state: DataFrame) -> DataFrame:
    return state.selectExpr("key.device_id", "value.count AS added")


def _two_states(sandbox: Sandbox) -> None:
    """Plant a count that grows, one that stays the same, and a device that only the later state has."""
    for batch, counts in enumerate(({1: 10, 2: 20, 3: 5}, {1: 11, 2: 20, 3: 9, 7: 4})):
        rows = [((key,), (count,), key % 2) for key, count in counts.items()]
        schema = "key STRUCT<device_id: INT>, value STRUCT<count: BIGINT>, partition_id INT"
        sandbox.view(f"state_after_{batch}", sandbox.frame(rows, schema))


MAKES = Makes(views=("added_vw",))

HIDDEN = (
    HiddenTest(
        _two_states,
        ("added_vw",),
        says="Your cell was run on other states: one device is new in the later one, and one has no new readings.",
    ),
)
