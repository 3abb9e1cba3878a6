"""Check exercise 10.3, "Once, whatever happens"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Distinguish duplicates within a batch from those across batches, and a wrong time from a wrong row."""
    stream = attempt.stream("settling")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.table("settled")
    landed = attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing)
    attempt.must_have_read(stream, landed.count())
    _must_be_once(made, landed)
    right = _first_of(landed)
    if attempt.is_same(made.drop("received_at"), right.drop("received_at")) and not attempt.is_same(made, right):
        raise Mistake(
            "Each transaction is there once, but `received_at` is not always the first one. `dropDuplicates` keeps any "
            "row of an id: group instead, and take the smallest `received_at`."
        )
    attempt.compare(made, right, "settled")
    attempt.must_have_checkpoint(stream, "settled")


def _must_be_once(made: DataFrame, landed: DataFrame) -> None:
    from pyspark.sql import functions as F

    counted = made.groupBy("transaction_id").count().where("count > 1")
    doubles = counted.count()
    if not doubles:
        return
    per_file = landed.groupBy("transaction_id", "_metadata.file_name").count()
    in_one_file = per_file.groupBy("transaction_id").agg(F.max("count").alias("most")).where("most > 1")
    if not counted.join(in_one_file, "transaction_id", "left_anti").count():
        raise Mistake(
            f"{doubles:,} transactions are there more than once: those whose rows were in one batch. `MERGE` does not "
            "compare the rows of a batch with each other, so remove the batch's duplicates first."
        )
    raise Mistake(f"{doubles:,} transactions are there more than once. Insert only those that the table does not have.")


def _first_of(landed: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    keys = ("transaction_id", "card_id", "amount", "event_time")
    return landed.groupBy(*keys).agg(F.min("received_at").alias("received_at"))


def _payments(sandbox: Sandbox) -> None:
    """Land an id three times in one file, the first one received last in it, and again in the next file."""
    _land(sandbox, "a", ("t1", 3), ("t1", 1), ("t2", 2), ("t1", 2))
    _land(sandbox, "b", ("t2", 9), ("t3", 8), ("t3", 7))
    sandbox.keep(transactions=_stream(sandbox), TRANSACTION=planted.PAYMENT)
    sandbox.view("arrived_vw", sandbox.spark.read.schema(planted.PAYMENT).json(sandbox.paths.landing))


def _stream(sandbox: Sandbox) -> DataFrame:
    source = sandbox.spark.readStream.schema(planted.PAYMENT).option("maxFilesPerTrigger", 1)
    return source.json(sandbox.paths.landing)


def _sent_again(sandbox: Sandbox) -> None:
    """Land a file with an id of an earlier file, and with a new one twice."""
    _land(sandbox, "c", ("t1", 30), ("t4", 21), ("t4", 20), ("t3", 22))


def _land(sandbox: Sandbox, name: str, *payments: tuple[str, int]) -> None:
    rows = [
        {"transaction_id": transaction, "card_id": 1, "amount": 2.5, "merchant": "Corner", "category": "fuel"}
        | {"country": "PT", "event_time": "2024-03-05T08:00:00Z", "received_at": f"2024-03-05T08:{minute:02}:00Z"}
        for transaction, minute in payments
    ]
    sandbox.file(f"card-{name}.json", rows)


MAKES = Makes(variables=("settling",), tables=("settled",), folders=("checkpoints/settled",), by_starter=True)

HIDDEN = (
    HiddenTest(
        _payments,
        ("settled",),
        later=(_sent_again, planted.crash_before_commit, planted.lose_checkpoints),
        says="Your cell was run on other payments, again after a crash, and again with its checkpoint deleted.",
    ),
)
