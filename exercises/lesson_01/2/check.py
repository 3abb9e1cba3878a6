"""Check exercise 01.2, "A question of your own"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_01.readings import plant_bronze

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Run the view as a stream and compare its rows with a query over the table."""
    view = attempt.view("patients_tmp_vw")
    if not view.isStreaming:
        raise Mistake("Your view reads a table, not the stream: select from `streaming_tmp_vw`.")
    if "mrn" not in [column.lower() for column in view.columns]:
        raise Mistake(
            "The view has no column `mrn`: the exercise asks for one row per patient, so group by `mrn` and select it."
        )
    try:
        made = attempt.rows_of_stream(view, mode="complete")
    except Exception as error:
        if "STREAMING_OUTPUT_MODE" not in str(error) and "without watermark" not in str(error):
            raise
        raise Mistake(
            "Your view does not aggregate: it emits every input row. For one row per patient, use `GROUP BY`."
        ) from error
    bronze = attempt.spark.table("bronze")
    if attempt.is_same(made, _per_patient(bronze)):
        raise Mistake(
            "The faulty readings are counted too. A heart rate below zero is not valid: filter those rows out."
        )
    attempt.compare(made, _per_patient(bronze.where("heartrate >= 0")), "patients_tmp_vw")


def _per_patient(readings: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    return readings.groupBy("mrn").agg(F.count("*").alias("readings"), F.max("heartrate").alias("highest"))


def _all_bronze(sandbox: Sandbox) -> None:
    """Plant both sets of readings: late ones, a new device, and a patient who has changed devices."""
    plant_bronze(sandbox)
    planted.more_bronze(sandbox)
    sandbox.append("bronze", [(6, 904, 68.0, planted.MIDNIGHT + 10 * planted.HOUR)], planted.READINGS)


MAKES = Makes(views=("patients_tmp_vw",))

HIDDEN = (
    HiddenTest(
        _all_bronze,
        ("patients_tmp_vw",),
        mode="complete",
        says=planted.WHAT_IS_THERE + "One patient has changed devices.",
    ),
)
