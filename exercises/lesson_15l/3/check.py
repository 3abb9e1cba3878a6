"""Check exercise 15L.3, "A gauge from nowhere"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_15l.gauges import (
    COLUMNS,
    IMPORTS,
    LINE_SCHEMA,
    LINES_AT_LIMITS,
    LINES_WITH_NULL,
    STATION_SCHEMA,
    columns_of_table,
    landed_stations,
    reading,
    streaming_table,
    table_of_exercise,
    update_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with `usable` and the list of stations, then check the count of the expectation."""
    update = update_of(attempt)
    usable = table_of_exercise(attempt, "usable", "15L.2").select(COLUMNS)
    stations = landed_stations(attempt)
    columns = [*COLUMNS, "name", "river_km"]
    made = columns_of_table(attempt, "placed", columns)
    if attempt.is_same(made, usable.join(stations, "station", "left").select(columns)):
        raise Mistake(
            "Every line of `usable` is there, and the lines of AL9 have NULL for a name. A left join keeps lines "
            "without a match; their `name` is NULL. Drop them with `expect_or_drop` and a condition on `name`."
        )
    if attempt.is_same(made, attempt.table("bronze").join(stations, "station").select(columns)):
        raise Mistake("Your table contains lines that cannot be used: read `usable`, not `bronze`.")
    right = usable.join(stations, "station").select(columns)
    attempt.compare(made, right, "placed")
    streaming_table(update, "placed")
    counted = [one for one in update.expectations if one.dataset == "placed" and one.name == "listed station"]
    if not counted:
        raise Mistake("The rows are right, but no expectation of `placed` is named `listed station`.")
    dropped = usable.count() - right.count()
    if counted[0].dropped != dropped:
        raise Mistake(
            f"The rows are right, but `listed station` has dropped {counted[0].dropped} of {dropped} lines: an "
            "inner join drops them before the expectation sees them, so they are not counted. Use a left join, and run "
            "the cell again."
        )


def _usable_table(sandbox: Sandbox) -> None:
    """Plant lines of two listed gauges with one name and of an unlisted one, and a gauge without lines."""
    sandbox.append("usable", [*LINES_AT_LIMITS[:3], *LINES_WITH_NULL[-2:], reading(20, 5.0, 12.0, "X2")], LINE_SCHEMA)
    stations = [("X1", "Xanten", 1.5, "solar"), ("X2", "Xanten", 2.5, "mains"), ("X3", "Nobody", 3.5, "mains")]
    sandbox.append("stations", stations, STATION_SCHEMA)


def _more_usable(sandbox: Sandbox) -> None:
    """Append a line of the listed gauge that had none, and one of another unlisted gauge."""
    sandbox.append("usable", [reading(40, 6.0, 12.0, "X3"), reading(41, 6.0, 12.0, "elsewhere")], LINE_SCHEMA)


def _placed_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("placed").select(*COLUMNS, "name", "river_km")


MAKES = Makes(variables=("update",), tables=("placed", "once"))

HIDDEN = (
    HiddenTest(
        _usable_table,
        (_placed_lines,),
        later=(_more_usable,),
        above=IMPORTS,
        says="Your cell was run on other lines and another list: stations that are not in it, one without lines, "
        "and two of one name.",
    ),
)
