"""Check exercise 15L.1, "How bad is it?"."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_15l.gauges import (
    CHARGED,
    COLUMNS,
    HANDBOOK,
    IMPORTS,
    LINE_SCHEMA,
    LINES_AT_LIMITS,
    MEASURED_BEFORE,
    POSSIBLE,
    RULES,
    columns_of_table,
    streaming_table,
    update_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def _lines(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(LINE_SCHEMA).json(attempt.paths.landing)


def check(attempt: Attempt) -> None:
    """Compare the rows with the files, and each count with a SQL query over them."""
    update = update_of(attempt)
    made = columns_of_table(attempt, "bronze", COLUMNS)
    found = {one.name: one for one in update.expectations if one.dataset == "bronze"}
    if any(one.violation.value != "warn" for one in found.values()):
        raise Mistake(
            "Bronze must contain every line as it arrived, so a rule must not drop a line or stop the update. Use "
            "`expect`, or `expect_all` for several rules: it counts violations and keeps the rows."
        )
    dataset = streaming_table(update, "bronze")
    lines = _lines(attempt)
    attempt.compare(made, lines, "bronze")
    if missing := [name for name in RULES if name not in found]:
        raise Mistake(
            f"No expectation of `bronze` is named `{missing[0]}`. Use `@dp.expect_all(RULES)`, which counts all three."
        )
    if not dataset.rows:
        raise Mistake(
            "The rows are right, but this update read no new lines, so it counted none. Run the whole cell again."
        )
    for name in RULES:
        _must_count(lines, name, found[name])


def _must_count(lines: DataFrame, name: str, found: Any) -> None:
    """Compare the count of an expectation, and name the usual mistakes."""
    right = {
        "possible level": (POSSIBLE, f"level IS NULL OR {POSSIBLE}"),
        "measured before received": (MEASURED_BEFORE, "measured < received"),
        "good battery": (HANDBOOK, CHARGED),
    }[name]
    if any(found.failed == _broken(lines, rule) for rule in right):
        return
    if any(found.passed == _broken(lines, rule) for rule in right):
        raise Mistake(f"`{name}` is inverted: write the condition that a *good* line meets.")
    for wrong, rule, sentence in (
        (
            "possible level",
            "level >= 0",
            "`possible level` finds only levels that are too low. Add the upper limit: 1000 cm.",
        ),
        (
            "possible level",
            "level <= 1000",
            "`possible level` finds only levels that are too high. Add the lower limit: 0 cm.",
        ),
        (
            "measured before received",
            "measured <= current_timestamp()",
            "No line violates `measured before received`: the lines are old, so none of their times is in the future "
            "today. Compare with `received`, the time at which a line arrived, which does not change later.",
        ),
    ):
        if name == wrong and found.failed == _broken(lines, rule):
            raise Mistake(sentence)
    raise Mistake(
        f"`{name}` was violated by {found.failed:,} lines; by the handbook it must be {_broken(lines, right[0]):,}."
    )


def _broken(lines: DataFrame, rule: str) -> int:
    return lines.where(f"({rule}) IS NOT TRUE").count()


def _level_files(sandbox: Sandbox) -> None:
    """Land lines at and just beyond each limit of the handbook, and one received before it was measured."""
    names = [field.split()[0] for field in LINE_SCHEMA.split(",")]
    rows = [
        {
            name: value if not isinstance(value, datetime) else str(value)
            for name, value in zip(names, line, strict=True)
        }
        for line in LINES_AT_LIMITS
    ]
    sandbox.file("levels.json", rows)
    sandbox.keep(SCHEMA=LINE_SCHEMA)


def _counted(sandbox: Sandbox) -> DataFrame:
    found = sandbox.value("update").expectations
    rows = [(one.name, one.violation.value, one.passed, one.failed) for one in found]
    return sandbox.frame(rows, "expectation STRING, on_violation STRING, met INT, violated INT")


def _bronze_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("bronze").select(COLUMNS)


MAKES = Makes(variables=("update",), tables=("bronze", "usable", "placed", "once", "refused"))

HIDDEN = (
    HiddenTest(
        _level_files,
        (_bronze_lines, _counted),
        above=IMPORTS,
        says="Your cell was run on other lines, at the limits of the handbook and just beyond.",
    ),
)
