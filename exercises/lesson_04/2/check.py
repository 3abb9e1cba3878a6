"""Check exercise 04.2, "The last reading of each device"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
ENDS = "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."


def _landed(attempt: Attempt, file: str = "") -> DataFrame:
    return attempt.spark.read.schema(SCHEMA).json(f"{attempt.paths.landing}/{file}")


def check(attempt: Attempt) -> None:
    """Compare the table with the last reading per device, and name the part of the MERGE that is missing."""
    stream = attempt.stream("last_stream")
    stream.has_ended(min(30.0, attempt.left))
    if stream.error is not None and "multiple source rows" in str(stream.error).lower():
        raise Mistake(
            "Your stream failed: a device has several rows in a batch, but a MERGE accepts at most one source row "
            "for each row of the table. Group `batch_vw` by device first."
        )
    attempt.wait_for_end(stream, ENDS)
    attempt.must_have_checkpoint(stream, "last_readings")
    made = attempt.table("last_readings")
    if not made.limit(1).collect():
        raise Mistake("`last_readings` is empty: your function was called, but its query did not write any rows.")
    first_day, second_day = (_landed(attempt, f"2025-06-0{day}.json") for day in (1, 2))
    if made.groupBy("device_id").count().where("count > 1").limit(1).collect():
        raise Mistake(
            "A device has more than one row. A MERGE inserts each source row that has no match: match on `device_id` "
            "alone, and provide one row per device."
        )
    if attempt.is_same(made, _last_of_each(first_day)):
        raise Mistake(
            "These are the last readings of the first batch. Add a clause for devices that are already in the table: "
            "`WHEN MATCHED ... THEN UPDATE SET *`."
        )
    if attempt.is_same(made, _last_of_each(second_day, "max(heartrate)")):
        raise Mistake(
            "`heartrate` is the highest of the batch, not the last one. Use `max_by(heartrate, time)`, the heart "
            "rate at the latest time."
        )
    attempt.compare(made, _last_of_each(_landed(attempt)), "last_readings")


def _last_of_each(readings: DataFrame, heartrate: str = "max_by(heartrate, time)") -> DataFrame:
    from pyspark.sql import functions as F

    return readings.groupBy("device_id").agg(F.expr(heartrate).alias("heartrate"), F.max("time").alias("time"))


def _newest_first(sandbox: Sandbox) -> None:
    """Land a file with its rows in descending order of time: the last row is not the last reading."""
    planted.reading_file(sandbox, "ward-c.json", planted.THIRD[::-1], 3)


def _older_batch_again(sandbox: Sandbox) -> None:
    """Call the function for the first batch after newer ones, as a restored checkpoint does."""
    sandbox.value("keep_last")(sandbox.frame(planted.FIRST, planted.READINGS), 0)


MAKES = Makes(
    variables=("last_stream", "keep_last"),
    tables=("last_readings",),
    folders=("checkpoints/last_readings",),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        planted.two_files,
        ("last_readings",),
        later=(planted.crash_before_commit, _newest_first),
        after=_older_batch_again,
        says="Your cell was run on other readings: some were late, one batch was replayed, an old batch came "
        "after newer ones, and the rows of a file were not in the order of their times.",
    ),
)
