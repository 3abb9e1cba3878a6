"""Read and plant the payments of lab 10L."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

PAYMENT_COLUMNS = ("transaction_id", "card_id", "amount", "country", "home", "event_time")


def without_duplicates(attempt: Attempt, landed: DataFrame) -> DataFrame:
    """Return payments without duplicates, with the home country of their card."""
    cards = attempt.spark.table("cards").selectExpr("card_id", "country AS home")
    return landed.drop("received_at").dropDuplicates().join(cards, "card_id", "left").select(*PAYMENT_COLUMNS)


def landed_payments(attempt: Attempt) -> DataFrame:
    """Return the payments in the landing directory, as `payments` must have them."""
    return without_duplicates(attempt, attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing))


PLANTED_SCHEMA = "transaction_id STRING, card_id INT, amount DOUBLE, country STRING, home STRING, event_time TIMESTAMP"


def plant_payments(sandbox: Sandbox, *payments: tuple[str, int, float, str, str | None, int]) -> None:
    """Append payments, with their times in seconds after eight o'clock."""
    start = datetime(2024, 3, 5, 8, tzinfo=UTC)
    rows = [(*values, start + timedelta(seconds=seconds)) for *values, seconds in payments]
    sandbox.append("planted_payments", rows, PLANTED_SCHEMA)
