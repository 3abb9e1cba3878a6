"""Read the landed readings of lesson 04."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
MUST_STOP = "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."


def landed_readings(attempt: Attempt, file: str = "") -> DataFrame:
    """Return the readings in the landing directory, or in one of its files."""
    return attempt.spark.read.schema(SCHEMA).json(f"{attempt.paths.landing}/{file}")
