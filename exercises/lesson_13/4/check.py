"""Check exercise 13.4, "The depots that were not listed"."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_13.deliveries import (
    DEFINITION_OF_CHECKED,
    DEPOT_SCHEMA,
    QUARANTINE_SCHEMA,
    SILVER_SCHEMA,
    frame_of_rows,
    landed_lines,
    list_depots,
    must_be_tried,
    plant_tables,
    quarantine_rows,
    scan,
    silver_rows,
)
from lesson_exercises.lesson_13.parcel_lines import once

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

SILVER_DEFINED = planted.definitions_of_solution("13.3")


def check(attempt: Attempt) -> None:
    """Name where the lines of the new depots are: in both tables, in neither, or still waiting."""
    landed = landed_lines(attempt)
    good, bad = attempt.table("silver_deliveries"), attempt.table("quarantine")
    deliveries = once(landed)
    still = quarantine_rows(landed)
    waits, there = bad.count(), good.count()
    must_be_tried(attempt, there >= len(deliveries) or 0 < waits <= len(still))
    if there > len(deliveries):
        raise Mistake(
            f"`silver_deliveries` has {there:,} rows for {len(deliveries):,} deliveries: some are there twice."
        )
    if there < len(deliveries):
        raise Mistake(
            f"{len(deliveries) - there} deliveries have left the quarantine and are not in `silver_deliveries`: they "
            "are lost. Insert first, delete afterwards."
        )
    attempt.compare(good, frame_of_rows(attempt, silver_rows(deliveries), SILVER_SCHEMA), "silver_deliveries")
    if waits > len(still):
        raise Mistake(f"{waits - len(still)} lines are in `silver_deliveries`, and still in `quarantine`.")
    attempt.compare(bad, frame_of_rows(attempt, still, QUARANTINE_SCHEMA), "quarantine")


def _waiting(sandbox: Sandbox) -> None:
    """Plant lines of depots that are listed by now, one twice and one that silver has, and others."""
    list_depots(sandbox)
    file = "2024-03-04.json"
    plant_tables(
        sandbox,
        [
            *[("unknown depot", line, file) for line in (scan("a"), scan("a"), scan("b", 2), scan("c", 7))],
            ("bad fee", scan("d", fee=-1), file),
            ("no time", scan("e", delivered_at=None), file),
            ("unknown depot", scan("f", 2), file),
        ],
        [("f", 2, "south", datetime(2024, 3, 4, 9, tzinfo=UTC), Decimal("4.90"))],
    )


def _half_done(sandbox: Sandbox) -> None:
    """Restore a line that was moved, as a crash between the two writes leaves it; append one of a new depot."""
    inserted, deleted = (_last_commit(sandbox, table) for table in ("silver_deliveries", "quarantine"))
    sandbox.keep(insert_came_first=inserted <= deleted)
    sandbox.append("depots", [(7, "east", date(2024, 3, 5))], DEPOT_SCHEMA)
    plant_tables(sandbox, [("unknown depot", scan("b", 2), "2024-03-04.json")], [])


def _last_commit(sandbox: Sandbox, table: str) -> datetime:
    return sandbox.spark.sql(f"DESCRIBE HISTORY {table}").agg({"timestamp": "max"}).first()[0]


def _lost_by_a_crash(sandbox: Sandbox) -> DataFrame:
    """Return whether a crash between the first run's two writes would have lost lines."""
    return sandbox.frame([(not sandbox.kept["insert_came_first"],)], "lost BOOLEAN")


_lost_by_a_crash.__name__ = "lines that a crash between the two writes loses"


MAKES = Makes(views=("known_lines",), changes=("silver_deliveries", "quarantine"))

HIDDEN = (
    HiddenTest(
        _waiting,
        ("silver_deliveries", "quarantine", _lost_by_a_crash),
        later=(_half_done,),
        above=f"{DEFINITION_OF_CHECKED}\n\n{SILVER_DEFINED}",
        says="Your cell was run on another quarantine, and again with a line that was only half moved.",
    ),
)
