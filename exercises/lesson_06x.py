"""Exercise of companion 06X: final rows of windows that have no fixed length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

# ---------------------------------------------------------------------------------------- 06X.1 when a device was on

ON_STARTER = """
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = None  # write the stream here: one row for each time that a device was on
"""

ON_SOLUTION = """
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "2 hours")
    .groupBy("device_id", F.session_window("event_time", "1 hour"))
    .count()
    .select("device_id", F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))
"""


def check_on(attempt: Attempt) -> None:
    """Name Spark's refusals first, which speak of modes, and then what people take for a session."""
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
    """Let one device be silent for just under and for exactly an hour, and two be on at the same time."""
    from pyspark.sql import functions as F

    planted.readings_at(sandbox, (1, 0.1), (1, 1.05), (1, 2.05), (2, 0.2), (2, 4.0), (3, 5.5))
    readings = sandbox.stream("bronze").withColumn("event_time", F.timestamp_seconds("time"))
    sandbox.keep(readings=readings, on_time=readings.withWatermark("event_time", "2 hours"))


def _late_reading_that_joins_two(sandbox: Sandbox) -> None:
    """Append late readings that extend an open session, one of a new device, and one whose session is final."""
    planted.readings_at(sandbox, (2, 4.8), (2, 5.6), (4, 2.9))  # within the two hours; the last by half of one
    planted.readings_at(sandbox, (1, 0.4))  # its session is final


def _hours_later(sandbox: Sandbox) -> None:
    """Append a reading that moves the watermark to the end of the extended session, to the second."""
    planted.readings_at(sandbox, (3, 8.6))  # the watermark reaches the end of a session of 5.6 + 1 to the second


ON = Exercise(
    id="06X.1",
    title="When a device was on",
    starter=ON_STARTER,
    hints=(
        "A time that a device was on is a session: it ends when no reading has arrived for an hour. Which mode accepts "
        "a count by session, according to the grid?",
        "Group by the device *and* by `F.session_window(...)` of the event time. Only append emits final rows, and it "
        "needs a watermark on the same column, two hours here.",
        '`F.col("session_window.start")` is when a session begins. Write with append mode, the checkpoint '
        '`f"{DA.paths.checkpoints}/times_on"` and `availableNow`.',
    ),
    solution=ON_SOLUTION,
    why=(
        "A session has no fixed end, so a late reading can extend it or join two sessions. Only when the watermark has "
        "passed its end is it final. Update mode is rejected, because a session that has merged with its neighbor has "
        "another beginning: its row would have no key by which to replace the previous one."
    ),
    check=check_on,
    hidden=(
        HiddenTest(
            _breaks_of_an_hour,
            ("times_on",),
            later=(_late_reading_that_joins_two, _hours_later),
            says="Your cell was run on other readings: breaks of just under an hour and of an hour, and late readings.",
        ),
    ),
    wrong=(
        WrongAnswer(ON_SOLUTION.replace('    .withWatermark("event_time", "2 hours")\n', ""), "without a watermark"),
        WrongAnswer(ON_SOLUTION.replace('"append"', '"update"'), "does not fit a session"),
        WrongAnswer(ON_SOLUTION.replace('"append"', '"complete"'), "can still grow"),
        WrongAnswer(
            ON_SOLUTION.replace("F.session_window", "F.window").replace("session_window.start", "window.start"),
            "begins on the hour",
        ),
        WrongAnswer(ON_SOLUTION.replace('"1 hour"', '"3 hours"'), "are missing"),
        WrongAnswer(ON_SOLUTION.replace('"2 hours"', '"1 day"'), "are missing"),
        WrongAnswer(ON_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(
            ON_SOLUTION.replace('groupBy("device_id", ', "groupBy(").replace('select("device_id", ', "select("),
            "group by `device_id`",
        ),
    ),
    makes=Makes(variables=("times_on",), tables=("times_on",), folders=("checkpoints/times_on",)),
)

EXERCISES = (ON,)
