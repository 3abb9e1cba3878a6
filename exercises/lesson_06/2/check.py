"""Check exercise 06.2, "Only what is final"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Check the output mode and Spark's errors, which name modes and not the missing watermark."""
    _must_not_be_refused(attempt.words_of_error)
    stream = attempt.stream("finished")
    if stream.mode == "complete":
        raise Mistake(
            "Complete mode emits every window in each batch, including the one that is still open. For final "
            "windows, use `append`."
        )
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    made, bronze = attempt.table("six_hours"), attempt.spark.table("bronze")
    windows = _six_hours(bronze)
    final = windows.where(f"unix_seconds(ends) <= {_newest(bronze)} - 3600").drop("ends")
    if attempt.is_same(made, windows.drop("ends")):
        raise Mistake(
            "`six_hours` includes the last window, whose count can still grow. For final windows, use `append`."
        )
    attempt.must_have_read(stream, bronze.count())
    if made.columns == final.columns and not made.isEmpty() and made.exceptAll(final).isEmpty():
        _must_hold_nothing_back(final.count() - made.count())
    attempt.compare(made, final, "six_hours")
    attempt.must_have_checkpoint(stream, "six_hours")


def _must_not_be_refused(words: str) -> None:
    if "without watermark" in words:
        raise Mistake(
            "Spark rejects the query: without a watermark no window is ever final. Define how late a reading may be "
            'with `.withWatermark("event_time", "1 hour")` before the `groupBy`; the window must be one of that '
            "column."
        )
    if "Update output mode" in words:
        raise Mistake(
            "A Delta table does not accept update mode, and an update is not final. For final windows, use `append`."
        )


def _must_hold_nothing_back(rows: int) -> None:
    if rows:
        raise Mistake(
            f"All rows are right, but {rows} final rows are missing: your watermark waits longer than the required "
            "hour."
        )


def _six_hours(bronze: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    window = F.window(F.timestamp_seconds("time"), "6 hours").alias("window")
    counts = bronze.groupBy(window).agg(F.count("*").alias("readings"))
    return counts.select(F.col("window.start").alias("starts"), "readings", F.col("window.end").alias("ends"))


def _newest(bronze: DataFrame) -> float:
    from pyspark.sql import functions as F

    return bronze.agg(F.max("time")).first()[0]


def _until_just_before_one(sandbox: Sandbox) -> None:
    """Move the watermark to half a minute before noon, with the hour's delay."""
    planted.readings_at(sandbox, *((1, hour) for hour in (0.5, 5.9, 6.0, 11.0, 12 + 59.5 / 60)))


def _late_but_in_time(sandbox: Sandbox) -> None:
    """Append a late reading whose window is open, and one whose window is closed."""
    planted.readings_at(sandbox, (1, 11.9))  # its window ends at noon and is still open
    planted.readings_at(sandbox, (1, 1.0))  # its window is closed


def _to_one(sandbox: Sandbox) -> None:
    """Move the watermark to noon exactly, which closes the window that ends then and no other."""
    planted.readings_at(sandbox, (1, 13.0))


MAKES = Makes(variables=("finished",), tables=("six_hours",), folders=("checkpoints/six_hours",))

HIDDEN = (
    HiddenTest(
        _until_just_before_one,
        ("six_hours",),
        later=(_late_but_in_time, _to_one),
        says="Your cell was run on other readings: one is late but within the hour, and another one closes its window.",
    ),
)
