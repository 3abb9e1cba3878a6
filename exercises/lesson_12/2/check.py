"""Check exercise 12.2, "The evening of 6 March"."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lesson_exercises.lesson_12.customers import CUSTOMER_SCHEMA

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Name the three ways in which a history is queried wrongly for a time."""
    made = attempt.view("evening_vw")
    history = attempt.table("history")
    right = _at(history)
    if attempt.is_same(made, _at(history, deleted=True)):
        raise Mistake(
            "Customers who had left are among them, as rows without a name. A delete is a version as well, with no "
            "end: leave it out."
        )
    if attempt.is_same(made, _at(history.where("valid_to IS NOT NULL"))):
        raise Mistake("Current versions are missing: their `valid_to` is NULL, and no comparison with NULL is true.")
    if attempt.is_same(made, history.where("is_current").select(*right.columns)):
        raise Mistake("These are the customers as they are now. Compare `valid_from` and `valid_to` with the evening.")
    attempt.compare(made, right, "evening_vw")


def _at(history: DataFrame, *, deleted: bool = False) -> DataFrame:
    evening = "TIMESTAMP '2025-03-06 18:00:00'"
    then = history.where(f"valid_from <= {evening} AND (valid_to > {evening} OR valid_to IS NULL)")
    then = then if deleted else then.where("operation <> 'DELETE'")
    return then.select("customer_id", "name", "country", "city")


def _boundaries(sandbox: Sandbox) -> None:
    """Plant versions that begin and end at the time, a second before and after, and a delete of each kind."""

    def at(second: int) -> datetime:
        return datetime.fromtimestamp(datetime(2025, 3, 6, 18, tzinfo=UTC).timestamp() + second, UTC)

    times = [
        (1, "SNAPSHOT", -90, 0), (1, "UPDATE", 0, 1), (1, "UPDATE", 1, None), (2, "SNAPSHOT", -90, -1),
        (2, "DELETE", -1, None), (3, "INSERT", -5, 0), (3, "DELETE", 0, None), (4, "INSERT", 1, None),
        (5, "DELETE", -50, -20), (5, "INSERT", -20, None), (6, "SNAPSHOT", -90, 1), (6, "DELETE", 1, None),
    ]  # fmt: skip
    rows = [
        (customer, None if what == "DELETE" else f"n{number}", "e", "PT", "Porto", "consumer", number, what, at(start),
         None if end is None else at(end), end is None and what != "DELETE")
        for number, (customer, what, start, end) in enumerate(times)
    ]  # fmt: skip
    schema = (
        f"{CUSTOMER_SCHEMA}, sequence LONG, operation STRING, valid_from TIMESTAMP, valid_to TIMESTAMP, "
        "is_current BOOLEAN"
    )
    sandbox.append("history", rows, schema)


MAKES = Makes(views=("evening_vw",))

HIDDEN = (
    HiddenTest(
        _boundaries,
        ("evening_vw",),
        says="Your cell was run on another history: versions that begin or end at 18:00:00 exactly.",
    ),
)
