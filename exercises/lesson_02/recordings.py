"""Read and plant recordings, as the streams of lesson 02 do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = """
    Arrival_Time LONG, Creation_Time LONG, Device STRING, Index LONG, Model STRING,
    User STRING, gt STRING, x DOUBLE, y DOUBLE, z DOUBLE
"""


def landed_recordings(attempt: Attempt) -> DataFrame:
    """Return the recordings in the landing directory."""
    return attempt.spark.read.schema(SCHEMA).json(attempt.paths.landing)


def recording_row(number: int, **values: object) -> dict[str, object]:
    """Return a recording; keyword arguments replace its values."""
    row: dict[str, object] = {"Arrival_Time": 1_709_596_800_000 + number, "Device": "phone_9", "Index": number}
    return row | {"User": "z", "gt": "walk", "x": 2.0, "y": 4.0, "z": 1.0} | values
