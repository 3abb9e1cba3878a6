"""Check exercise 13.3, "Each delivery once"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_13.deliveries import (
    DEFINITION_OF_CHECKED,
    LINE_SCHEMA,
    QUARANTINE_SCHEMA,
    SILVER_SCHEMA,
    frame_of_rows,
    landed_lines,
    list_depots,
    must_be_tried,
    must_have_used_checkpoint,
    must_not_have_active_streams,
    quarantine_rows,
    scan,
    silver_rows,
)
from lesson_exercises.lesson_13.parcel_lines import once

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Account for each line: once in silver, or once in the quarantine."""
    good, bad = attempt.table("silver_deliveries"), attempt.table("quarantine")
    must_not_have_active_streams(attempt)
    must_be_tried(attempt, bool(good.count() or bad.count()))
    landed = landed_lines(attempt)
    deliveries = once(landed)
    if (rows := good.count()) > len(deliveries):
        raise Mistake(
            f"`silver_deliveries` has {rows:,} rows for {len(deliveries):,} deliveries: some are there more than once. "
            "The same delivery can come twice in one batch, and again in a later one."
        )
    attempt.compare(good, frame_of_rows(attempt, silver_rows(deliveries), SILVER_SCHEMA), "silver_deliveries")
    waiting = quarantine_rows(landed)
    attempt.compare(bad, frame_of_rows(attempt, waiting, QUARANTINE_SCHEMA), "quarantine")
    must_have_used_checkpoint(attempt, "silver")


def _two_lines_of_one(sandbox: Sandbox) -> None:
    """Plant a delivery twice, a bad line twice, and lines of a second depot and of one that is not listed."""
    list_depots(sandbox)
    lines = [scan("a"), scan("a"), scan("b", fee=-1), scan("b", fee=-1), scan("c", 7), scan("d", 2)]
    sandbox.append("bronze_deliveries", [(line, "2024-03-04.json") for line in lines], LINE_SCHEMA)


def _sent_again(sandbox: Sandbox) -> None:
    """Plant a night with a repeated delivery and bad line, and a delivery that is new by its id alone."""
    lines = [scan("a"), scan("e"), scan("b", fee=-1), scan("f", 8)]
    sandbox.append("bronze_deliveries", [(line, "2024-03-05.json") for line in lines], LINE_SCHEMA)


MAKES = Makes(
    tables=("silver_deliveries", "quarantine"),
    views=("new_deliveries",),
    folders=("checkpoints/silver",),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        _two_lines_of_one,
        ("silver_deliveries", "quarantine"),
        later=(_sent_again, planted.crash_before_commit),
        above=DEFINITION_OF_CHECKED,
        says="Your cell was run on other lines in two nights, a bad one of them twice in a file, and the last "
        "batch again, as after a crash.",
    ),
)
