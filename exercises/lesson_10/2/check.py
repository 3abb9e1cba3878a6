"""Check exercise 10.2, "Attempts with ids of their own"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

#: What makes two rows attempts of one purchase.
PURCHASE = ("card_id", "merchant", "amount", "event_time")
SHOWN = ("card_id", "merchant", "amount", "category", "country", "event_time")


def check(attempt: Attempt) -> None:
    """Run the frame as a stream on attempts with other ids, and distinguish what is lost from what is doubled."""
    frame = attempt.value("purchases")
    if hasattr(frame, "runId"):
        raise Mistake("`purchases` is a running query. The exercise asks for a DataFrame: nothing is written yet.")
    if not getattr(frame, "isStreaming", False):
        raise Mistake("`purchases` is not a streaming DataFrame: begin with `transactions`.")
    if missing := [name for name in (*SHOWN, "transaction_id", "received_at") if name not in frame.columns]:
        raise Mistake(f"The column `{missing[0]}` is missing in `purchases`: keep all columns of `transactions`.")
    _must_have_watermark(attempt, frame)
    made = attempt.rows_of_stream(frame)
    landed = attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing)
    right = landed.dropDuplicates([*PURCHASE])
    if lost := right.join(made, [*PURCHASE], "left_anti").count():
        raise Mistake(
            f"{lost:,} purchases are missing. Either the delay is shorter than a row is late, or two purchases are "
            "equal in the columns that you compare."
        )
    attempt.compare(made.select(*SHOWN), right.select(*SHOWN), "purchases")


def _must_have_watermark(attempt: Attempt, frame: DataFrame) -> None:
    from pyspark.sql import functions as F

    try:
        attempt.rows_of_stream(frame.groupBy(F.window("event_time", "1 hour")).count())
    except Exception as error:
        if "watermark" not in str(error):
            raise
        raise Mistake(
            "`purchases` has no watermark on `event_time`, so its state is not bounded by the time that an attempt "
            "carries unchanged."
        ) from None


def _purchases(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows_of(sandbox.value("purchases")).select(*SHOWN)


_purchases.__name__ = "purchases"  # as a verdict calls them


def _attempts(sandbox: Sandbox) -> None:
    """Land attempts with ids of their own, purchases that differ in one column, and one that is 86 minutes late.

    A batch drops rows by the watermark of the batch before it, so the late purchase comes two files after the newest.
    """
    _land(sandbox, "a", ("t1", 1, "Corner", 2.5, 480), ("t2", 1, "Corner", 2.5, 480), ("t3", 1, "Corner", 2.5, 481))
    _land(sandbox, "b", ("t4", 1, "Corner", 2.5, 481), ("t5", 2, "Corner", 2.5, 600), ("t6", 2, "Bakery", 2.5, 600))
    _land(sandbox, "c", ("t7", 2, "Bakery", 3.5, 600), ("t8", 3, "Bakery", 3.5, 601), ("t9", 2, "Corner", 2.5, 600))
    _land(sandbox, "d", ("t10", 4, "Corner", 9.0, 515), ("t11", 3, "Bakery", 3.5, 602))
    source = sandbox.spark.readStream.schema(planted.PAYMENT).option("maxFilesPerTrigger", 1)
    sandbox.keep(transactions=source.json(sandbox.paths.landing))


def _land(sandbox: Sandbox, name: str, *payments: tuple[str, int, str, float, int]) -> None:
    rows = [
        {"transaction_id": transaction, "card_id": card, "amount": amount, "merchant": merchant, "category": "food"}
        | {"country": "PT", "event_time": f"2024-03-05T{minute // 60:02}:{minute % 60:02}:00Z"}
        | {"received_at": f"2024-03-05T11:{number:02}:00Z"}
        for number, (transaction, card, merchant, amount, minute) in enumerate(payments)
    ]
    sandbox.file(f"card-{name}.json", rows)


MAKES = Makes(variables=("purchases",))

HIDDEN = (
    HiddenTest(
        _attempts,
        (_purchases,),
        says="Your cell was run on attempts with ids of their own: purchases are more than once, or are missing, if "
        "the columns that you compare do not tell them apart.",
    ),
)
