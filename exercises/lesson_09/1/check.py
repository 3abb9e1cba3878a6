"""Check exercise 09.1, "The right clock"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def check(attempt: Attempt) -> None:
    """Distinguish the starter, which counts by arrival, and overlapping windows."""
    made = attempt.view("busy_vw")
    taps = attempt.table("all_taps")
    if attempt.is_same(made, _per_window(taps, "window(received, '10 minutes')")):
        raise NotTried
    if made.selectExpr("sum(taps)").first()[0] > taps.count():
        raise Mistake("A tap is counted in more than one window: the windows of the task do not overlap.")
    attempt.compare(made, _per_window(taps, "window(event_time, '10 minutes')"), "busy_vw")


def _per_window(taps: DataFrame, window: str) -> DataFrame:
    from pyspark.sql import functions as F

    which = F.expr("array_join(array_sort(collect_list(tap)), ' ')").alias("which")
    per_window = taps.groupBy(F.expr(window).alias("window")).agg(F.count("*").alias("taps"), which)
    return per_window.select(F.col("window.start").alias("begins"), "taps", "which")


MAKES = Makes(views=("busy_vw",), by_starter=True)
