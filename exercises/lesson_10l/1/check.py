"""Check exercise 10L.1, "Each payment once"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_10l.payments import without_duplicates

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Run the frame as a stream, and distinguish a missing watermark from one that is too short."""
    frame = attempt.value("payments")
    if hasattr(frame, "runId"):
        raise Mistake("`payments` is a running query. The exercise asks for a DataFrame: nothing is written yet.")
    if not getattr(frame, "isStreaming", False):
        raise Mistake("`payments` is not a streaming DataFrame: begin with `arrived`.")
    _must_have_watermark(attempt, frame)
    made = attempt.rows_of_stream(frame)
    landed = attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing)
    right = without_duplicates(attempt, landed)
    if made.count() > right.count():
        raise Mistake(
            f"`payments` has {made.count():,} rows, and there are {right.count():,} payments: some are there more than "
            "once. A payment that is sent again has the same `transaction_id` and the same event time."
        )
    if "transaction_id" in made.columns and (lost := right.join(made, "transaction_id", "left_anti").count()):
        raise Mistake(
            f"{lost:,} payments are missing. Some terminals were offline for more than an hour: the delay must be "
            "longer than any lateness. And a card that the bank does not know must not remove its payment."
        )
    attempt.compare(made, right, "payments")


def _must_have_watermark(attempt: Attempt, frame: DataFrame) -> None:
    from pyspark.sql import functions as F

    try:
        hours = frame.groupBy(F.window("event_time", "1 hour")).count()
    except Exception:  # a column is missing, which the rows will tell
        return
    try:
        attempt.rows_of_stream(hours)
    except Exception as error:
        if "watermark" not in str(error):
            raise
        raise Mistake(
            "`payments` has no watermark, so its state keeps every id, and no later join can drop a row. Set one on "
            "`event_time`."
        ) from None


def _payments(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows_of(sandbox.value("payments"))


def _late_and_again(sandbox: Sandbox) -> None:
    """Land a payment that is 86 minutes late, two that are sent again, two that differ in their ids, an unknown card.

    A batch drops rows by the watermark of the batch before it, so the late payment comes two files after the newest.
    """
    _land(sandbox, "a", ("t1", 1, "PT", 480), ("t2", 2, "GR", 481), ("t1", 1, "PT", 480))
    _land(sandbox, "b", ("t3", 1, "GR", 600), ("t2", 2, "GR", 481), ("t4", 99, "PT", 601))
    _land(sandbox, "c", ("t6", 3, "DE", 602), ("t3", 1, "GR", 600))
    _land(sandbox, "d", ("t5", 2, "GR", 516), ("t7", 3, "DE", 603), ("t8", 3, "DE", 603))
    sandbox.append("cards", [(1, "PT"), (2, "GR"), (3, "DE")], "card_id INT, country STRING")
    source = sandbox.spark.readStream.schema(planted.PAYMENT).option("maxFilesPerTrigger", 1)
    sandbox.keep(arrived=source.json(sandbox.paths.landing), cards=sandbox.spark.table("cards"))


def _land(sandbox: Sandbox, name: str, *payments: tuple[str, int, str, int]) -> None:
    rows = [
        {"transaction_id": transaction, "card_id": card, "amount": 2.5, "merchant": "Corner", "category": "fuel"}
        | {"country": country, "event_time": f"2024-03-05T{minute // 60:02}:{minute % 60:02}:00Z"}
        | {"received_at": f"2024-03-05T11:{number:02}:00Z"}
        for number, (transaction, card, country, minute) in enumerate(payments)
    ]
    sandbox.file(f"card-{name}.json", rows)


MAKES = Makes(variables=("payments",))

HIDDEN = (
    HiddenTest(
        _late_and_again,
        (_payments,),
        says="Your cell was run on other payments: one is 86 minutes late, two are alike but for their ids.",
    ),
)
