"""Read the landed readings of lesson 05."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"


def landed_readings(attempt: Attempt) -> DataFrame:
    """Return the readings in the landing directory."""
    return attempt.spark.read.schema(SCHEMA).json(attempt.paths.landing)
