"""Check exercise 12L.2, "The newest value of each field"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lesson_exercises import planted
from lesson_exercises.lesson_12l.changes import (
    FIELDS,
    Values,
    change_frame,
    changes_in_epoch_seconds,
    every_change,
    landed_changes,
    raise_as_cell_error,
    values_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the values of the landed changes, and name the usual mistakes."""
    function = attempt.value("newest_values")
    if not callable(function):
        raise Mistake("`newest_values` is not a function: begin with `def newest_values(changes):`.")
    landed = landed_changes(attempt)
    made = _flat(function(change_frame(attempt.spark, landed)))
    if attempt.is_same(made, _flat_frame(attempt.spark, values_of(landed))):
        return
    for wrong, sentence in (
        (
            values_of(landed, nulls=True),
            "A field that is missing in the newest change has not changed, but it is NULL in your row. Take the newest "
            "change that *has* a value, separately for each field.",
        ),
        (
            values_of(landed, ends=False),
            "A `DELETE` must end every field: treat it as a change that sets name, e-mail address and city to `-`. "
            "Otherwise a person who returns gets back the e-mail address from before.",
        ),
        (
            values_of(landed, erases=False),
            "An older e-mail address is back where it was erased. Keep `-` as a value, because it must win over older "
            "ones: a view can replace it later.",
        ),
        (
            values_of(landed, lambda change: (change.seconds, change.sequence)),
            "Changes of phones whose clock is behind have lost. `sequence` decides; `changed_at` only decides between "
            "two changes with the same `sequence`.",
        ),
    ):
        if attempt.is_same(made, _flat_frame(attempt.spark, wrong)):
            raise Mistake(sentence)
    attempt.compare(made, _flat_frame(attempt.spark, values_of(landed)), "newest_values(changes)")


def _flat(made: Any) -> DataFrame:
    """Return the cards with one column per value, and one for the change that it comes from."""
    if made is None:
        raise Mistake("`newest_values` returns None: end it with `return` and a DataFrame.")
    if not hasattr(made, "columns"):
        raise Mistake("`newest_values` does not return a DataFrame.")
    for name in ("card", "operation", *FIELDS):
        if name not in made.columns:
            raise Mistake(f"In the result of `newest_values` the column `{name}` is missing.")
        kind = made.schema[name].dataType
        if name != "card" and getattr(kind, "names", None) != ["at", "value"]:
            raise Mistake(
                f"In the result of `newest_values` the column `{name}` must be a struct of `at` and `value`, in this "
                f"order; it is {kind.simpleString()}."
            )
    if surplus := [name for name in made.columns if name not in ("card", "operation", *FIELDS)]:
        raise Mistake(f"In the result of `newest_values` the column `{surplus[0]}` was not asked for.")
    return made.selectExpr("card", *(column for field in ("operation", *FIELDS) for column in _columns(field)))


def _columns(field: str) -> tuple[str, str]:
    return f"{field}.value AS {field}", f"CAST({field}.at AS STRING) AS {field}_at"


def _flat_frame(spark: SparkSession, values: Values) -> DataFrame:
    """Return values as a frame with the columns of :func:`_flat`."""
    rows = [(card, *(of.get(field) for field in ("operation", *FIELDS))) for card, of in values.items()]
    value = "STRUCT<sequence: LONG, seconds: LONG, value: STRING>"
    frame = spark.createDataFrame(rows, ", ".join(["card STRING", *(f"{f} {value}" for f in ("operation", *FIELDS))]))
    return _flat(
        frame.selectExpr(
            "card",
            *(
                f"IF({f} IS NULL, NULL, struct(struct({f}.sequence, timestamp_seconds({f}.seconds) AS changed_at) AS at"
                f", {f}.value)) AS {f}"
                for f in ("operation", *FIELDS)
            ),
        )
    )


def _newest_made(sandbox: Sandbox) -> DataFrame:
    """Call the cell's function with all changes, the newest first."""
    function = sandbox.value("newest_values")
    with raise_as_cell_error():
        return _flat(function(change_frame(sandbox.spark, reversed(changes_in_epoch_seconds(every_change())))))


_newest_made.__name__ = "newest_values(changes)"


MAKES = Makes(variables=("newest_values",))

HIDDEN = (
    HiddenTest(
        planted.nothing,
        (_newest_made,),
        says="Your function was called with other changes: equal sequences, erased fields, a delete before its "
        "insert, and a person who returns.",
    ),
)
