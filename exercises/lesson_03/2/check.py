"""Check exercise 03.2, "Readings as recorded"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the rows with the table before its update, and with what each option alone returns."""
    stream = attempt.stream("as_recorded")
    stream.has_ended(min(30.0, attempt.left))
    if stream.error is not None and "IGNORE_CHANGES" in str(stream.error):
        raise Mistake(
            "Your stream read the history up to the update and failed there. Set the reader option "
            "`skipChangeCommits` before `.table(...)` to skip the update."
        )
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    attempt.must_have_checkpoint(stream, "as_recorded")
    made = attempt.table("as_recorded")
    now = attempt.spark.table("bronze")
    right = _appended(attempt)
    first_day = attempt.spark.sql("SELECT * FROM bronze VERSION AS OF 0")
    if attempt.is_same(made, now):
        raise Mistake(
            "These are the corrected values. Without `startingVersion`, a stream first reads the current snapshot of "
            "the table, and then new commits. Set `startingVersion`."
        )
    if attempt.is_same(made, right.exceptAll(first_day)):
        raise Mistake(
            "The first day is missing. It is version 0, and `startingVersion` is the first version that the stream "
            "reads."
        )
    if attempt.is_same(made, right.union(now)):
        raise Mistake(
            "`ignoreChanges` emits the files that the update rewrote, so each reading is there twice. Use "
            "`skipChangeCommits`, which skips the whole version."
        )
    attempt.compare(made, right, "as_recorded")


def _corrected_table(sandbox: Sandbox) -> None:
    """Create a table whose history has two corrections between its appends."""
    planted.bronze(sandbox)
    sandbox.spark.sql("UPDATE bronze SET heartrate = -heartrate WHERE heartrate < 0")
    planted.more_bronze(sandbox)
    sandbox.spark.sql("DELETE FROM bronze WHERE device_id = 4")


def _third_append(sandbox: Sandbox) -> None:
    """Append rows after a restart: the next run must read them alone."""
    sandbox.append("bronze", planted.THIRD, planted.READINGS)


def _appended(attempt: Attempt) -> DataFrame:
    """Return the rows that were appended to `bronze`, as of their versions; an experiment may have added some."""
    reader = attempt.spark.readStream.option("startingVersion", 0).option("skipChangeCommits", True)
    return attempt.rows_of_stream(reader.table("bronze"))


MAKES = Makes(variables=("as_recorded",), tables=("as_recorded",), folders=("checkpoints/as_recorded",))

HIDDEN = (
    HiddenTest(
        _corrected_table,
        ("as_recorded",),
        later=(_third_append,),
        says="Your cell was run on a table with another history: two corrections, and rows after a restart.",
    ),
)
