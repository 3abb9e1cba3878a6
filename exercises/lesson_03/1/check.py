"""Check exercise 03.1, "One day per batch"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"


def check(attempt: Attempt) -> None:
    """Check the rows, then the batches, which show the limit."""
    attempt.value("reader")
    stream = attempt.stream("odd_days")
    attempt.wait_for_end(stream, "Leave the trigger of the given code as it is.")
    first, third = (_day(attempt, f"2025-06-0{day}.json") for day in (1, 3))
    attempt.compare(attempt.table("odd_days"), first.union(third), "odd_days")
    sizes = [first.count(), third.count()]
    if stream.rows_read == [sum(sizes)]:
        raise Mistake(
            "The rows are right, but both days came in one batch. Which option of the reader limits the files per "
            "batch? Spark ignores an option that it does not know."
        )
    if stream.rows_read != sizes:
        raise Mistake("The rows are right, but the batches do not contain one day each.")


def _day(attempt: Attempt, name: str) -> DataFrame:
    return attempt.spark.read.schema(SCHEMA).json(f"{attempt.paths.landing}/{name}")


def _five_days(sandbox: Sandbox) -> None:
    """Land five days of three to seven readings, so that each limit has other batches."""
    sandbox.keep(schema=planted.READINGS)
    for day in range(1, 6):
        planted.reading_file(sandbox, f"2025-06-0{day}.json", planted.FIRST[: day + 2], day)


MAKES = Makes(variables=("reader", "odd_days"), views=("odd_days",))

HIDDEN = (
    HiddenTest(
        _five_days,
        ("odd_days", planted.batch_sizes("odd_days")),
        says="Your cell was run on other readings, of five days.",
    ),
)
