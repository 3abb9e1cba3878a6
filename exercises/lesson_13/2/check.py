"""Check exercise 13.2, "A verdict on every line"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_13.deliveries import (
    LINE_SCHEMA,
    QUARANTINE_SCHEMA,
    SILVER_SCHEMA,
    frame_of_rows,
    landed_lines,
    list_depots,
    scan,
    silver_rows,
)

from streaming_base.errors import short_message
from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_COLUMNS = ("scan_id", "depot_id", "region", "delivered_at", "fee")


def check(attempt: Attempt) -> None:
    """Call the function with the landed lines, and compare the reasons, then the rows without one."""
    landed = landed_lines(attempt)
    lines = frame_of_rows(attempt, [(line.value, line.file_name) for line in landed], LINE_SCHEMA)
    made = _called(attempt, "checked", lines)
    _must_have(made, ("value", "file_name", "reason", *_COLUMNS))
    if (rows := made.count()) != len(landed):
        raise Mistake(f"`checked` returns {rows:,} rows for {len(landed):,} lines. No line may be lost, none doubled.")
    reasons = [(line.reason, *line[:2]) for line in landed]
    attempt.compare(
        made.select("reason", "value", "file_name"),
        frame_of_rows(attempt, reasons, QUARANTINE_SCHEMA),
        "what checked returns",
    )
    good = silver_rows(line for line in landed if line.reason is None)
    attempt.compare(
        made.where("reason IS NULL").select(*_COLUMNS),
        frame_of_rows(attempt, good, SILVER_SCHEMA),
        "what checked returns",
    )


def _called(attempt: Attempt, name: str, *arguments: object) -> Any:
    """Return the result of the learner's function; None counts as not tried."""
    function = attempt.value(name)
    try:
        result = function(*arguments)
    except Exception as error:
        raise Mistake(f"`{name}` raised an error: {type(error).__name__}: {short_message(error)}") from None
    if result is None:
        raise NotTried
    return result


def _must_have(frame: DataFrame, columns: Iterable[str]) -> None:
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise Mistake(f"What `checked` returns has no column `{missing[0]}`; it has {', '.join(frame.columns)}.")


def _two_faults(sandbox: Sandbox) -> None:
    """Plant lines with two faults, a fee of 0, a depot that is not listed, and an empty object."""
    lines = [
        scan("a"), scan("b", fee=0), scan("c", fee=0.01), scan("d", delivered_at=None, fee=None),
        scan("e", 7, fee=-3), scan("f", 7), scan("g", 2, "2024-03-04T23:59:59Z"), scan("h", None), "", "[]", "{}",
        scan("i", 2)[:-9], scan("i", 2),
    ]  # fmt: skip
    sandbox.append("bronze_deliveries", [(line, "2024-03-04.json") for line in lines], LINE_SCHEMA)
    list_depots(sandbox)


def _verdicts(sandbox: Sandbox) -> DataFrame:
    return sandbox.value("checked")(sandbox.spark.table("bronze_deliveries")).select("value", "reason", *_COLUMNS[2:])


_verdicts.__name__ = "what checked returns"


MAKES = Makes(variables=("checked",))

HIDDEN = (
    HiddenTest(
        _two_faults,
        (_verdicts,),
        says="`checked` was called with other lines: some with two faults, a fee of 0, a line that is not JSON.",
    ),
)
