"""Check exercise 00.2, "The third day"."""

from __future__ import annotations

from streaming_classroom.exercises import Attempt, Makes, Mistake


def check(attempt: Attempt) -> None:
    """Compare the number with the rows that have landed, in all files and in the newest one."""
    counted = attempt.value("readings_landed")
    if not isinstance(counted, int):
        raise Mistake(
            f"`readings_landed` is a {type(counted).__name__}; the exercise asks for a number: end with `.count()`."
        )
    attempt.must_compute("readings_landed", "count the rows of the folder, as in section 4.")
    readings = attempt.spark.read.json(attempt.paths.landing).selectExpr("*", "_metadata.file_name AS file")
    days = {row["file"]: row["count"] for row in readings.groupBy("file").count().collect()}
    if len(days) < 3:
        raise Mistake(
            "No day has landed since the two in section 4. Call `DA.data_factory.load()` again, and then count."
        )
    if counted == days[max(days)]:
        raise Mistake("This counts only the newest day. Count all readings: read the folder `DA.paths.landing`.")
    if counted == len(days):
        raise Mistake(
            "This is the number of files. Each file holds one day, and each line in it is one reading: count the lines."
        )
    if counted == sum(days.values()) - days[max(days)]:
        raise Mistake("You counted before the newest day landed: call `DA.data_factory.load()` first, and then count.")
    if counted != sum(days.values()):
        raise Mistake(
            f"You counted {counted:,} readings, but {sum(days.values()):,} have landed: count all of "
            "`DA.paths.landing`."
        )


MAKES = Makes(variables=("readings_landed",))
