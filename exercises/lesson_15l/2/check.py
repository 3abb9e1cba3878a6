"""Check exercise 15L.2, "What cannot be used"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_15l.gauges import (
    CHARGED,
    COLUMNS,
    HANDBOOK,
    IMPORTS,
    MEASURED_BEFORE,
    POSSIBLE,
    RULES,
    columns_of_table,
    plant_bronze,
    plant_more_lines,
    streaming_table,
    table_of_exercise,
    update_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with bronze, and name the usual mistakes."""
    update = update_of(attempt)
    bronze = table_of_exercise(attempt, "bronze", "15L.1").select(COLUMNS)
    made = columns_of_table(attempt, "usable", COLUMNS)
    for rules, sentence in (
        (
            (POSSIBLE, MEASURED_BEFORE, HANDBOOK),
            "All lines of AL1 and AL6 are missing, which are on mains. They have no battery, so `battery >= 10.5` is "
            "NULL, and NULL violates an expectation. Allow a missing battery in the rule.",
        ),
        (("true",), "Every line is there. `expect_all` counts and keeps rows; use `expect_all_or_drop` to drop them."),
        (
            (POSSIBLE, MEASURED_BEFORE),
            "Lines with a weak battery are there. A battery below 10.5 volts still violates the rule.",
        ),
        (
            (CHARGED,),
            "Only the battery is checked. Use `RULES | {...}`, which has all rules, including the fixed one.",
        ),
        (
            (POSSIBLE, MEASURED_BEFORE, "battery IS NULL"),
            "Only gauges without a battery are there. Combine the two conditions with `OR`.",
        ),
    ):
        if attempt.is_same(made, bronze.where(" AND ".join(f"({rule})" for rule in rules))):
            raise Mistake(sentence)
    right = bronze.where(" AND ".join(f"({rule})" for rule in RULES.values()))
    attempt.compare(made, right, "usable")
    dataset = streaming_table(update, "usable")
    if not dataset.dropped:
        raise Mistake(
            "The rows are right, but the update has counted no dropped rows: a `where` drops rows silently. Use an "
            "expectation, and run the whole cell again."
        )


def _usable_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("usable").select(COLUMNS)


MAKES = Makes(variables=("update",), tables=("usable", "placed", "once"))

HIDDEN = (
    HiddenTest(
        plant_bronze,
        (_usable_lines,),
        later=(plant_more_lines,),
        above=IMPORTS,
        says="Your cell was run on other lines: at the limits, without a battery, without a level.",
    ),
)
