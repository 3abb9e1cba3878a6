"""Check exercise 07.3, "A correction that includes past data"."""

from __future__ import annotations

from lesson_exercises import planted
from lesson_exercises.lesson_07.readings import landed_readings

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake


def check(attempt: Attempt) -> None:
    """Check how much the query has read before its rows: a state that existed explains all of them."""
    if "without watermark" in attempt.words_of_error:
        raise Mistake(
            "The default output mode is append, but without a watermark a count is never final. To replace the table "
            "in each batch, use `complete`."
        )
    stream = attempt.stream("corrected")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    made, every = attempt.table("corrected_counts"), landed_readings(attempt)
    good = every.where("heartrate >= 0")
    _must_have_no_old_state(sum(stream.rows_read), good.count())
    if attempt.is_same(made, every.groupBy("device_id").count()):
        raise Mistake("The faulty readings are still counted: filter the readings, before the `groupBy`.")
    attempt.compare(made, good.groupBy("device_id").count(), "corrected_counts")
    attempt.must_have_checkpoint(stream, "corrected")


def _must_have_no_old_state(read: int, rows: int) -> None:
    if read < rows:
        raise Mistake(
            f"Your query has read {read:,} readings, but {rows:,} good ones have landed: with the old checkpoint, or "
            "a copy of it, the query resumes from the old counts, which include the faulty readings. Start with a "
            "new checkpoint."
        )


MAKES = Makes(variables=("corrected",), tables=("corrected_counts",), folders=("checkpoints/corrected",))

HIDDEN = (
    HiddenTest(planted.two_files, ("corrected_counts",), later=(planted.third_file,), says=planted.WHAT_IS_THERE),
)
