"""Check exercise 09.2, "Rides, in SQL"."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Run the view as a stream and compare its rows, and name the usual mistakes about sessions."""
    view = attempt.view("rides_vw")
    if not view.isStreaming:
        raise Mistake("Your view does not read a stream: select from `taps_vw`, not from `all_taps`.")
    made = attempt.rows_of_stream(view)
    taps = attempt.view("taps_vw")
    rides = attempt.rows_of_stream(_rides(taps))
    if attempt.is_same(made, rides):
        raise Mistake("Rides of a single tap are among them. SQL filters groups with `HAVING`.")
    right = rides.where("taps > 1")
    others = "last_tap" in made.columns and attempt.is_same(made.drop("last_tap"), right.drop("last_tap"))
    if others and not attempt.is_same(made, right):
        raise Mistake(
            "`last_tap` is not the time of the last tap. A session ends eight minutes after it; the tap's own time is "
            "in `event_time`."
        )
    if attempt.is_same(made, attempt.rows_of_stream(_rides(taps, "5 minutes")).where("taps > 1")):
        raise Mistake("Your sessions end like those with a gap of five minutes. The exercise asks for eight.")
    attempt.compare(made, right, "rides_vw")


def _rides(taps: DataFrame, gap: str = "8 minutes") -> DataFrame:
    from pyspark.sql import functions as F

    counts = (F.max("event_time").alias("last_tap"), F.count("*").alias("taps"))
    rides = taps.groupBy("tram", F.session_window("event_time", gap).alias("ride")).agg(*counts)
    return rides.select("tram", F.col("ride.start").alias("begins"), "last_tap", "taps")


def _taps(sandbox: Sandbox) -> None:
    """Plant taps with gaps just under, exactly and just over eight minutes, and one that closes all sessions."""
    times = ((1, "10:00:00"), (1, "10:07:59"), (1, "10:15:59"), (2, "10:01:00"), (2, "10:09:01"), (3, "10:02:00"))
    late = ((2, "10:04:30"), (1, "10:23:00"), (3, "10:02:00"), (9, "12:00:00"))
    schema = "tap STRING, tram INT, event_time TIMESTAMP, received TIMESTAMP"
    for number, part in enumerate((times, late)):
        at = [(tram, datetime.fromisoformat(f"2024-03-05 {time}")) for tram, time in part]
        sandbox.append("planted_taps", [(f"{number}", tram, time, time) for tram, time in at], schema)
    sandbox.view("taps_vw", sandbox.stream("planted_taps").withWatermark("event_time", "10 minutes"))


MAKES = Makes(views=("rides_vw",))

HIDDEN = (
    HiddenTest(
        _taps,
        ("rides_vw",),
        says="Your cell was run on other taps: breaks of just under and of exactly eight minutes, and a late tap.",
    ),
)
