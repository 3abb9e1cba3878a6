"""Check exercise 09.3, "A delay that you can defend"."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from stream_view import late_rows
from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_DELAY = 90  # minutes: the latest first row arrives 89.5 minutes after its payment


def check(attempt: Attempt) -> None:
    """Check the delay before the rows, which depend on it, then the numbers that justify it."""
    stream = attempt.stream("counted")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.table("payments_by_window")
    landed = attempt.view("payments_vw")
    attempt.must_have_read(stream, landed.count())
    _must_wait_long_enough(_delay_of(attempt.value("counted"), landed))
    files = attempt.rows_of_files(attempt.spark.read.text(attempt.paths.landing))
    if len(stream.rows_read) < len(files):
        raise Mistake("A batch has read more than one file. Set `maxFilesPerTrigger` to 1.")
    attempt.compare(made, attempt.rows_of_stream(_counts(attempt)), "payments_by_window")
    attempt.must_have_checkpoint(stream, "payments_by_window")
    lost = attempt.value("first_rows_lost")
    if lost != 0:
        raise Mistake(
            f"`first_rows_lost` is {lost}, but none of the dropped rows is the first of its payment. Compare "
            "transaction and `received_at` of each row in `late_rows(counted)` with its payment's first `received_at`."
        )


def _delay_of(query: Any, landed: DataFrame) -> float:
    """Return the minutes between the newest event time and the last watermark."""
    from pyspark.sql import functions as F

    reports = [report for report in query.recentProgress if report["eventTime"].get("watermark")]
    if not reports:
        raise Mistake("Your stream has no watermark. Set one on `event_time` before the `groupBy`.")
    watermark = max(datetime.fromisoformat(report["eventTime"]["watermark"]) for report in reports)
    newest = landed.agg(F.unix_millis(F.max("event_time"))).first()[0] / 1000
    return round((newest - watermark.timestamp()) / 60, 1)


def _must_wait_long_enough(minutes: float) -> None:
    if minutes < _DELAY:
        raise Mistake(
            f"Your delay is {minutes:g} minutes, and the first row of some payment arrived later than that. A row "
            "that is later than the delay may be dropped: whether it is depends on the batches."
        )
    if minutes > _DELAY:
        raise Mistake(
            f"Your delay is {minutes:g} minutes. No payment's first row is so late: every result waits longer than it "
            "must."
        )


def _counts(attempt: Attempt) -> DataFrame:
    from pyspark.sql import functions as F

    source = attempt.spark.readStream.schema(attempt.value("payment")).option("maxFilesPerTrigger", 1)
    payments = source.json(attempt.paths.landing).withWatermark("event_time", f"{_DELAY} minutes")
    counts = payments.groupBy("country", F.window("event_time", "10 minutes")).agg(F.count("*").alias("payments"))
    return counts.select("country", F.col("window.start").alias("begins"), "payments")


_PAYMENT = (
    "transaction_id STRING, card_id INT, amount DOUBLE, country STRING, event_time TIMESTAMP, received_at TIMESTAMP"
)


def _payments(sandbox: Sandbox) -> None:
    """Land payments that are 85 minutes late, at the end of a window, repeated, or without their first row."""
    _land(sandbox, "a", ("t1", "08:00:00", "08:00:05"), ("t2", "09:59:59", "10:00:00"), ("t3", "10:00:00", "10:00:01"))
    _land(sandbox, "b", ("t4", "08:35:00", "10:00:30"), ("t1", "08:00:00", "10:10:00"), ("t5", "11:30:00", "11:30:01"))
    # The rows of file c are late by 8:30, the watermark of the batch before: a repetition and two first rows are lost.
    _land(
        sandbox, "c",
        ("t1", "08:00:00", "11:40:00"), ("t4", "08:35:00", "11:41:00"), ("t2", "09:49:59", "11:42:00"),
        ("t6", "12:00:00", "12:00:00"), ("t7", "08:15:00", "11:43:00"), ("t8", "08:25:00", "11:44:00"),
    )  # fmt: skip
    sandbox.keep(payment=_PAYMENT, late_rows=late_rows)
    landed = sandbox.spark.read.schema(_PAYMENT).json(sandbox.paths.landing)
    landed.createOrReplaceTempView("payments_vw")


def _first_rows_lost(sandbox: Sandbox) -> DataFrame:
    return sandbox.frame([(int(sandbox.value("first_rows_lost")),)], "first_rows_lost INT")


def _land(sandbox: Sandbox, name: str, *payments: tuple[str, str, str]) -> None:
    rows = [
        {"transaction_id": transaction, "card_id": 1, "amount": 1.0, "country": "PT"}
        | {"event_time": f"2024-03-05T{made}Z", "received_at": f"2024-03-05T{received}Z"}
        for transaction, made, received in payments
    ]
    sandbox.file(f"card-{name}.json", rows)


MAKES = Makes(
    variables=("counted", "first_rows_lost"),
    tables=("payments_by_window",),
    folders=("checkpoints/payments_by_window",),
)

HIDDEN = (
    HiddenTest(
        _payments,
        ("payments_by_window", _first_rows_lost),
        says="Your cell was run on other payments: one is 85 minutes late, and the first rows of two are dropped.",
    ),
)
