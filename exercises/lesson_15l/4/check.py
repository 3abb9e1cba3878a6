"""Check exercise 15L.4, "What no rule can see"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_15l.gauges import (
    IMPORTS,
    LINE_SCHEMA,
    columns_of_table,
    land_next_day,
    reading,
    table_of_exercise,
    update_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_READING = ["station", "measured"]  # what a reading is known by


def check(attempt: Attempt) -> None:
    """Compare with `placed`, land a further day with late and repeated lines, and compare again."""
    update_of(attempt)
    _must_be_once(attempt, "")
    if land_next_day(attempt, keep=1):
        _must_be_once(attempt, "The table was right until the next day landed. ")


def _must_be_once(attempt: Attempt, said: str) -> None:
    columns = [*_READING, "level"]
    placed = table_of_exercise(attempt, "placed", "15L.3")
    made = columns_of_table(attempt, "once", columns)
    right = placed.dropDuplicates(_READING).select(columns)
    if attempt.is_same(made, right):
        return
    if attempt.is_same(made, placed.select(columns)):
        raise Mistake(
            f"{said}Some readings are there twice. A line that is sent again has another `received`, so the two rows "
            "differ. Identify a reading by its `station` and `measured`."
        )
    if made.count() == placed.select("station").distinct().count():
        raise Mistake(
            f"{said}There is only one row for each gauge, the last. Use the columns that identify a reading as keys: "
            "`station` and `measured`."
        )
    lost = placed.join(made.select(_READING), _READING, "left_anti")
    behind = "timestampdiff(MINUTE, measured, received)"
    late = lost.where(f"{behind} > 2").selectExpr(f"max({behind})").first()[0]
    if late is not None and lost.where(f"{behind} <= 2").isEmpty():
        raise Mistake(
            f"{said}{lost.count()} late readings are missing, up to {late} minutes late: they were behind the "
            "watermark. Use a delay longer than the lateness of the latest line."
        )
    if not lost.isEmpty():
        raise Mistake(
            f"{said}{lost.count()} readings are missing that are not duplicates. Two lines are one reading if they "
            "have the same `station` and `measured`; the level can be the same at two times."
        )
    attempt.compare(made, right, "once")


def _placed_table(sandbox: Sandbox) -> None:
    """Plant three readings, and one of a month later, which moves any watermark past them."""
    sandbox.append("placed", [reading(n, float(n), 12.0) for n in range(3)], LINE_SCHEMA)
    month = 60 * 24 * 30  # minutes
    sandbox.append("placed", [reading(month, 9.0, 12.0)], LINE_SCHEMA)


def _very_late_lines(sandbox: Sandbox) -> None:
    """Append a line that is a month late, and one that is repeated after a month."""
    late = 60 * 24 * 31
    sandbox.append("placed", [reading(5, 5.0, 12.0, delay=late), reading(1, 1.0, 12.0, delay=late)], LINE_SCHEMA)
    sandbox.append("placed", [reading(1, 1.0, 12.0, "X2"), reading(60 * 24 * 31, 9.0, 12.0)], LINE_SCHEMA)


def _once_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("once").select("station", "measured", "level")


MAKES = Makes(variables=("update",), tables=("once",))

HIDDEN = (
    HiddenTest(
        _placed_table,
        (_once_lines,),
        later=(_very_late_lines,),
        above=IMPORTS,
        says="Your cell was run on other lines: one comes a month late, and one is sent again after a month.",
    ),
)
