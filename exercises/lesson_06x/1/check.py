"""Check exercise 06X.1, "When a device was on"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Name Spark's errors first, which are about output modes, then the usual mistakes about sessions."""
    _must_not_be_refused(attempt.words_of_error)
    stream = attempt.stream("times_on")
    try:
        attempt.wait_for_end(
            stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
        )
    except Mistake as failed:
        if "Global aggregation" not in failed.sentence:
            raise
        raise Mistake("Each device has sessions of its own: group by `device_id` as well as by the session.") from None
    if stream.mode == "complete":
        raise Mistake("Complete mode emits sessions that can still grow. For final rows, use `append`.")
    made, bronze = attempt.table("times_on"), attempt.spark.table("bronze")
    sessions = _sessions(bronze)
    if attempt.is_same(made, sessions.drop("ends")):
        raise Mistake("`times_on` includes sessions that can still grow. For final rows, use `append`.")
    attempt.must_have_read(stream, bronze.count())
    if made.columns == ["device_id", "on_since", "readings"] and _hours(made):
        raise Mistake(
            "Each of your rows begins on the hour, so these are windows of a fixed length. A session begins with a "
            "reading: use `F.session_window`."
        )
    attempt.compare(made, sessions.where(f"unix_seconds(ends) <= {_newest(bronze)} - 7200").drop("ends"), "times_on")
    attempt.must_have_checkpoint(stream, "times_on")


def _must_not_be_refused(words: str) -> None:
    if "without watermark" in words:
        raise Mistake(
            "Spark rejects the query: without a watermark no session is ever final. Define how late a reading may be "
            "with `.withWatermark(...)`, before the `groupBy` and on the column of the session."
        )
    if "Update output mode" in words or ("update" in words and "session" in words.lower()):
        raise Mistake("Update mode does not fit a session, which can merge with its neighbor. Use `append`.")


def _sessions(bronze: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    session = F.session_window(F.timestamp_seconds("time"), "1 hour").alias("session")
    counts = bronze.groupBy("device_id", session).agg(F.count("*").alias("readings"))
    sessions = counts.select(
        "device_id", F.col("session.start").alias("on_since"), "readings", F.col("session.end").alias("ends")
    )
    # Collected, because Spark 4.2 moves a filter on a session's end below the sessions and cuts them off there.
    return bronze.sparkSession.createDataFrame(sessions.collect(), sessions.schema)


def _hours(made: DataFrame) -> bool:
    return not made.isEmpty() and made.where("minute(on_since) <> 0 OR second(on_since) <> 0").isEmpty()


def _newest(bronze: DataFrame) -> float:
    from pyspark.sql import functions as F

    return bronze.agg(F.max("time")).first()[0]


def _breaks_of_an_hour(sandbox: Sandbox) -> None:
    """Leave one device silent for just under and for exactly an hour, and two devices on at the same time."""
    from pyspark.sql import functions as F

    planted.readings_at(sandbox, (1, 0.1), (1, 1.05), (1, 2.05), (2, 0.2), (2, 4.0), (3, 5.5))
    readings = sandbox.stream("bronze").withColumn("event_time", F.timestamp_seconds("time"))
    sandbox.keep(readings=readings, on_time=readings.withWatermark("event_time", "2 hours"))


def _late_reading_that_joins_two(sandbox: Sandbox) -> None:
    """Append late readings: in an open session, of a new device, and in a session that is final."""
    planted.readings_at(sandbox, (2, 4.8), (2, 5.6), (4, 2.9))  # within the two hours; the last by half of one
    planted.readings_at(sandbox, (1, 0.4))  # its session is final


def _hours_later(sandbox: Sandbox) -> None:
    """Append a reading that moves the watermark to the end of the extended session, to the second."""
    planted.readings_at(sandbox, (3, 8.6))  # the watermark reaches the end of a session of 5.6 + 1 to the second


MAKES = Makes(variables=("times_on",), tables=("times_on",), folders=("checkpoints/times_on",))

HIDDEN = (
    HiddenTest(
        _breaks_of_an_hour,
        ("times_on",),
        later=(_late_reading_that_joins_two, _hours_later),
        says="Your cell was run on other readings: breaks of just under an hour and of an hour, and late readings.",
    ),
)
