"""Check exercise 03X.1, "Readings for a test, in SQL"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Run the view as a stream; if its rows are wrong, run it again to find out whether it is random."""
    view = attempt.view("test_readings_tmp_vw")
    if not view.isStreaming:
        raise Mistake("Your view does not read a stream: select from `counter_tmp_vw`.")
    made, source = attempt.rows_of_stream(view), attempt.rows_of_stream(attempt.view("counter_tmp_vw"))
    right = _readings(source)
    if not attempt.is_same(made, right):
        again = attempt.rows_of_stream(attempt.view("test_readings_tmp_vw"))
        if not attempt.is_same(again, made):
            raise Mistake(
                "Two runs of your query give different rows: some expression is random or depends on the clock. "
                "Compute every column from `value` and `timestamp`."
            )
    if attempt.is_same(made, _readings(source, first_device=0)):
        raise Mistake(
            "The devices are numbered from 0 to 11. The exercise asks for 1 to 12: add 1, because a remainder starts "
            "at 0."
        )
    attempt.compare(made, right, "test_readings_tmp_vw")


def _readings(source: DataFrame, first_device: int = 1) -> DataFrame:
    return source.selectExpr(
        f"value % 12 + {first_device} AS device_id",
        "60 + value % 40 AS heartrate",
        "unix_timestamp(timestamp) AS time",
    )


def _counter(sandbox: Sandbox) -> None:
    """Plant values around the end of each remainder, one of a million, and fractions of seconds."""
    from datetime import datetime, timedelta

    values = (0, 11, 12, 39, 40, 479, 480, 10**6 + 7)
    start = datetime(2024, 3, 5, 10, 0, 0, 250_000)
    rows = [(start + timedelta(seconds=value), value) for value in values]
    sandbox.append("counted", rows, "timestamp TIMESTAMP, value LONG")
    sandbox.view("counter_tmp_vw", sandbox.stream("counted"))


MAKES = Makes(views=("test_readings_tmp_vw",))

HIDDEN = (
    HiddenTest(
        _counter,
        ("test_readings_tmp_vw",),
        says="Your cell was run on other values of the counter, up to a million.",
    ),
)
