"""Read and plant deliveries, and check jobs, for lesson 13."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_13 import parcel_lines
from lesson_exercises.lesson_13.parcel_lines import Line

from streaming_classroom.exercises import Attempt, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

LINE_SCHEMA = "value STRING, file_name STRING"
SILVER_SCHEMA = "scan_id STRING, depot_id INT, region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2)"
QUARANTINE_SCHEMA = "reason STRING, value STRING, file_name STRING"
GOLD_SCHEMA = "day DATE, region STRING, parcels BIGINT, fees DECIMAL(18, 2)"
DEPOT_SCHEMA = "depot_id INT, region STRING, listed_on DATE"


def landed_lines(attempt: Attempt) -> list[Line]:
    """Return the landed lines, by arrival."""
    lines = attempt.spark.read.text(attempt.paths.landing).select("value", "_metadata.file_name").collect()
    regions = {row.depot_id: row.region for row in attempt.spark.table("depots").collect()}
    return sorted((parcel_lines.read(*line, regions) for line in lines), key=lambda line: line.file_name)


def silver_rows(lines: Iterable[Line]) -> list[tuple]:
    """Return lines as rows of `silver_deliveries`."""
    return [(line.scan_id, line.depot_id, line.region, line.delivered_at, line.fee) for line in lines]


def gold_rows(lines: Iterable[Line]) -> list[tuple]:
    """Return the report of lines as rows of `gold_deliveries`."""
    return [(*key, *sums) for key, sums in parcel_lines.report(lines).items()]


def quarantine_rows(lines: Iterable[Line]) -> list[tuple]:
    """Return the lines that have a reason as rows of `quarantine`."""
    return [(line.reason, line.value, line.file_name) for line in lines if line.reason is not None]


def frame_of_rows(attempt: Attempt, rows: list[tuple], schema: str) -> DataFrame:
    """Return rows as a frame."""
    return attempt.spark.createDataFrame(rows, schema)


def must_be_tried(attempt: Attempt, is_there: bool) -> None:
    """Raise the error of the cell as a mistake, or that it was not tried, if nothing exists that it makes."""
    if is_there:
        return
    if attempt.cell_error is None:
        raise NotTried
    raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")


def must_not_have_active_streams(attempt: Attempt) -> None:
    """Raise a mistake if a stream is running after the job."""
    if attempt.spark.streams.active:
        raise Mistake(
            "A stream is still running. A job ends: give each stream the trigger `availableNow=True`, and wait for it "
            "with `awaitTermination()`."
        )


def must_have_used_checkpoint(attempt: Attempt, checkpoint: str) -> None:
    """Raise a mistake if the job's stream has not used this checkpoint, from which the next night resumes."""
    if not attempt.paths.exists(f"{attempt.paths.checkpoints}/{checkpoint}/commits"):
        raise Mistake(
            f"There is no checkpoint `{checkpoint}` in `DA.paths.checkpoints`, which was asked for. The stream of the "
            "next night goes on with it."
        )


def land_lines(sandbox: Sandbox, night: str, *lines: str) -> None:
    """Land a night's file with these lines."""
    path = sandbox.file(f"{night}.json", [])
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def scan(scan_id: str, depot: int = 1, at: str = "2024-03-04T09:00:00Z", **other: object) -> str:
    """Return the line of a delivery."""
    return json.dumps({"scan_id": scan_id, "depot_id": depot, "delivered_at": at, "fee": 4.9} | other)


def list_depots(sandbox: Sandbox) -> None:
    """Plant the table `depots` with two depots."""
    rows = [(1, "north", date(2024, 3, 4)), (2, "south", date(2024, 3, 4))]
    sandbox.append("depots", rows, DEPOT_SCHEMA)


DEFINITION_OF_CHECKED = planted.definitions_of_solution("13.2")


def plant_tables(sandbox: Sandbox, quarantine: list[tuple], silver: list[tuple]) -> None:
    """Plant rows of `quarantine` and `silver_deliveries`."""
    sandbox.append("quarantine", quarantine, QUARANTINE_SCHEMA)
    sandbox.append("silver_deliveries", silver, SILVER_SCHEMA)
