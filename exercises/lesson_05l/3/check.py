"""Check exercise 05L.3, "The nightly report"."""

from __future__ import annotations

from lesson_exercises import planted
from lesson_exercises.lesson_05l.readings import landed_readings, plant_ward

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake


def check(attempt: Attempt) -> None:
    """Check that the job ends, that its rows are right and in one batch, and that its checkpoint is its own."""
    stream = attempt.stream("report")
    if stream.trigger == "once":
        raise Mistake("`once` would do the same tonight, but it is deprecated: use `availableNow`.")
    attempt.wait_for_end(stream, "The machine is paid for until the job ends: use `.trigger(availableNow=True)`.")
    made, landed = attempt.table("faulty_report"), landed_readings(attempt)
    faulty = landed.where("heartrate < 0")
    if attempt.is_same(made, landed):
        raise Mistake(
            "`faulty_report` has every reading. The exercise asks only for those with a heart rate below zero."
        )
    if attempt.is_same(made, landed.where("heartrate >= 0")):
        raise Mistake("These are the good readings. The technician needs those below zero.")
    attempt.must_have_read(stream, faulty.count())
    attempt.compare(made, faulty, "faulty_report")
    if (batches := len(stream.rows_read)) > 1:
        raise Mistake(
            f"The rows are right, but there are {batches} batches. Each batch has the overhead of planning and of the "
            "checkpoint's logs, and there are few rows: leave out the limit."
        )
    attempt.must_have_checkpoint(stream, "report")


MAKES = Makes(variables=("report",), tables=("faulty_report",), folders=("checkpoints/report",))

HIDDEN = (
    HiddenTest(
        plant_ward,
        ("faulty_report", planted.batch_sizes("report")),
        later=(planted.third_file,),
        says=planted.WHAT_IS_THERE,
    ),
)
