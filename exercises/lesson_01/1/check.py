"""Check exercise 01.1, "A line of your own"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Run the stream over the available data, and compare its rows with a query over the table."""
    frame = attempt.value("impossible")
    if not hasattr(frame, "isStreaming"):
        raise Mistake(f"`impossible` is a {type(frame).__name__}. It must be `arriving` with a condition.")
    if not frame.isStreaming:
        raise Mistake("`impossible` is not a stream. Derive it from `arriving`, which is one.")
    made, readings = attempt.rows_of_stream(frame), attempt.spark.table("all_readings")
    if attempt.is_same(made, readings):
        raise Mistake("`impossible` has every reading. Keep only those with a heart rate below zero.")
    if any(attempt.is_same(made, readings.where(f"heartrate {sign} 0")) for sign in (">", ">=")):
        raise Mistake("These are the valid readings. Keep those with a heart rate below zero.")
    attempt.compare(made, readings.where("heartrate < 0"), "impossible")


def _arriving(sandbox: Sandbox) -> None:
    """Plant `FIRST` in a table, with rates of 0, NULL and below 0, and keep its stream."""
    sandbox.append("all_readings", planted.FIRST, planted.READINGS)
    sandbox.keep(arriving=sandbox.stream("all_readings"))


MAKES = Makes(variables=("impossible",), views=("impossible_vw",))

HIDDEN = (HiddenTest(_arriving, ("impossible_vw",), says=planted.WHAT_IS_THERE),)
