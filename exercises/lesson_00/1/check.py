"""Check exercise 00.1, "Only the even ones"."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ENOUGH = 3  # rows, which tell every even value from every fourth
_PATIENCE = 8.0  # seconds


def check(attempt: Attempt) -> None:
    """Check the rows that the stream has displayed so far: the source never ends."""
    frame = attempt.value("evens")
    if not hasattr(frame, "isStreaming"):
        raise Mistake(f"`evens` is a {type(frame).__name__}. It must be a DataFrame derived from `ticks`.")
    if not frame.isStreaming:
        raise Mistake("`evens` is not a stream. Derive it from `ticks`, which is a streaming DataFrame.")
    if "value" not in frame.columns:
        raise Mistake("`evens` has no column `value`. Keep all columns and filter the rows.")
    shown = _some_rows(attempt)
    odd = shown.where("value % 2 <> 0").count()
    if odd and not shown.where("value % 2 = 0").count():
        raise Mistake("These are the odd values. The exercise asks for the even ones.")
    if odd:
        raise Mistake("`evens` contains odd values. Filter out rows where `value % 2` is not 0.")
    _must_be_every_even_one(shown, frame)


def _some_rows(attempt: Attempt) -> DataFrame:
    """Return the rows that the stream has displayed, once there are a few; the source makes five per second."""
    deadline = time.monotonic() + min(_PATIENCE, attempt.left)
    while (shown := attempt.view("evens")).count() < _ENOUGH and time.monotonic() < deadline:
        time.sleep(0.5)
    return shown


def _must_be_every_even_one(shown: DataFrame, frame: DataFrame) -> None:
    """Raise a mistake if even values are missing, or if the query changes values instead of filtering rows."""
    values = {row.value for row in shown.select("value").collect()}
    if missing := sorted(set(range(0, max(values, default=0), 2)) - values):
        raise Mistake(
            f"Even values are missing, such as {missing[0]}: keep every row where `value % 2` is 0, and no other row."
        )
    if len(values) < _ENOUGH:
        raise Mistake(
            f"After {_PATIENCE:.0f} seconds there are {len(values)} values, although `ticks` keeps producing rows: "
            "keep every row where `value % 2` is 0, and no other row."
        )
    if hasattr(frame, "_jdf") and not _is_column_of_the_source(frame, "value"):
        raise Mistake(
            "Your query computes a new `value`. Filter the rows with `where`, and do not change their values."
        )


def _is_column_of_the_source(frame: DataFrame, name: str) -> bool:
    """Whether a column of a frame is a column of its source, not computed: both are one attribute in the plan."""
    plan = frame._jdf.queryExecution().analyzed()
    made = {
        plan.output().apply(n).exprId().id()
        for n in range(plan.output().size())
        if plan.output().apply(n).name() == name
    }
    leaves = plan.collectLeaves()
    sources = [leaves.apply(number).output() for number in range(leaves.size())]
    read = {output.apply(n).exprId().id() for output in sources for n in range(output.size())}
    return made <= read


MAKES = Makes(variables=("evens",), streams=("evens",), views=("evens",))
