"""Check exercise 13.1, "Every line"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_13.deliveries import (
    LINE_SCHEMA,
    frame_of_rows,
    land_lines,
    landed_lines,
    must_be_tried,
    must_have_used_checkpoint,
    must_not_have_active_streams,
    scan,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare the lines, and name the ones that are there twice."""
    must_not_have_active_streams(attempt)
    must_be_tried(attempt, attempt.spark.catalog.tableExists("bronze_deliveries"))
    made = attempt.table("bronze_deliveries")
    landed = [line[:2] for line in landed_lines(attempt)]
    if (rows := made.count()) > len(landed):
        raise Mistake(
            f"`bronze_deliveries` has {rows:,} rows, and {len(landed):,} lines have landed. Only a stream with a "
            "checkpoint knows which files are new."
        )
    attempt.compare(made, frame_of_rows(attempt, landed, LINE_SCHEMA), "bronze_deliveries")
    must_have_used_checkpoint(attempt, "bronze")


def _first_nights(sandbox: Sandbox) -> None:
    """Land lines that are repeated, cut off, empty or blank, or without a fee or a time."""
    land_lines(sandbox, "2024-03-04", scan("a"), scan("b", fee=None), '{"scan_id":"c","dep')
    land_lines(sandbox, "2024-03-05", scan("a"), " ", "", scan("d", delivered_at=None))


def _next_night(sandbox: Sandbox) -> None:
    """Land a third night, with a line that is not JSON and a delivery that is there twice."""
    land_lines(sandbox, "2024-03-06", "<html>", scan("e"), scan("e"))


MAKES = Makes(tables=("bronze_deliveries",), folders=("checkpoints/bronze",))

HIDDEN = (
    HiddenTest(
        _first_nights,
        ("bronze_deliveries",),
        later=(_next_night,),
        says="Your cell was run on two other nights, and once more after a third one.",
    ),
)
