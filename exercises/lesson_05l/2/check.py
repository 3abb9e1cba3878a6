"""Check exercise 05L.2, "The ward's screen"."""

from __future__ import annotations

from lesson_exercises import planted
from lesson_exercises.lesson_05l.readings import (
    landed_readings,
    last_reading_per_device,
    must_not_reject_output_mode,
    plant_ward,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, interval_of


def check(attempt: Attempt) -> None:
    """Check the trigger before waiting; the error of a rejected output mode is the same in every version."""
    must_not_reject_output_mode(attempt)
    stream = attempt.stream("ward")
    attempt.must_not_have_failed(stream)
    if stream.trigger is not None:  # which Connect does not tell
        _must_suit_the_ward(stream.trigger)
        if not stream.is_active:
            raise Mistake("The trigger is right, but your stream was stopped: leave it running.")
    attempt.wait_until_idle(stream)
    made, landed = attempt.table("ward_screen"), landed_readings(attempt)
    good = landed.where("heartrate >= 0")
    if attempt.is_same(made, last_reading_per_device(landed)) and not attempt.is_same(
        made, last_reading_per_device(good)
    ):
        raise Mistake("Faulty readings are on the screen. Write `last_readings_vw`, which filters them out.")
    attempt.must_have_read(stream, good.count())
    attempt.compare(made, last_reading_per_device(good), "ward_screen")
    attempt.must_have_checkpoint(stream, "ward")


def _must_suit_the_ward(trigger: str) -> None:
    if trigger in ("availableNow", "once"):
        raise Mistake(
            f"`{trigger}` makes a job that ends, and then the screen stops updating. The ward needs a stream that "
            "keeps running."
        )
    if trigger == "default":
        raise Mistake(
            "Without an interval, each file that lands starts a batch, including batches between two redraws, which "
            "nobody sees. Set a `processingTime` trigger."
        )
    if (seconds := interval_of(trigger)) is None:
        raise Mistake(f"Your stream has the trigger `{trigger}`. For a fixed interval, use `processingTime`.")
    if seconds > 2:
        raise Mistake(
            f"A reading could wait for {seconds:g} seconds, but the ward accepts two: use a shorter interval."
        )
    if seconds < 2:
        raise Mistake(
            f"A batch every {seconds:g} seconds is more often than needed: the screen is redrawn every two. Use a "
            "longer interval."
        )


MAKES = Makes(variables=("ward",), tables=("ward_screen",), folders=("checkpoints/ward", "checkpoints/screen"))

HIDDEN = (HiddenTest(plant_ward, ("ward_screen",), later=(planted.third_file,), says=planted.WHAT_IS_THERE),)
