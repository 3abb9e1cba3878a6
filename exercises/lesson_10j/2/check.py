"""Check exercise 10J.2, "Limit the wait"."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

COLUMNS = ("order_id", "ordered_at", "paid_order", "paid_at")


def check(attempt: Attempt) -> None:
    """Reject what is no join of the two streams; the hidden tests compare its pairs and its state."""
    frame = attempt.value("paid_in_time")
    if hasattr(frame, "runId"):
        raise Mistake("`paid_in_time` is a running query. The exercise asks for a DataFrame: nothing is written yet.")
    if not getattr(frame, "isStreaming", False):
        raise Mistake("`paid_in_time` is not a streaming DataFrame: join `orders` with `payments`.")
    if missing := [name for name in COLUMNS if name not in frame.columns]:
        raise Mistake(f"The column `{missing[0]}` is missing in `paid_in_time`: keep the columns of both streams.")


def _pairs(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows_of(sandbox.value("paid_in_time")).select(*COLUMNS)


def _kept(sandbox: Sandbox) -> DataFrame:
    """Run the join further, on late rows too, and return which orders are paid and how many rows its state has."""
    name = f"kept_{uuid4().hex}"
    query = sandbox.value("paid_in_time").writeStream.format("memory").queryName(name).start()
    try:
        query.processAllAvailable()
        for orders, payments in _LATER:
            _orders(sandbox, *orders)
            _payments(sandbox, *payments)
            query.processAllAvailable()
        last = [progress for progress in query.recentProgress if "addBatch" in progress.durationMs][-1]
        [operator] = [one for one in last.stateOperators if "Join" in one.operatorName]
        paid = sorted(row.order_id for row in sandbox.spark.table(name).collect())
        return sandbox.frame([(" ".join(paid), operator.numRowsTotal)], "paid STRING, rows LONG")
    finally:
        query.stop()


#: Orders and payments, batch by batch. In the first two the orders have the lower watermark, then the payments: order P
#: is 8 minutes late, and so is the payment of R.
_LATER = (
    ((("LATER", "12:00"),), (("LATER", "12:30"),)),
    ((("P", "11:52"),), (("P", "12:21"),)),
    ((("R", "12:53"), ("LAST", "14:00")), (("OTHER", "13:00"),)),
    ((), (("R", "12:52"),)),
)
_pairs.__name__, _kept.__name__ = "paid_in_time", "paid orders and rows in state"  # as a verdict calls them


def _a_day(sandbox: Sandbox) -> None:
    """Plant payments at both limits of the range, a minute outside of each, and without an order."""
    times = {"A": "08:00", "B": "08:00", "C": "08:00", "D": "08:00", "E": "08:00", "F": "08:00"}
    _orders(sandbox, *times.items())
    _payments(sandbox, ("A", "07:55"), ("B", "08:30"), ("C", "07:54"), ("D", "08:31"), ("E", "08:10"), ("X", "08:10"))
    sandbox.keep(orders=sandbox.stream("orders"), payments=sandbox.stream("payments"))


def _orders(sandbox: Sandbox, *orders: tuple[str, str]) -> None:
    if orders:
        sandbox.append("orders", _at(orders), "order_id STRING, ordered_at TIMESTAMP")


def _payments(sandbox: Sandbox, *payments: tuple[str, str]) -> None:
    sandbox.append("payments", _at(payments), "paid_order STRING, paid_at TIMESTAMP")


def _at(rows: tuple[tuple[str, str], ...]) -> list[tuple[str, datetime]]:
    return [(name, datetime.fromisoformat(f"2024-03-05 {time}").replace(tzinfo=UTC)) for name, time in rows]


MAKES = Makes(variables=("paid_in_time",))

HIDDEN = (
    HiddenTest(
        _a_day,
        (_pairs,),
        says="Your cell was run on payments 5 and 6 minutes before their order, and 30 and 31 minutes after it.",
    ),
    HiddenTest(
        _a_day,
        (_kept,),
        says="Your join was run until six hours after the first orders, on rows that are 8 minutes late. It loses them "
        "if a delay is too short, and keeps rows that can no longer match if a watermark is missing; an outer join "
        "adds orders that nobody has paid.",
    ),
)
