"""Check exercise 10X.1, "Money without an order"."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

IN_TIME = "paid_order = order_id AND paid_at BETWEEN ordered_at AND ordered_at + INTERVAL 30 MINUTES"


def check(attempt: Attempt) -> None:
    """Check the end of the stream, and compare with an anti join of the tables."""
    from pyspark.sql import functions as F

    stream = attempt.stream("straying")
    attempt.wait_for_end(stream, "Give it `.trigger(availableNow=True)`.")
    attempt.must_have_checkpoint(stream, "strays")
    made, orders, payments = attempt.table("strays"), attempt.table("orders"), attempt.table("payments")
    strays = payments.join(orders, F.expr(IN_TIME), "left_anti")
    if set(made.columns) == set(payments.columns):
        if made.where("paid_order IS NULL").count():
            raise Mistake("`strays` has rows without a payment. Which side of the join keeps its unmatched rows?")
        if made.join(orders, F.expr(IN_TIME), "left_semi").count():
            raise Mistake("`strays` has payments that an order explains: the join returns matches as well.")
        known = orders.select(F.col("order_id").alias("paid_order"))
        if not made.count() or attempt.is_same(made, strays.join(known, "paid_order", "left_anti")):
            raise Mistake("A payment is missing whose order is of another time, not within the thirty minutes before.")
    attempt.compare(made, strays, "strays")


def _shop(sandbox: Sandbox) -> None:
    """Plant payments that are on time, early, late, and without an order, and times that close them."""
    _orders(sandbox, ("a", "09:00"), ("b", "09:10"), ("c", "09:40"), ("z1", "12:00"))
    _payments(sandbox, ("a", "09:30"), ("b", "09:41"), ("c", "09:35"), ("none", "09:20"), ("z1", "12:00"))


def _the_day_goes_on(sandbox: Sandbox) -> None:
    """Plant an order that arrives after its payment, a second payment of an order, and one without an order."""
    _payments(sandbox, ("late", "12:10"), ("z1", "12:20"), ("z1", "12:31"), ("none", "12:15"))


def _and_on(sandbox: Sandbox) -> None:
    _orders(sandbox, ("late", "12:05"), ("z2", "15:00"))
    _payments(sandbox, ("z2", "15:00"))


def _orders(sandbox: Sandbox, *rows: tuple[str, str]) -> None:
    sandbox.append("orders", _at(rows), "order_id STRING, ordered_at TIMESTAMP")
    sandbox.keep(orders=sandbox.stream("orders"))


def _payments(sandbox: Sandbox, *rows: tuple[str, str]) -> None:
    sandbox.append("payments", _at(rows), "paid_order STRING, paid_at TIMESTAMP")
    sandbox.keep(payments=sandbox.stream("payments"))


def _at(rows: tuple[tuple[str, str], ...]) -> list[tuple]:
    return [(name, datetime.fromisoformat(f"2024-03-05 {time}")) for name, time in rows]


MAKES = Makes(variables=("straying",), tables=("strays",), folders=("checkpoints/strays",))

HIDDEN = (
    HiddenTest(
        _shop,
        ("strays",),
        later=(_the_day_goes_on, planted.crash_before_commit, _and_on),
        above="from pyspark.sql import functions as F\n\n" + planted.definitions_of("10X", "in_time"),
        says="Your cell was run on other orders and payments, some of which arrived before their order, and restarted.",
    ),
)
