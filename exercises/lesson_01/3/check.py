"""Check exercise 01.3, "A stream of your own, in a table"."""

from __future__ import annotations

from lesson_exercises import planted
from lesson_exercises.lesson_01.readings import plant_bronze

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake


def check(attempt: Attempt) -> None:
    """Check the query, which explains most mistakes in a table, then the table's rows."""
    stream = attempt.stream("faulty")
    attempt.wait_for_end(
        stream, "A nightly job must stop after it has processed the available data: use `.trigger(availableNow=True)`."
    )
    made = attempt.table("faulty_readings")
    bronze = attempt.spark.table("bronze")
    if attempt.is_same(made, bronze):
        raise Mistake(
            "`faulty_readings` has every reading. The exercise asks only for those with a heart rate below zero."
        )
    if attempt.is_same(made, bronze.where("heartrate >= 0")):
        raise Mistake("These are the good readings. The exercise asks for the faulty ones.")
    if _checkpoint_is_not_its_own(stream.checkpoint):
        raise Mistake(
            "The checkpoint `device_counts` belongs to another query and records all input as already processed. "
            "Every query needs a checkpoint of its own: `.../faulty_readings`."
        )
    attempt.compare(made, bronze.where("heartrate < 0"), "faulty_readings")
    attempt.must_have_checkpoint(stream, "faulty_readings")


def _checkpoint_is_not_its_own(checkpoint: str | None) -> bool:
    return checkpoint is not None and _last(checkpoint) == "device_counts"


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


MAKES = Makes(variables=("faulty",), tables=("faulty_readings",), folders=("checkpoints/faulty_readings",))

HIDDEN = (HiddenTest(plant_bronze, ("faulty_readings",), later=(planted.more_bronze,), says=planted.WHAT_IS_THERE),)
