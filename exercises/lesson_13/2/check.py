"""Check exercise 13.2, "The quarantine's second try"."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_13.orders import SILVER_SCHEMA, order_line, plant_customers

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_DAY_FIRST = r'"ordered_at":"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"'


def check(attempt: Attempt) -> None:
    """Name where the lines with a bad time are: in the quarantine, in silver, in both, or in neither."""
    bad = _bad_times(attempt)
    silver, quarantine = attempt.table("orders_copy"), attempt.table("quarantine_copy")
    moved = silver.join(bad, "order_id", "left_semi")
    waiting = quarantine.join(bad.select("value"), "value", "left_semi").count()
    there = moved.select("order_id").distinct().count()
    if not there and waiting and attempt.cell_error is None:
        raise NotTried
    if attempt.cell_error is not None and not there:
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
    if moved.count() > there:
        raise Mistake("Some orders are in `orders_copy` twice. Insert only those that it does not have.")
    if there < bad.select("order_id").distinct().count():
        lost = " They have left the quarantine, too: they are lost." if not waiting else ""
        raise Mistake(f"Only {there} of the orders with a bad time are in `orders_copy`.{lost}")
    attempt.compare(
        moved.select("order_id", "ordered_at"), bad.select("order_id", "ordered_at").distinct(), "orders_copy"
    )
    if waiting:
        raise Mistake(f"The orders are in `orders_copy`, but {waiting} of their lines are still in `quarantine_copy`.")


def _bad_times(attempt: Attempt) -> DataFrame:
    from pyspark.sql import functions as F

    lines = attempt.table("bronze_orders").where(F.col("value").rlike(_DAY_FIRST))
    time = F.regexp_replace(F.regexp_extract("value", _DAY_FIRST, 0), _DAY_FIRST, "$3-$2-$1 $4:00")
    number = F.get_json_object("value", "$.order_id").cast("long")
    return lines.select("value", number.alias("order_id"), F.to_timestamp(time).alias("ordered_at"))


def _quarantine(sandbox: Sandbox) -> None:
    """Plant days below and above 12, a time that nobody can read, an order that silver has, and other reasons.

    Two lines whose time can be understood have a second fault: an unknown customer, and a quantity of 0.
    """
    plant_customers(sandbox)
    lines = [
        ("bad time", order_line(1, at="25/02/2024 14:07")), ("bad time", order_line(2, at="03/04/2024 00:00")),
        ("bad time", order_line(3, at="yesterday")), ("bad time", order_line(4, at="12/11/2024 23:59")),
        ("bad time", order_line(4, at="12/11/2024 23:59")), ("bad time", order_line(5, at="01/02/2024 09:30")),
        ("no customer", order_line(6, customer=None, at="2024-03-05T08:00:00Z")), ("unreadable", '{"order_id":7,"cust'),
        ("bad time", order_line(9, customer=99, at="13/02/2024 10:00")),
        ("bad time", order_line(10, at="14/02/2024 10:00", quantity=0)),
    ]  # fmt: skip
    sandbox.append("quarantine", [(*line, "a.json") for line in lines], "reason STRING, value STRING, file_name STRING")
    sandbox.append("silver_orders", [], SILVER_SCHEMA)
    sandbox.spark.sql("INSERT INTO silver_orders VALUES (5, 1, 'PT', TIMESTAMP '2024-02-01 09:30:00', 'web', 7)")


def _another_line(sandbox: Sandbox) -> None:
    """Append a line with its day first, and one of an order that was moved; keep the order of the writes."""
    inserted, deleted = (_last_commit(sandbox, table) for table in ("orders_copy", "quarantine_copy"))
    sandbox.keep(_insert_came_first=inserted <= deleted)
    lines = [("bad time", order_line(8, at="28/02/2024 10:00")), ("bad time", order_line(1, at="25/02/2024 14:07"))]
    sandbox.append(
        "quarantine_copy", [(*line, "b.json") for line in lines], "reason STRING, value STRING, file_name STRING"
    )


def _last_commit(sandbox: Sandbox, table: str) -> datetime:
    return sandbox.spark.sql(f"DESCRIBE HISTORY {table}").agg({"timestamp": "max"}).first()[0]


def _lost_by_a_crash(sandbox: Sandbox) -> DataFrame:
    """Return whether a crash between the first run's two writes would have lost orders."""
    return sandbox.frame([(not sandbox.kept["_insert_came_first"],)], "lost BOOLEAN")


_lost_by_a_crash.__name__ = "orders that a crash between the two writes loses"


MAKES = Makes(tables=("orders_copy", "quarantine_copy"), views=("understood_vw",), by_starter=True)

HIDDEN = (
    HiddenTest(
        _quarantine,
        ("orders_copy", "quarantine_copy", _lost_by_a_crash),
        later=(_another_line,),
        above=planted.definitions_of("13", "ORDER", "REASON", "checked", "REVENUE"),
        says="Your cell was run on another quarantine, twice: with a time that nobody can read, lines with a "
        "second fault, and duplicates.",
    ),
)
