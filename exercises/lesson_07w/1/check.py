"""Check exercise 07W.1, "A morning at the bank"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake, Rubric

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_MOST_FILES = 4  # of a batch
_STREAMS = {"received": "payments", "settling": "settled", "serving": "spending", "counting": "by_hour"}


def check(attempt: Attempt) -> None:
    """Check each criterion alone: served tables are compared with the landed files, not with other tables."""
    if all(attempt.namespace.get(name) is None for name in _STREAMS):
        attempt.stream("received")
    landed = attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing)
    rubric = Rubric()
    with rubric.criterion("Each stream processes the available data and stops"):
        for name in _STREAMS:
            attempt.wait_for_end(attempt.stream(name), f"`{name}` must stop after it has processed the available data.")
    with rubric.criterion("No batch reads more than four files"):
        _must_be_small(attempt.stream("received"), attempt.rows_of_files(landed))
    with rubric.criterion("`payments` has every row as it was received"):
        attempt.compare(attempt.table("payments"), landed, "payments")
    with rubric.criterion("`settled` has each payment once"):
        attempt.compare(attempt.table("settled"), _settled(landed), "settled")
    with rubric.criterion("`spending` has the current sum of each card"):
        attempt.compare(attempt.table("spending"), _spending(landed), "spending")
    with rubric.criterion("`by_hour` has the hours that are final, and no other"):
        attempt.compare(attempt.table("by_hour"), _by_hour(landed), "by_hour")
    with rubric.criterion("Each stream has a checkpoint of its own"):
        for name, table in _STREAMS.items():
            attempt.must_have_checkpoint(attempt.stream(name), table)
    rubric.close()


def _must_be_small(stream: MadeStream, rows: list[int]) -> None:
    most = max((sum(rows[first : first + _MOST_FILES]) for first in range(len(rows))), default=0)
    if max(stream.rows_read, default=0) > most:
        raise Mistake(f"One batch has read {max(stream.rows_read):,} rows, more than four files have.")


def _settled(landed: DataFrame) -> DataFrame:
    return landed.select("transaction_id", "card_id", "amount", "country", "event_time").dropDuplicates()


def _spending(landed: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    sums = (F.count("*").alias("payments"), F.round(F.sum("amount"), 2).alias("amount"))
    return _settled(landed).groupBy("card_id").agg(*sums)


def _by_hour(landed: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    counts = _settled(landed).groupBy("country", F.window("event_time", "1 hour").alias("hour")).count()
    newest = landed.agg(F.max("event_time")).first()[0]
    final = counts.where(F.col("hour.end") <= F.lit(newest) - F.expr("INTERVAL 2 HOURS"))
    return final.select("country", F.col("hour.start").alias("hour"), F.col("count").alias("payments"))


def _payment(
    number: int, hour: float, card: int = 1, country: str = "PT", amount: float = 10.0, received: float | None = None
) -> dict[str, object]:
    return {
        "transaction_id": f"t{number}", "card_id": card, "amount": amount, "merchant": "Corner", "category": "fuel",
        "country": country, "event_time": _at(hour), "received_at": _at(received or hour),
    }  # fmt: skip


def _at(hour: float) -> str:
    minutes = round(hour * 60)
    return f"2024-03-05T{minutes // 60:02}:{minutes % 60:02}:00Z"


def _a_morning(sandbox: Sandbox) -> None:
    """Land six files: payments sent again in one file and across files, equal amounts, and amounts of 0 and below.

    Two payments of one card are alike but for their ids.
    """
    again = _payment(2, 8.5, received=8.9)
    sandbox.file("card-a.json", [_payment(1, 8.1), _payment(2, 8.5), again, _payment(3, 8.6, amount=10.0)])
    sandbox.file("card-b.json", [_payment(4, 9.0, card=2, country="GR", amount=0.0), _payment(2, 8.5, received=9.05)])
    sandbox.file("card-c.json", [_payment(number, 9.5, card=2, amount=-4.25) for number in (5, 12)])
    sandbox.file("card-d.json", [_payment(6, 10.0)])
    sandbox.file("card-e.json", [_payment(7, 10.9, card=3)])
    sandbox.file("card-f.json", [_payment(8, 11.0, country="GR")])


def _late_and_sent_again(sandbox: Sandbox) -> None:
    """Land two late payments that are in time, one that was sent hours ago, and one at the end of an hour."""
    # The second is late by nearly two hours.
    late = (_payment(9, 9.75, card=4, received=11.05), _payment(11, 9.1, card=4, received=11.05))
    sandbox.file("card-g.json", [*late, _payment(1, 8.1, received=11.1), _payment(10, 12.0, card=4)])


MAKES = Makes(
    variables=tuple(_STREAMS),
    tables=tuple(_STREAMS.values()),
    folders=tuple(f"checkpoints/{table}" for table in _STREAMS.values()),
)

HIDDEN = (
    HiddenTest(
        _a_morning,
        ("payments", "settled", "spending", "by_hour", planted.batch_sizes("received")),
        later=(_late_and_sent_again, planted.crash_before_commit),
        says="Your cell was run on other payments, two of them alike but for their ids, again after more had "
        "landed, and again after a crash.",
    ),
)
