"""Check exercise 13.6, "How wrong the old report was"."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from lesson_exercises.lesson_13 import parcel_lines
from lesson_exercises.lesson_13.deliveries import (
    DEFINITION_OF_CHECKED,
    DEPOT_SCHEMA,
    GOLD_SCHEMA,
    LINE_SCHEMA,
    frame_of_rows,
    gold_rows,
    land_lines,
    landed_lines,
    list_depots,
    must_be_tried,
    plant_tables,
    quarantine_rows,
    scan,
    silver_rows,
)
from lesson_exercises.lesson_13.parcel_lines import once

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_CAUSES = {
    "repeats": "count every line that has no reason, on the day of its `delivered_at`",
    "arrival": "count each delivery once, on the date of the first file that has it",
    "waiting": "count each delivery once, but only lines whose depot was listed in the night in which they arrived",
}


def check(attempt: Attempt) -> None:
    """Compare the rows of gold once more, then the three numbers."""
    said = attempt.value("wrong")
    if not isinstance(said, dict) or set(said) != set(_CAUSES):
        raise Mistake("`wrong` must be a dictionary with the keys `repeats`, `arrival` and `waiting`.")
    if all(number is None for number in said.values()):
        must_be_tried(attempt, False)
    landed = landed_lines(attempt)
    right = gold_rows(once(landed))
    attempt.compare(attempt.table("gold_deliveries"), frame_of_rows(attempt, right, GOLD_SCHEMA), "gold_deliveries")
    listed = {row.depot_id: row.listed_on for row in attempt.table("depots").collect()}
    good = [line for line in landed if line.reason is None]
    for cause, number in parcel_lines.wrong_rows(good, listed).items():
        if said[cause] != number:
            raise Mistake(
                f"The number for `{cause}` is another one. To compute the old report with this mistake alone, "
                f"{_CAUSES[cause]}; then count the days and regions of which the row differs, is missing, or is there "
                "in one report only."
            )


def _another_week(sandbox: Sandbox) -> None:
    """Plant a delivery in three nights, rows that only one report has, and a depot that is listed late."""
    list_depots(sandbox)
    sandbox.append("depots", [(7, "east", date(2024, 3, 6))], DEPOT_SCHEMA)
    other_day = "2024-03-05T08:00:00Z"
    nights = {
        "2024-03-04": [scan("a"), scan("b", 2), scan("c", 7), scan("d", 2), scan("d", 2), scan("x", fee=-1)],
        "2024-03-05": [scan("a"), scan("e", 1, other_day), scan("f", 7, other_day), scan("b", 2)],
        "2024-03-06": [scan("g", 2, other_day), scan("a"), scan("f", 7, other_day)],
    }
    regions = {1: "north", 2: "south", 7: "east"}
    lines = [parcel_lines.read(value, f"{night}.json", regions) for night, values in nights.items() for value in values]
    for night, values in nights.items():
        land_lines(sandbox, night, *values)
    sandbox.append("bronze_deliveries", [line[:2] for line in lines], LINE_SCHEMA)
    deliveries = once(lines)
    plant_tables(sandbox, quarantine_rows(lines), silver_rows(deliveries))
    sandbox.append("gold_deliveries", gold_rows(deliveries), GOLD_SCHEMA)


def _answer(sandbox: Sandbox) -> DataFrame:
    return sandbox.frame(
        [(cause, int(rows)) for cause, rows in sandbox.value("wrong").items()], "cause STRING, rows INT"
    )


_answer.__name__ = "wrong"


MAKES = Makes(variables=("wrong",))

HIDDEN = (
    HiddenTest(
        _another_week,
        (_answer,),
        above=DEFINITION_OF_CHECKED,
        says="Your cell was run on another week, with a delivery that came in three nights.",
    ),
)
