"""Check exercise 04.2, "Alarms, exactly once"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_04.readings import MUST_STOP, landed_readings

from streaming_base.waiting import last_batch
from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises import MadeStream, Sandbox


def check(attempt: Attempt) -> None:
    """Compare the rows, then call the function for the last batch again, as a restart after a crash does."""
    stream = attempt.stream("alarms_stream")
    attempt.wait_for_end(stream, MUST_STOP)
    attempt.must_have_checkpoint(stream, "alarms")
    if stream.sink.startswith("Delta"):
        raise Mistake(
            "`toTable` is exactly-once by itself. In this exercise your function must write the table: "
            "`.foreachBatch(append_alarms)`."
        )
    if not attempt.spark.catalog.tableExists("alarms"):
        raise Mistake("There is no table `alarms`: your function was called but did not write a table of that name.")
    made = attempt.table("alarms")
    landed = landed_readings(attempt)
    alarms, first_day = (
        rows.where("heartrate > 112") for rows in (landed, landed_readings(attempt, "2025-06-01.json"))
    )
    if attempt.is_same(made, landed):
        raise Mistake("`alarms` has every reading. Only heart rates above 112 are alarms.")
    if attempt.is_same(made, first_day):
        raise Mistake(
            "`alarms` has the first batch only. Delta skips a write whose `txnVersion` it has already committed: use "
            "a number that grows with each batch, such as `batch_id`."
        )
    if attempt.is_same(made, alarms.exceptAll(first_day)):
        raise Mistake(
            "`alarms` has the last batch only: each batch has overwritten the previous one. Write with "
            '`.mode("append")`.'
        )
    attempt.compare(made, alarms, "alarms")
    _must_not_write_again(attempt, stream, alarms)


def _must_not_write_again(attempt: Attempt, stream: MadeStream, alarms: DataFrame) -> None:
    """Call the function for the last batch again, and undo what it writes."""
    version = attempt.spark.sql("DESCRIBE HISTORY alarms").agg({"version": "max"}).first()[0]
    attempt.value("append_alarms")(alarms, last_batch(stream.query))
    if not attempt.is_same(attempt.table("alarms"), alarms):
        attempt.spark.sql(f"RESTORE TABLE alarms TO VERSION AS OF {version}")
        raise Mistake(
            "The rows are right, but your function is not idempotent: if a batch is replayed with the same number, "
            "as after a crash, it writes the rows again. Set `txnAppId` and `txnVersion` on the write."
        )


def _alarms_of_one_moment(sandbox: Sandbox) -> None:
    """Land a file with an alarm at the same second as another device's alarm in an earlier batch."""
    rows = (*planted.THIRD, (6, 906, 120.0, planted.MIDNIGHT + 420))
    planted.reading_file(sandbox, "ward-c.json", rows, 3)


def _first_batch_again(sandbox: Sandbox) -> None:
    """Call the function for the first batch after newer ones, in a new process, as a restart does."""
    rows = sandbox.frame(planted.FIRST, planted.READINGS).where("heartrate > 112")
    sandbox.value("append_alarms")(rows, 0)


MAKES = Makes(variables=("alarms_stream", "append_alarms"), tables=("alarms",), folders=("checkpoints/alarms",))

HIDDEN = (
    HiddenTest(
        planted.two_files,
        ("alarms",),
        later=(planted.crash_before_commit, _alarms_of_one_moment),
        after=_first_batch_again,
        says=planted.WHAT_IS_THERE
        + "Its last batch was replayed by a new process, its first batch was replayed after newer ones, and two "
        "devices have an alarm of the same second.",
    ),
)
