"""Check exercise 10J.1, "Keep every payment"."""

from __future__ import annotations

from streaming_classroom.exercises import Attempt, Makes, Mistake, NotTried


def check(attempt: Attempt) -> None:
    """Run the view as a stream, and distinguish the starter, which drops payments, and joins that Spark rejects."""
    from pyspark.errors import AnalysisException

    made = attempt.view("with_card_vw")
    if not made.isStreaming:
        raise Mistake(
            "`with_card_vw` is not a stream: select from `till_vw`, which reads the table `till` as a stream."
        )
    try:
        rows = attempt.rows_of_stream(made)
    except AnalysisException:
        raise Mistake(
            "Spark rejects this join: a join of a stream and a table can keep the unmatched rows of the stream only."
        ) from None
    till, cards = attempt.table("till"), attempt.table("cards")
    if attempt.is_same(rows, till.join(cards, "card_id").select("payment", "card_id", "status")):
        raise NotTried
    attempt.compare(rows, till.join(cards, "card_id", "left").select("payment", "card_id", "status"), "with_card_vw")


MAKES = Makes(views=("with_card_vw",), by_starter=True)
