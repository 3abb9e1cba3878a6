"""Check exercise 10J.3, "The last order of the day"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the view, and name what delays the last order, what loses payments, and what reads it wrongly."""
    stream = attempt.stream("closing")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    attempt.table("closing")
    attempt.must_have_checkpoint(stream, "closing")
    made = attempt.view("unpaid_vw")
    if made.isStreaming:
        raise Mistake("`unpaid_vw` reads a stream. Select from the table `closing`.")
    right = _unpaid(attempt)
    if "order_id" in made.columns and made.where("order_id IS NULL OR order_id NOT RLIKE '^[A-Z]$'").count():
        raise Mistake("A heartbeat is in `unpaid_vw`, a row that is no order. Filter it out when you read the table.")
    if attempt.is_same(made, right.where("order_id != 'E'")):
        raise Mistake(
            "Order E is still in state: the lower of the two watermarks has not passed 11:10. Union heartbeats with "
            "the orders and with the payments, before their watermarks, and do not filter them out within the stream: "
            "Spark moves such a filter below the watermark, and time does not advance."
        )
    attempt.compare(made, right, "unpaid_vw")
    if attempt.table("closing").where("order_id NOT RLIKE '^[A-Z]$|[0-9]'").count():
        raise Mistake(
            "The heartbeats have a constant as their id. In a batch without orders, Spark then knows the id of all "
            "rows, and reads no payment of any other. Make the id from the heartbeat's time."
        )


def _unpaid(attempt: Attempt) -> DataFrame:
    from pyspark.sql import functions as F

    orders, payments = attempt.spark.table("orders"), attempt.spark.table("payments")
    unpaid = orders.join(payments, _is_paid_by(), "left_anti")
    newest = attempt.spark.table("heartbeats").agg(F.max("beat_at")).first()[0]
    is_final = F.col("ordered_at") + F.expr("INTERVAL 40 MINUTES") <= F.lit(newest)  # 30, and the watermark's delay
    return unpaid.where(is_final).select("order_id", "ordered_at")


def _is_paid_by() -> Column:
    from pyspark.sql import functions as F

    return F.expr("paid_order = order_id AND paid_at BETWEEN ordered_at AND ordered_at + INTERVAL 30 MINUTES")


def _a_day(sandbox: Sandbox) -> None:
    """Plant payments at the last second, after it, and before their order, and an order that heartbeats emit."""
    _orders(sandbox, ("X", "08:00:00"), ("Y", "08:10:00"), ("Z", "08:20:00"), ("W", "08:30:00"), ("V", "09:00:00"))
    _at(
        sandbox,
        "payments",
        "paid_order STRING, paid_at TIMESTAMP",
        ("Y", "08:40:00"),
        ("Z", "08:50:01"),
        ("W", "08:29:59"),
    )
    _beat(sandbox, "09:45:00")
    beats = sandbox.stream("heartbeats").selectExpr("concat('beat ', beat_at) AS paid_order", "beat_at AS paid_at")
    orders, payments = sandbox.stream("orders"), sandbox.stream("payments")
    sandbox.keep(
        orders=orders,
        payments=payments,
        beats=beats,
        ordered=orders.withWatermark("ordered_at", "10 minutes"),
        paid=payments.withWatermark("paid_at", "10 minutes"),
        paid_or_beat=payments.union(beats).withWatermark("paid_at", "10 minutes"),
        is_its_payment=_is_paid_by(),
    )


def _next_order(sandbox: Sandbox) -> None:
    """Append orders that can still be paid when the next heartbeat arrives; the last two reveal its delay."""
    _orders(sandbox, ("U", "09:40:00"), ("T", "09:45:00"), ("V", "09:59:30"), ("X", "10:04:00"))
    _beat(sandbox, "10:00:00")


def _evening(sandbox: Sandbox) -> None:
    """Append a late payment and a heartbeat, but no order: a constant as an id would hide the payment."""
    _at(sandbox, "payments", "paid_order STRING, paid_at TIMESTAMP", ("T", "09:51:00"))
    _beat(sandbox, "10:40:00")


def _orders(sandbox: Sandbox, *orders: tuple[str, str]) -> None:
    _at(sandbox, "orders", "order_id STRING, ordered_at TIMESTAMP", *orders)


def _beat(sandbox: Sandbox, time: str) -> None:
    rows = sandbox.spark.sql(f"SELECT TIMESTAMP '2024-03-05 {time}' AS beat_at")
    rows.write.format("delta").mode("append").saveAsTable("heartbeats")


def _at(sandbox: Sandbox, table: str, schema: str, *rows: tuple[str, str]) -> None:
    from datetime import UTC, datetime

    at = [(name, datetime.fromisoformat(f"2024-03-05 {time}").replace(tzinfo=UTC)) for name, time in rows]
    sandbox.append(table, at, schema)


MAKES = Makes(variables=("closing",), tables=("closing",), views=("unpaid_vw",), folders=("checkpoints/closing",))

HIDDEN = (
    HiddenTest(
        _a_day,
        ("unpaid_vw",),
        later=(_next_order, planted.crash_before_commit, _evening),
        says="Your cell was run on the orders of another day, again after more of them, and after a payment and a "
        "heartbeat without an order.",
    ),
)
