"""Check exercise 14L.2, "Each undo once"."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_14l.edit_wars import (
    PLANTED_UNDO_SCHEMA,
    UNDO_COLUMNS,
    minutes_after_noon,
    must_be_a_stream,
    run_view,
    undos_in_topic,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_LONGEST_DELAY = 3 * 60  # minutes of a watermark; nothing is an hour late


def check(attempt: Attempt) -> None:
    """Compare the rows, then check in the reports that the state is bounded, and by which delay."""
    view = attempt.view("once_vw")
    must_be_a_stream(view, "once_vw", "undos_vw")
    made, reports = run_view(attempt, view, "append")
    undos = undos_in_topic(attempt)
    doubled, right = undos.select(UNDO_COLUMNS), undos.dropDuplicates(["id"]).select(UNDO_COLUMNS)
    if attempt.is_same(made, doubled):
        raise Mistake("The duplicates are still there: both collectors sent the same edit. Keep one row per `id`.")
    delay = _delay(reports)
    if set(made.columns) == set(UNDO_COLUMNS):
        _must_have_late_ones(made, undos, delay)
    attempt.compare(made, right, "once_vw")
    _must_forget(reports, delay)


def _must_have_late_ones(made: DataFrame, undos: DataFrame, delay: float | None) -> None:
    """Distinguish rows that were dropped by the watermark from rows that were dropped as duplicates."""
    lost = undos.dropDuplicates(["id"]).join(made.select("id"), "id", "left_anti")
    minutes = [(row.arrived - row.dt).total_seconds() / 60 for row in lost.collect()]
    if not minutes:
        return
    if delay is not None and min(minutes) > delay:
        raise Mistake(
            f"{len(minutes)} undos are missing: they arrived at least {min(minutes):.0f} minutes late. Your "
            f"watermark delay is {delay:.0f} minutes, and rows behind the watermark are dropped. Use a longer delay."
        )
    raise Mistake(
        f"{len(minutes)} undos are missing that are not duplicates. Two messages are the same edit if they have the "
        "same `id`; the same page or the same user is not enough."
    )


def _must_forget(reports: list[Any], delay: float | None) -> None:
    """Raise a mistake if the state of right rows is not bounded."""
    operators = [operator for report in reports for operator in report["stateOperators"]]
    is_bounded = any(
        operator["operatorName"] == "dedupeWithinWatermark" or operator["numRowsRemoved"] for operator in operators
    )
    if not is_bounded or delay is None:
        raise Mistake(
            "The rows are right, but the query keeps every id in state forever: its state is unbounded. Use "
            "`dropDuplicatesWithinWatermark` with a watermark, which removes old ids."
        )
    if delay > _LONGEST_DELAY:
        raise Mistake(
            f"The rows are right, but your watermark delay is {delay / 60:,.0f} hours, and each id is kept in state "
            "for at least that long. All messages arrive within one hour: use a shorter delay."
        )


def _delay(reports: list[Any]) -> float | None:
    """Return the minutes that the watermark is behind the latest event; None without a watermark."""
    times = [(_time(report, "max"), _time(report, "watermark")) for report in reports]
    latest, found = None, None
    for (seen, _), (_, watermark) in pairwise(times):
        latest = max(filter(None, (latest, seen)), default=None)
        if latest is not None and watermark is not None and watermark.year > 1970:
            found = (latest - watermark).total_seconds() / 60
    return found


def _time(report: Any, name: str) -> datetime | None:
    value = report["eventTime"].get(name)
    return datetime.fromisoformat(value) if value else None


def _doubles(sandbox: Sandbox) -> None:
    """Plant batches with duplicates, and an undo that is 44 minutes late."""
    undo = ("enwiki", "T", "u", "v")
    for rows in (
        [("a", minutes_after_noon(0), *undo), ("a", minutes_after_noon(0), *undo), ("b", minutes_after_noon(0), *undo)],
        [("c", minutes_after_noon(50), *undo), ("a", minutes_after_noon(0), *undo)],
        [("e", minutes_after_noon(51), *undo)],  # a batch drops rows by the watermark of the batch before it
        [("d", minutes_after_noon(6), *undo), ("c", minutes_after_noon(50), *undo)],
        [("d", minutes_after_noon(6), *undo)],
    ):
        sandbox.append("planted", rows, PLANTED_UNDO_SCHEMA)
    sandbox.view("undos_vw", sandbox.stream("planted", maxFilesPerTrigger=1))


MAKES = Makes(views=("once_vw",))

HIDDEN = (
    HiddenTest(
        _doubles,
        ("once_vw",),
        says="Your cell was run on other undos: a double in a later batch, and one that is 44 minutes late.",
    ),
)
