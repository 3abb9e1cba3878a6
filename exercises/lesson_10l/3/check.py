"""Check exercise 10L.3, "Large payments and their tests"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_10l.payments import landed_payments, plant_payments

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the pairs, and the payments without a test that must be final by now."""
    stream = attempt.stream("testing")
    attempt.wait_until_idle(stream, 60)
    made = attempt.table("large_payments")
    attempt.must_have_checkpoint(stream, "large_payments")
    landed = landed_payments(attempt)
    pairs = _large(landed, "inner")
    if attempt.is_same(made, pairs):
        raise Mistake("Large payments that no small one precedes are missing. Keep them, with NULL: a left outer join.")
    if missing := [name for name in pairs.columns if name not in made.columns]:
        raise Mistake(f"In `large_payments` the column `{missing[0]}` is missing.")
    attempt.compare(made.where("small_payment IS NOT NULL"), pairs, "large_payments")
    _must_be_unmatched(made.where("small_payment IS NULL"), landed)


def _must_be_unmatched(made: DataFrame, landed: DataFrame) -> None:
    """Raise a mistake if a payment older than five hours is missing, or if one with a test is there."""
    from pyspark.sql import functions as F

    unmatched = _large(landed, "left").where("small_payment IS NULL")
    if made.exceptAll(unmatched.select(made.columns)).count():
        raise Mistake("`large_payments` has a row without a small payment, for a large one that has some.")
    newest = landed.agg(F.max("event_time")).first()[0]
    old = landed.where(F.col("event_time") < F.lit(newest) - F.expr("INTERVAL 5 HOURS")).select("transaction_id")
    if unmatched.join(old, "transaction_id").join(made, "transaction_id", "left_anti").count():
        raise Mistake("Large payments of the early morning, without a small one before them, are missing.")


def _large(payments: DataFrame, how: str) -> DataFrame:
    from pyspark.sql import functions as F

    large = payments.where("amount > 900").select("card_id", "transaction_id", "amount", "event_time")
    small = payments.where("amount < 2").selectExpr(
        "card_id AS c", "transaction_id AS small_payment", "event_time AS s"
    )
    is_test = F.expr("c = card_id AND s BETWEEN event_time - INTERVAL 5 MINUTES AND event_time")
    return large.join(small, is_test, how).select("card_id", "transaction_id", "amount", "small_payment")


def _tests(sandbox: Sandbox) -> None:
    """Plant amounts at and inside the limits, and tests exactly five minutes before, a second more, and after."""
    start = (("l1", 1, 950.0, 600), ("s1", 1, 1.0, 300), ("s2", 1, 1.5, 299), ("s3", 1, 1.0, 601), ("s4", 1, 2.0, 500))
    plant_payments(sandbox, *_at_home(start))
    plant_payments(
        sandbox, *_at_home((("l2", 2, 900.0, 600), ("s5", 2, 1.0, 590), ("l3", 3, 2000.0, 700), ("s6", 4, 1.0, 650)))
    )
    plant_payments(sandbox, *_at_home((("l5", 6, 900.5, 600), ("s8", 6, 1.99, 590))))
    sandbox.keep(payments=sandbox.stream("planted_payments").withWatermark("event_time", "2 hours"))


def _at_home(payments: Iterable[tuple[str, int, float, int]]) -> Iterable[tuple[str, int, float, str, str, int]]:
    return ((name, card, amount, "PT", "PT", seconds) for name, card, amount, seconds in payments)


def _hours_later(sandbox: Sandbox) -> None:
    """Append a late test, then move the watermark: to the end of a range to the second, and past it."""
    plant_payments(sandbox, *_at_home((("s7", 3, 0.5, 650), ("l4", 5, 999.0, 7000))))
    plant_payments(sandbox, *_at_home((("x1", 9, 50.0, 7200 + 7000),)))


def _later_still(sandbox: Sandbox) -> None:
    """Append a payment that moves the watermark one second past the large payment without a test."""
    plant_payments(sandbox, *_at_home((("x2", 9, 50.0, 7200 + 7001),)))


MAKES = Makes(variables=("testing",), tables=("large_payments",), folders=("checkpoints/large_payments",))

HIDDEN = (
    HiddenTest(
        _tests,
        ("large_payments",),
        later=(_hours_later, planted.crash_before_commit, _later_still),
        says="Your cell was run on other payments: of exactly 900 and 2 EUR, and exactly five minutes apart.",
    ),
)
