"""Check exercise 10L.4, "Refunds"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with both tables, and name the rows that a join multiplies."""
    made = attempt.view("refunds_vw")
    alarms, large = attempt.table("alarms"), attempt.table("large_payments")
    right = _refunds(alarms, large)
    if "payment" in made.columns and made.count() > made.select("payment").distinct().count():
        raise Mistake(
            "A payment is there more than once, and would be refunded more than once. The join has written a row for "
            "each pair: group, or use `DISTINCT`."
        )
    if attempt.is_same(made, _refunds(alarms, large, tests=1)):
        raise Mistake("One small payment before a large one is no fraud. The bank's rule: six or more.")
    attempt.compare(made, right, "refunds_vw")


def _refunds(alarms: DataFrame, large: DataFrame, tests: int = 6) -> DataFrame:
    two_places = alarms.selectExpr("card_id", "foreign_payment AS payment", "amount")
    tested = large.groupBy("card_id", "transaction_id", "amount").count()
    enough = tested.where(f"count >= {tests}").selectExpr("card_id", "transaction_id AS payment", "amount")
    return two_places.union(enough).distinct()


def _both(sandbox: Sandbox) -> None:
    """Plant a foreign payment in two pairs, five, six and seven tests, a payment of both kinds, two refunds of a card.

    Each of two cards has two payments that are alike but for their ids.
    """
    alarm = "card_id INT, home_payment STRING, foreign_payment STRING, amount DOUBLE"
    pairs = [(1, "h1", "f1", 40.0), (1, "h2", "f1", 40.0), (2, "h3", "f2", 40.0), (2, "h3", "f3", 40.0)]
    sandbox.append("alarms", [*pairs, (3, "h4", "b1", 950.0)], alarm)
    schema = "card_id INT, transaction_id STRING, amount DOUBLE, small_payment STRING"
    rows = [
        (card, name, 950.0, f"s{n}")
        for card, name, tests in ((4, "l5", 5), (5, "l6", 6), (5, "l8", 6), (6, "l7", 7), (3, "b1", 6))
        for n in range(tests)
    ]
    sandbox.append("large_payments", [*rows, (7, "l0", 990.0, None)], schema)


MAKES = Makes(views=("refunds_vw",))

HIDDEN = (
    HiddenTest(
        _both,
        ("refunds_vw",),
        says="Your cell was run on other alarms: one payment is in two pairs, and two payments of one card are "
        "alike but for their ids.",
    ),
)
