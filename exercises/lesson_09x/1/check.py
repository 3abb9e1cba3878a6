"""Check exercise 09X.1, "What the guard rejects"."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

PLAUSIBLE = "event_time <= received + INTERVAL 5 MINUTES"


def check(attempt: Attempt) -> None:
    """Check the end of the stream, and which taps are in the table."""
    stream = attempt.stream("rejecting")
    attempt.wait_for_end(stream, "Give it `.trigger(availableNow=True)`.")
    attempt.must_have_checkpoint(stream, "rejected")
    made = attempt.table("rejected_taps")
    if made.where(PLAUSIBLE).count():
        raise Mistake("`rejected_taps` has taps that the filter lets through: it is for the others.")
    taps = attempt.rows_of_stream(attempt.value("taps"))
    attempt.compare(made, taps.where(f"({PLAUSIBLE}) IS NOT TRUE"), "rejected_taps")


def _rejected(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("rejected_taps").select("tap")


def _clocks(sandbox: Sandbox) -> None:
    """Plant a tap without a time, and clocks that are slow, slightly fast, and just too fast."""
    at = datetime.fromisoformat
    rows = [
        ("slow clock", 1, at("2024-03-05 09:00"), at("2024-03-05 11:00")),
        ("fast clock", 2, at("2024-03-05 11:05"), at("2024-03-05 11:00")),
        ("late clock", 3, at("2024-03-05 11:05:01"), at("2024-03-05 11:00")),
        ("no time", 4, None, at("2024-03-05 11:00")),
    ]
    sandbox.append("planted_taps", rows, "tap STRING, tram INT, event_time TIMESTAMP, received TIMESTAMP")
    sandbox.keep(taps=sandbox.stream("planted_taps"))


MAKES = Makes(variables=("rejecting",), tables=("rejected_taps",), folders=("checkpoints/rejected",))

HIDDEN = (
    HiddenTest(
        _clocks,
        (_rejected,),
        says="Your cell was run on other taps: clocks that are a little or much too fast, and a tap without a time.",
    ),
)
