"""Check exercise 08L.2, "What has drifted"."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lesson_exercises.lesson_08l.sales import TABLE_SCHEMA, sales_of_all_nights, table_row

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the view with the landed files, field by field."""
    made, landed = attempt.view("drift_vw"), sales_of_all_nights(attempt)
    counts = Counter((sale.file, field) for sale in landed for field in sale.rescued)
    with_path = counts + Counter((sale.file, "_file_path") for sale in landed if sale.rescued)
    by_field = Counter(field for sale in landed for field in sale.rescued)
    if attempt.is_same(made, _counts(attempt, with_path)):
        raise Mistake("`_file_path` is no field of the partner's: Auto Loader adds it. Leave it out.")
    if [name.lower() for name in made.columns] == ["field", "records"] and by_field:
        raise Mistake("`drift_vw` has no column `file`: group by the file as well, to see in which night it began.")
    attempt.compare(made, _counts(attempt, counts), "drift_vw")


def _counts(attempt: Attempt, counts: Counter[tuple[str, str]]) -> DataFrame:
    rows = [(*key, count) for key, count in counts.items()]
    return attempt.spark.createDataFrame(rows, "file STRING, field STRING, records LONG")


def _rescued_fields(sandbox: Sandbox) -> None:
    """Plant rows with two rescued fields, one field in two files, and files without any."""
    rescued = (
        ("a", '{"seats":"two"}'), ("a", '{"seats":"one","Amount":3.5}'), ("a", None), ("b", '{"Amount":4.5}'),
        ("b", '{"amount":"free"}'), ("c", None), ("b", '{"Amount":5.5}'),
    )  # fmt: skip
    rows = [table_row(number, f"{file}.json", None, text) for number, (file, text) in enumerate(rescued)]
    sandbox.append("sales", rows, TABLE_SCHEMA)


MAKES = Makes(views=("drift_vw",))

HIDDEN = (
    HiddenTest(
        _rescued_fields,
        ("drift_vw",),
        says="Your cell was run on another table: some rows have two rescued fields.",
    ),
)
