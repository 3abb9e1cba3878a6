"""Check exercise 06.1, "The result, from its updates"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with the result of complete mode, and name the usual mistakes."""
    from pyspark.sql import functions as F

    view = attempt.view("latest_vw")
    updates, repeated = (
        attempt.spark.table("received").where(F.col("mode") == mode) for mode in ("update", "complete")
    )
    if attempt.is_same(view, updates.select("device_id", "faulty")):
        raise Mistake(
            "These are all updates, including those that a later one has replaced. For one row per device, use "
            "`GROUP BY device_id`."
        )
    if attempt.is_same(view, _of_batch(updates, F.max("batch"))):
        raise Mistake(
            "This is only the last batch. Devices whose count did not change in it are missing: take the last row of "
            "each device, whichever batch emitted it."
        )
    mistakes = {
        "Your view counts readings more than once: an update replaces the previous one. Do not add them.": F.sum(
            "faulty"
        ),
        "These are the rows that came first for each device. Take the rows that came last.": (
            F.min_by("faulty", "batch")
        ),
    }
    for sentence, chosen in mistakes.items():
        if attempt.is_same(view, updates.groupBy("device_id").agg(chosen.alias("faulty"))):
            raise Mistake(sentence)
    attempt.compare(view, _of_batch(repeated, F.max("batch")), "latest_vw")


def _of_batch(received: DataFrame, which) -> DataFrame:
    batch = received.agg(which).first()[0]
    return received.where(received["batch"] == batch).select("device_id", "faulty")


def _diary(sandbox: Sandbox) -> None:
    """Plant updates in the wrong order, two devices in one batch, and other counts in modes other than `update`."""
    rows = [
        ("update", 3, 31, 50),
        ("update", 4, 31, 58),
        ("update", 4, 32, 8),
        ("update", 11, 33, 2),
        ("update", 9, 33, 1),
        ("complete", 12, 31, 99),
        ("complete", 12, 32, 99),
        ("append", 13, 31, 98),
        ("updated", 14, 31, 97),
    ]
    schema = "mode STRING, batch BIGINT, device_id INT, faulty BIGINT"
    sandbox.append("received", [(mode, batch, device, count) for mode, batch, device, count in rows], schema)


MAKES = Makes(views=("latest_vw",))

HIDDEN = (
    HiddenTest(
        _diary,
        ("latest_vw",),
        says="Your cell was run on other updates: some are out of order, and other modes have other counts.",
    ),
)
