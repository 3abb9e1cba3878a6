"""Check exercise 05L.5, "The ward pays by the run"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_05l.readings import (
    landed_readings,
    last_reading_per_device,
    must_not_reject_output_mode,
    plant_ward,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Check the files that each run has read: a run that reads all files again has the right rows, too."""
    if not attempt.spark.catalog.tableExists("ward_screen"):
        attempt.value("ward_run")
        raise Mistake("There is no table `ward_screen` to bring up to date: solve exercise 05L.2 first.")
    must_not_reject_output_mode(attempt)
    stream = attempt.stream("ward_run")
    if stream.trigger == "once":
        raise Mistake("`once` would do the same now, but it is deprecated: use `availableNow`.")
    attempt.wait_for_end(stream, "The machine is paid for until the run ends: use `.trigger(availableNow=True)`.")
    good = landed_readings(attempt).where("heartrate >= 0")
    if stream.rows_read and sum(stream.rows_read) >= good.count():
        raise Mistake(
            "The screen is right, but this run has read every file again, and so would the next one. The checkpoint of "
            "`ward` knows which files were read, and it keeps the last reading of each device."
        )
    attempt.must_have_checkpoint(stream, "ward")
    attempt.compare(attempt.table("ward_screen"), last_reading_per_device(good), "ward_screen")


def _screen_that_was_live(sandbox: Sandbox) -> None:
    """Run the ward's stream on two files, and land a third one after its end."""
    plant_ward(sandbox)
    ward = (
        sandbox.spark.table("last_readings_vw")
        .writeStream.outputMode("complete")
        .option("checkpointLocation", f"{sandbox.paths.checkpoints}/ward")
        .trigger(availableNow=True)
        .toTable("ward_screen")
    )
    ward.awaitTermination()
    planted.third_file(sandbox)


def _one_more_file(sandbox: Sandbox) -> None:
    """Land a file of two readings that were sent before: the next run must read this file alone."""
    planted.reading_file(sandbox, "ward-d.json", planted.SECOND[:2], 4)


MAKES = Makes(variables=("ward_run",), folders=("checkpoints/ward_run",))

HIDDEN = (
    HiddenTest(
        _screen_that_was_live,
        ("ward_screen", planted.batch_sizes("ward_run")),
        later=(_one_more_file,),
        says=planted.WHAT_IS_THERE + "The ward's stream had been stopped before some of them landed. ",
    ),
)
