"""Check exercise 02L.2, "Clean it, in SQL"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_02l.recordings import clean, landed_recordings, plant_recordings, shaped

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def check(attempt: Attempt) -> None:
    """Run the view as a stream and compare its rows with a query over the files, with times as text."""
    view, right = attempt.view("activity_vw"), clean(attempt)
    if not view.isStreaming:
        raise Mistake("Your view reads the files that exist now, not the stream: select from `recordings_vw`.")
    kinds = {column.lower(): kind for column, kind in view.dtypes}
    if set(kinds) != set(right.columns):
        attempt.compare(view, right, "activity_vw")  # which compares the columns first
    if kinds["arrived_at"] != "timestamp":
        raise Mistake(
            f"`arrived_at` is a {kinds['arrived_at'].upper()}; it must be a TIMESTAMP: convert it with "
            "`timestamp_millis`."
        )
    made, every = attempt.rows_of_stream(_as_text(view)), landed_recordings(attempt)
    if attempt.is_same(made, _as_text(shaped(every))):
        raise Mistake(
            "The recordings labeled `null` are still there. The label is the string `'null'`, not a missing value: "
            "compare the column with `'null'`."
        )
    if attempt.is_same(made, _as_text(shaped(every.where("gt != 'null'"), "timestamp_seconds(Arrival_Time)"))):
        raise Mistake(
            "`arrived_at` is thousands of years ahead: `Arrival_Time` is in milliseconds, not seconds. Use "
            "`timestamp_millis`."
        )
    attempt.compare(made, _as_text(right), "activity_vw")


def _as_text(frame: DataFrame) -> DataFrame:
    return frame.selectExpr("person", "device", "activity", "CAST(arrived_at AS STRING) AS arrived_at")


MAKES = Makes(views=("activity_vw",))

HIDDEN = (
    HiddenTest(
        plant_recordings,
        ("activity_vw",),
        says="Your cell was run on recordings that you have not seen: other activities, NULL, and an empty string.",
    ),
)
