"""Check exercise 15.1, "What was dropped"."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lesson_exercises.lesson_15.updates import must_have_completed

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_ORDER = """order_id LONG, customer_id INT, ordered_at TIMESTAMP,
    items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DECIMAL(10, 2)>>"""
_RULES = (
    "order_id IS NOT NULL",
    "try_to_timestamp(ordered_at) IS NOT NULL",
    "customer_id IS NOT NULL",
    "country IS NOT NULL",
    "size(items) > 0 AND forall(items, item -> item.price IS NOT NULL)",
    "forall(items, item -> item.quantity > 0)",
)


def check(attempt: Attempt) -> None:
    """Compare with bronze, and name the usual mistakes."""
    must_have_completed(attempt)
    made = attempt.table("quarantine")
    missing = {"value", "file_name"} - set(made.columns)
    if missing:
        raise Mistake(
            f"`quarantine` has no column `{missing.pop()}`. Return all columns: the expectation checks the function's "
            "result."
        )
    made = made.select("value", "file_name")
    lines = _lines(attempt)
    every = " AND ".join(_RULES)
    for condition, mistake in (
        (every, "These are the rows that the rules let through. Invert the condition."),
        (
            "true",
            "Every order is there. `expect` counts a violation and keeps the row; use `expect_or_drop` to drop it.",
        ),
        (
            " AND ".join(f"({rule}) IS NOT TRUE" for rule in _RULES),
            "Only rows that violate every rule are there. One violation is enough: negate the whole condition.",
        ),
    ):
        if attempt.is_same(made, lines.where(condition).select("value", "file_name")):
            raise Mistake(mistake)
    attempt.compare(made, lines.where(f"({every}) IS NOT TRUE").select("value", "file_name"), "quarantine")


def _lines(attempt: Attempt) -> DataFrame:
    schema = _ORDER.replace("TIMESTAMP", "STRING")
    lines = attempt.spark.table("bronze_orders").selectExpr("*", f"from_json(value, '{schema}') AS line")
    customers = attempt.spark.table("customers").selectExpr("customer_id", "coalesce(country, 'none') AS country")
    return lines.select("value", "file_name", "line.*").join(customers, "customer_id", "left")


_ABOVE_ORDERS = """
from pyspark import pipelines as dp
from pyspark.sql import functions as F


@dp.temporary_view
def orders():
    lines = spark.readStream.table("bronze_orders")
    return lines.withColumn("order", F.from_json("value", ORDER)).select("value", "file_name", "order.*")
"""
_PLANTED_RULES = {
    "readable": "order_id IS NOT NULL",
    "in 2025": "year(ordered_at) = 2025",
    "positive quantities": "forall(items, item -> item.quantity > 0)",
}


def _orders(sandbox: Sandbox) -> None:
    """Plant orders that violate each rule alone, two of them, and rules that are NULL."""
    whole = {
        "order_id": 1,
        "customer_id": 2,
        "ordered_at": "2025-06-01 10:00:00",
        "items": [{"sku": "a", "quantity": 1}],
    }
    changes = (
        {}, {"order_id": None}, {"ordered_at": "2024-12-31 23:59:59"}, {"ordered_at": "2025-12-31 23:59:59"},
        {"ordered_at": "2026-01-01 00:00:00"}, {"ordered_at": None}, {"items": [{"sku": "a", "quantity": 0}]},
        {"items": [{"sku": "a", "quantity": 1}, {"sku": "b", "quantity": -1}]}, {"items": []}, {"items": None},
        {"items": [{"sku": "a", "quantity": None}]}, {"order_id": None, "ordered_at": None, "items": None},
        {"customer_id": None}, {"order_id": 0},
    )  # fmt: skip
    values = [json.dumps(whole | change) for change in changes] + ["{cut off", ""]
    rows = [(value, f"part-{number}.json") for number, value in enumerate(values)]
    sandbox.append("bronze_orders", rows, "value STRING, file_name STRING")
    sandbox.keep(RULES=_PLANTED_RULES, ORDER=_ORDER)


def _one_more_order(sandbox: Sandbox) -> None:
    """Append an order without an id, which the second update must add."""
    sandbox.append("bronze_orders", [('{"order_id": null}', "later.json")], "value STRING, file_name STRING")


def _refused_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("quarantine").select("value", "file_name")


_refused_lines.__name__ = "quarantine"  # as a verdict calls it


MAKES = Makes(variables=("update",), tables=("quarantine",))

HIDDEN = (
    HiddenTest(
        _orders,
        (_refused_lines,),
        later=(_one_more_order,),
        above=_ABOVE_ORDERS,
        says="Your cell was run on other orders, which break each rule alone, two of them, or none. Where a rule "
        "is NULL, NOT of it is NULL, too.",
    ),
)
