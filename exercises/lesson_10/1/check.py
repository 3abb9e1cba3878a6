"""Check exercise 10.1, "Insert what is missing"."""

from __future__ import annotations

from streaming_classroom.exercises import Attempt, Makes, Mistake, NotTried


def check(attempt: Attempt) -> None:
    """Count transactions that are there twice, that are missing, and that have no amount."""
    made = attempt.table("kept_once")
    if attempt.cell_error is not None:
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
    if made.isEmpty():
        raise NotTried
    arrived = attempt.view("arrived_vw").select("transaction_id", "amount").distinct()
    if made.count() > made.select("transaction_id").distinct().count():
        raise Mistake("Some transactions are in `kept_once` more than once: keep the `DISTINCT` of the source.")
    if missing := arrived.join(made, "transaction_id", "left_anti").count():
        raise Mistake(f"{missing:,} transactions are missing: insert each row that is not matched.")
    if made.where("amount IS NULL").count():
        raise Mistake("Some transactions have no amount: insert all columns.")
    attempt.compare(made, arrived, "kept_once")


MAKES = Makes(tables=("kept_once",), by_starter=True)
