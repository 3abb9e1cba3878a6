"""Check exercise 10L.2, "Two places at once"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_10l.payments import landed_payments, plant_payments

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, interval_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Distinguish the pairs of travelers from others; the hidden test has both orders of the two halves."""
    stream = attempt.stream("alarms")
    if stream.trigger is not None and interval_of(stream.trigger):  # which Connect does not tell
        raise Mistake(
            f"Your stream starts a batch every {interval_of(stream.trigger):g} s, so an alarm waits for the next one. "
            "Without a trigger, a batch starts as soon as the last one is done."
        )
    attempt.wait_until_idle(stream, 60)
    made = attempt.table("alarms")
    right = _alarms(landed_payments(attempt))
    attempt.must_have_checkpoint(stream, "alarms")
    if attempt.is_same(made, _alarms(landed_payments(attempt), minutes=None)):
        raise Mistake("Travelers are among them: the two payments may be hours apart. Add a range of ten minutes.")
    attempt.compare(made, right, "alarms")


def _alarms(payments: DataFrame, minutes: int | None = 10) -> DataFrame:
    home = payments.where("country = home").selectExpr("card_id", "transaction_id AS home_payment", "event_time AS h")
    abroad = payments.where("country != home").selectExpr(
        "card_id", "transaction_id AS foreign_payment", "amount", "event_time AS f"
    )
    pairs = home.join(abroad, "card_id")
    if minutes is not None:
        pairs = pairs.where(f"f BETWEEN h - INTERVAL {minutes} MINUTES AND h + INTERVAL {minutes} MINUTES")
    return pairs.select("card_id", "home_payment", "foreign_payment", "amount")


def _pairs(sandbox: Sandbox) -> None:
    """Plant pairs ten minutes apart, a second more, in both orders, of two cards, of a card without a home."""
    plant_payments(
        sandbox, ("a1", 1, 5.0, "PT", "PT", 0), ("a2", 1, 9.0, "GR", "PT", 600), ("b1", 2, 1.0, "DE", "DE", 600)
    )
    plant_payments(
        sandbox, ("b2", 2, 7.0, "FI", "DE", 0), ("c1", 3, 1.0, "IE", "IE", 0), ("c2", 3, 1.0, "PT", "IE", 601)
    )
    plant_payments(sandbox, ("h1", 8, 4.0, "PT", "GR", 0), ("h2", 8, 1.0, "GR", "GR", 601))
    plant_payments(
        sandbox, ("d1", 4, 1.0, "GR", "GR", 60), ("e1", 5, 1.0, "PT", "GR", 61), ("f1", 6, 1.0, "PT", None, 61)
    )
    sandbox.keep(payments=sandbox.stream("planted_payments").withWatermark("event_time", "2 hours"))


def _late_halves(sandbox: Sandbox) -> None:
    """Append the missing half of two pairs, an hour late, and one payment that completes two pairs."""
    plant_payments(
        sandbox, ("g1", 7, 1.0, "PT", "PT", 5400), ("d2", 4, 3.5, "PT", "GR", 300), ("e2", 5, 1.0, "GR", "GR", 0)
    )
    plant_payments(sandbox, ("a3", 1, 2.0, "PT", "PT", 900), ("f2", 6, 1.0, "GR", None, 62))


MAKES = Makes(variables=("alarms",), tables=("alarms",), folders=("checkpoints/alarms",))

HIDDEN = (
    HiddenTest(
        _pairs,
        ("alarms",),
        later=(_late_halves, planted.crash_before_commit),
        says="Your cell was run on other payments: exactly ten minutes apart, in both orders, one of them late.",
    ),
)
