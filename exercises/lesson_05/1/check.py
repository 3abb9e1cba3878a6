"""Check exercise 05.1, "Every four seconds"."""

from __future__ import annotations

from lesson_exercises.lesson_05.readings import landed_readings

from streaming_classroom.exercises import Attempt, Makes, Mistake, interval_of

_EVERY = 4  # seconds


def check(attempt: Attempt) -> None:
    """Check the trigger before the rows: a wrong interval may make the check wait for minutes."""
    attempt.value("writer")
    stream = attempt.stream("every_four")
    attempt.must_not_have_failed(stream)
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"`{stream.trigger}` makes a job that ends by itself. For a schedule, set an interval.")
    if stream.trigger is not None and interval_of(stream.trigger) != _EVERY:  # None over Connect
        raise Mistake(
            f"Your stream has the trigger `{stream.trigger}`. To check for files every four seconds, set "
            "`processingTime` to that interval."
        )
    attempt.wait_until_idle(stream)
    attempt.must_have_read(stream, landed_readings(attempt).count())
    attempt.must_have_checkpoint(stream, "every_four")


MAKES = Makes(variables=("writer", "every_four"), folders=("checkpoints/every_four",))
