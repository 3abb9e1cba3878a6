"""Check exercise 15.2, "Which kind of table"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_15.updates import IMPORTS, must_have_completed

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Check the kinds of the datasets, which the rows show only when a customer moves."""
    must_have_completed(attempt)
    delivered, by_city = attempt.table("delivered_to"), attempt.table("customers_by_city")
    kinds = {dataset.name: dataset.kind.name for dataset in attempt.value("update").datasets}
    if kinds.get("delivered_to") == "MATERIALIZED_VIEW":
        raise Mistake(
            "`delivered_to` is a materialized view: each update computes it from today's cities, and an order moves "
            "with its customer. Read silver as a stream, and the row of an order is written once."
        )
    customers = attempt.spark.table("customers")
    if by_city.where("city IS NULL").count():
        raise Mistake("`customers_by_city` counts customers without a city: they have left. Leave them out.")
    attempt.compare(by_city, customers.where("city IS NOT NULL").groupBy("city").count().toDF("city", "customers"),
                    "customers_by_city")  # fmt: skip
    cities = customers.select("customer_id", "city")
    right = attempt.spark.table("silver_orders").join(cities, "customer_id", "left").select("order_id", "city")
    attempt.compare(delivered, right, "delivered_to")


_CUSTOMER, _SILVER = "customer_id INT, city STRING", "order_id LONG, customer_id INT"


def _customers(sandbox: Sandbox) -> None:
    """Plant customers who share a city, have another one, or none, and orders of three of them."""
    sandbox.append("customers", [(1, "A"), (2, "A"), (3, "B"), (4, None)], _CUSTOMER)
    sandbox.append("silver_orders", [(10, 1), (11, 1), (12, 3), (13, 4)], _SILVER)


def _a_customer_moves(sandbox: Sandbox) -> None:
    """Move a customer to another city; add a customer, orders of both, and one of an unknown customer."""
    sandbox.spark.sql("UPDATE customers SET city = 'C' WHERE customer_id = 1")
    sandbox.append("customers", [(5, "A")], _CUSTOMER)
    sandbox.append("silver_orders", [(14, 1), (15, 5), (16, 77)], _SILVER)  # nobody has heard of customer 77


MAKES = Makes(variables=("update",), tables=("delivered_to", "customers_by_city"))

HIDDEN = (
    HiddenTest(
        _customers,
        ("delivered_to", "customers_by_city"),
        later=(_a_customer_moves,),
        above=IMPORTS,
        says="Your cell was run on other tables, and again after a customer has moved and a stranger has ordered.",
    ),
)
