"""Read and plant the readings of lab 05L, and recognize a rejected output mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"


def landed_readings(attempt: Attempt) -> DataFrame:
    """Return the readings in the landing directory."""
    return attempt.spark.read.schema(SCHEMA).json(attempt.paths.landing)


def must_not_reject_output_mode(attempt: Attempt) -> None:
    """Raise a mistake if Spark has rejected the output mode of an aggregation."""
    said = attempt.words_of_error.lower()
    if "output mode" in said or "without watermark" in said:
        raise Mistake(
            "Spark rejects this output mode. The last reading of a device changes with each batch, so the table must "
            f"be replaced each time: use `complete`. Spark says: {attempt.words_of_error}"
        )


def last_reading_per_device(readings: DataFrame) -> DataFrame:
    """Return the last reading per device."""
    from pyspark.sql import functions as F

    last = F.max_by("heartrate", "time").alias("heartrate")
    return readings.groupBy("device_id").agg(last, F.max("time").alias("time"))


def plant_ward(sandbox: Sandbox) -> None:
    """Land two files with faulty, late and missing rates and a new device, and create the lab's two views."""
    for number, rows in enumerate((planted.FIRST, planted.SECOND), 1):
        planted.reading_file(sandbox, f"ward-{number}.json", rows, number)
    sandbox.view("readings_vw", planted.files_stream(sandbox))
    good = sandbox.spark.sql(
        "SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time FROM readings_vw "
        "WHERE heartrate >= 0 GROUP BY device_id"
    )
    sandbox.view("last_readings_vw", good)
