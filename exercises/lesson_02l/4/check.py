"""Check exercise 02L.4, "Write it to a table"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_02l.recordings import PLANTED, RECORDINGS, clean, must_poll_every_second, plant_activities

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def _more_recordings(sandbox: Sandbox) -> None:
    """Append rows equal to earlier ones: the next run must write them, and not the earlier ones."""
    sandbox.append("planted", PLANTED[4:], RECORDINGS)


def check(attempt: Attempt) -> None:
    """Check the query before its rows: a wrong trigger explains a table that is behind."""
    stream = attempt.stream("log")
    attempt.must_not_have_failed(stream)
    must_poll_every_second(stream)
    if stream.query.name != "activity_to_log":
        has = f"is called `{stream.query.name}`" if stream.query.name else "has no name"
        raise Mistake(
            f'Your stream {has}: `.queryName("activity_to_log")` gives it the name that people will look for.'
        )
    attempt.wait_until_idle(stream)
    made, right = attempt.table("activity_log"), clean(attempt)
    if "gt" in made.columns:
        raise Mistake(
            "`activity_log` has the columns of the files: write `activity_vw`, which has the cleaned columns."
        )
    attempt.must_have_read(stream, right.count())
    attempt.compare(made, right, "activity_log")
    attempt.must_have_checkpoint(stream, "activity_log")


MAKES = Makes(variables=("log",), tables=("activity_log",), folders=("checkpoints/activity_log", "checkpoints/log"))

HIDDEN = (
    HiddenTest(
        plant_activities,
        ("activity_log",),
        later=(_more_recordings,),
        says="Your cell was run on other recordings, and again after a restart.",
    ),
)
