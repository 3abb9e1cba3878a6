"""Check exercise 06.3, "A table that is always current"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Find out from the table what the function does with a row that exists already."""
    if "without watermark" in attempt.words_of_error:
        raise Mistake(
            "The default output mode is append, but without a watermark a count is never final. To emit changed "
            "rows, use `update`."
        )
    stream = attempt.stream("totals")
    if stream.mode == "complete":
        raise Mistake("Complete mode emits every device in each batch. To emit only changed devices, use `update`.")
    _must_use_its_rows(attempt, stream)
    attempt.wait_for_end(
        stream,
        "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.",
        seconds=60,
    )
    made, bronze = attempt.table("device_totals"), attempt.spark.table("bronze")
    attempt.must_have_read(stream, bronze.count())
    if len(stream.rows_read) < 2:
        raise Mistake(
            "One batch has read everything, so no row had to be updated. Limit a batch to three files: "
            '`.option("maxFilesPerTrigger", 3)` before `.table("bronze")`.'
        )
    right = bronze.groupBy("device_id").count().withColumnRenamed("count", "readings")
    _must_replace(made, right)
    attempt.compare(made, right, "device_totals")
    if "MERGE" not in [row.operation for row in attempt.spark.sql("DESCRIBE HISTORY device_totals").collect()]:
        raise Mistake(
            "The rows are right by chance: each batch replaces the whole table, so a device without readings in the "
            "last batch would be gone. Use `MERGE`."
        )
    attempt.must_have_checkpoint(stream, "device_totals")


def _must_use_its_rows(attempt: Attempt, stream: MadeStream) -> None:
    """Say what a function that ignores its rows has done: nobody asks for the count, so Spark misses its state.

    Spark's own words for it, STATE_STORE_COMMIT_VALIDATION_FAILED, are the cause of an error that says nothing.
    """
    stream.has_ended(min(60.0, attempt.left))
    if "awaitResult" in str(stream.error) and attempt.table("device_totals").isEmpty():
        raise Mistake("`device_totals` is empty: your function does nothing with the rows that it receives.")


def _must_replace(made: DataFrame, right: DataFrame) -> None:
    """Raise a mistake if the function appends rows, or adds numbers, instead of merging them."""
    if set(made.columns) != set(right.columns):
        return
    rows, devices = made.count(), right.count()
    if rows > devices:
        raise Mistake(
            f"`device_totals` has {rows} rows for {devices} devices. A changed row must replace the existing one: use "
            "`MERGE`, with `ON` the device."
        )
    if _sum(made) > _sum(right):
        raise Mistake(
            "The counts are too high. Your function receives the new total count of a device, not the increase: "
            "replace the old count."
        )


def _sum(counts: DataFrame) -> int:
    return counts.selectExpr("sum(readings)").first()[0] or 0


def _four_files(sandbox: Sandbox) -> None:
    """Append four versions of two readings each, which a limit of three versions reads in two batches."""
    for first in range(0, 8, 2):
        sandbox.append("bronze", planted.FIRST[first : first + 2], planted.READINGS)


def _four_files_more(sandbox: Sandbox) -> None:
    """Append four versions with a new device; a limit of three versions reads twelve readings, then two."""
    for number in range(4):
        sandbox.append("bronze", planted.SECOND[number:], planted.READINGS)


MAKES = Makes(variables=("totals",), tables=("device_totals",), folders=("checkpoints/device_totals",))

HIDDEN = (
    HiddenTest(
        _four_files,
        ("device_totals", planted.batch_sizes("totals")),
        later=(planted.crash_before_commit, _four_files_more),
        says="Your cell was run on other readings; a device came later, and the last batch was run again after "
        "a crash.",
    ),
)
