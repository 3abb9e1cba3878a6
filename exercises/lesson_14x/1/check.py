"""Check exercise 14X.1, "What the file says now"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Distinguish a row that is there twice from one that is of another time."""
    made = attempt.view("rates_now_vw")
    corrected = attempt.table("corrected")
    if made.count() > corrected.select("id").distinct().count():
        raise Mistake("`rates_now_vw` has an `id` more than once: make one row per `id`.")
    if attempt.is_same(made, _by(corrected, "min_by(rate, file_modification_time)")):
        raise Mistake("`rates_now_vw` has the rates that arrived first.")
    attempt.compare(made, _by(corrected, "max_by(rate, file_modification_time)"), "rates_now_vw")


def _by(corrected: DataFrame, rate: str) -> DataFrame:
    from pyspark.sql import functions as F

    return corrected.groupBy("id").agg(F.expr(rate).alias("rate"))


def _corrections(sandbox: Sandbox) -> None:
    """Plant corrections that are lower, a rate that became NULL, and a row of one time only."""
    rows = [(1, 90, 1), (1, 9, 2), (2, 50, 2), (2, None, 3), (3, 70, 1), (4, 5, 3), (4, 50, 1), (4, 40, 2)]
    planted = sandbox.spark.createDataFrame(rows, "id INT, rate INT, day INT")
    planted.selectExpr(
        "id", "rate", "timestamp_seconds(1751328000 + 86400 * day) AS file_modification_time"
    ).write.saveAsTable("corrected")


MAKES = Makes(views=("rates_now_vw",))

HIDDEN = (
    HiddenTest(
        _corrections,
        ("rates_now_vw",),
        says="Your cell was run on other corrections: not the greatest rate is the newest one, and one became NULL.",
    ),
)
