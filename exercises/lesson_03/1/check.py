"""Check exercise 03.1, "Two days, latest first"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"


def check(attempt: Attempt) -> None:
    """Check the rows, which show the files that were read, then the batches, which show their order."""
    stream = attempt.stream("odd_days")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    if stream.query.name != "odd_days":
        raise Mistake('The `memory` sink gives its table the name of the query: `.queryName("odd_days")`.')
    made = attempt.table("odd_days")
    first, second, third = (_day(attempt, f"2025-06-0{day}.json") for day in (1, 2, 3))
    if attempt.is_same(made, first.union(second).union(third)):
        raise Mistake("All three days were read. In a path, `[1-3]` means 1 to 3, and `[13]` means 1 or 3: use `[13]`.")
    attempt.compare(made, first.union(third), "odd_days")
    sizes = [third.count(), first.count()]
    if stream.rows_read == [sum(sizes)]:
        if stream.trigger == "once":
            raise Mistake(
                "`once` reads both days in one batch, whatever the limit. Use `availableNow`, which respects the limit."
            )
        raise Mistake(
            "The rows are right, but both days came in one batch. `maxFilesPerTrigger` is an option of the reader: "
            "set it before `.json(...)`."
        )
    if stream.rows_read == sizes[::-1]:
        raise Mistake("The rows are right, but the first day came first: give the reader the option `latestFirst`.")
    if stream.rows_read != sizes:
        raise Mistake("The rows are right, but the batches do not contain one day each: set `maxFilesPerTrigger` to 1.")


def _day(attempt: Attempt, name: str) -> DataFrame:
    return attempt.spark.read.schema(SCHEMA).json(f"{attempt.paths.landing}/{name}")


def _five_days(sandbox: Sandbox) -> None:
    """Land five days of three to seven readings, so that each choice and order of days has other batches."""
    sandbox.keep(schema=planted.READINGS)
    for day in range(1, 6):
        planted.reading_file(sandbox, f"2025-06-0{day}.json", planted.FIRST[: day + 2], day)


MAKES = Makes(variables=("odd_days",), views=("odd_days",))

HIDDEN = (
    HiddenTest(
        _five_days,
        ("odd_days", planted.batch_sizes("odd_days")),
        says="Your cell was run on other readings, of five days.",
    ),
)
