"""Check exercise 13.5, "The report, every night"."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_13.deliveries import (
    DEPOT_SCHEMA,
    GOLD_SCHEMA,
    LINE_SCHEMA,
    frame_of_rows,
    gold_rows,
    land_lines,
    landed_lines,
    list_depots,
    must_be_tried,
    must_have_used_checkpoint,
    must_not_have_active_streams,
    plant_tables,
    scan,
)
from lesson_exercises.lesson_13.parcel_lines import once

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Follow the lines from bronze to gold, and name the first table that is behind."""
    made = attempt.table("gold_deliveries")
    landed = landed_lines(attempt)
    must_not_have_active_streams(attempt)
    must_be_tried(attempt, bool(made.count()))
    if (rows := attempt.table("bronze_deliveries").count()) != len(landed):
        raise Mistake(
            f"`bronze_deliveries` has {rows:,} rows, and {len(landed):,} lines have landed. Does `run_job()` begin "
            "with `bronze()`?"
        )
    deliveries = once(landed)
    if (rows := attempt.table("silver_deliveries").count()) != len(deliveries):
        raise Mistake(
            f"`silver_deliveries` has {rows:,} rows for {len(deliveries):,} deliveries. What must `run_job()` call "
            "after `bronze()`, and in which order?"
        )
    if sum(row.parcels for row in made.collect()) < len(deliveries):
        raise Mistake("`gold_deliveries` lacks deliveries that are in `silver_deliveries`. Is `gold()` called last?")
    attempt.compare(made, frame_of_rows(attempt, gold_rows(deliveries), GOLD_SCHEMA), "gold_deliveries")
    must_have_used_checkpoint(attempt, "gold")


def _a_night(sandbox: Sandbox) -> None:
    """Land a night with a repeated delivery, and one of a depot that is not listed yet."""
    list_depots(sandbox)
    plant_tables(sandbox, [], [])
    sandbox.append("bronze_deliveries", [], LINE_SCHEMA)
    land_lines(sandbox, "2024-03-04", scan("a"), scan("b"), scan("c", 7), scan("d", 2), scan("d", 2))


def _a_late_night(sandbox: Sandbox) -> None:
    """List the missing depot; land a delivery of the previous day, a repeated one, and one of a new day."""
    sandbox.keep(_version=_version(sandbox))
    sandbox.append("depots", [(7, "east", date(2024, 3, 5))], DEPOT_SCHEMA)
    land_lines(sandbox, "2024-03-05", scan("e"), scan("b"), scan("f", 7, "2024-03-05T10:00:00Z"))


def _version(sandbox: Sandbox) -> int:
    return sandbox.spark.sql("DESCRIBE HISTORY gold_deliveries").agg({"version": "max"}).first()[0]


def _changed_rows(sandbox: Sandbox) -> DataFrame:
    """Return the rows of gold that the second night has written, from its change data feed."""
    if _version(sandbox) <= sandbox.kept["_version"]:
        return sandbox.spark.createDataFrame([], "day DATE, region STRING")
    feed = sandbox.spark.read.option("readChangeFeed", True).option("startingVersion", sandbox.kept["_version"] + 1)
    return feed.table("gold_deliveries").select("day", "region").distinct()


_changed_rows.__name__ = "the rows of gold_deliveries that the second night has written"


MAKES = Makes(tables=("gold_deliveries",), views=("changed_rows",), folders=("checkpoints/gold",), by_starter=True)

HIDDEN = (
    HiddenTest(
        _a_night,
        ("silver_deliveries", "quarantine", "gold_deliveries", _changed_rows),
        later=(planted.crash_before_commit, _a_late_night),
        above="\n".join(planted.definitions_of_solution(f"13.{number}") for number in range(1, 5)),
        says="Your job was run for two other nights: a depot is listed late, a delivery arrives late, and the last "
        "batches are run again, as after a crash.",
    ),
)
