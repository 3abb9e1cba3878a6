"""Plant the reports of streams for lab 16L."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.rounding import rounded

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

REPORT_SCHEMA = "name STRING, batch LONG, at STRING, rows LONG, batch_ms LONG, backlog_files LONG, state_rows LONG"
FIGURE_SCHEMA = (
    "name STRING, batches LONG, rows_per_batch DOUBLE, rows_per_minute DOUBLE, busy DOUBLE, "
    "backlog_per_minute DOUBLE, state_per_minute DOUBLE"
)


def to_3_places(frame: DataFrame) -> DataFrame:
    """Return the frame with numbers rounded to three places."""
    return rounded(frame, 3)


def plant_reports(sandbox: Sandbox, rows: list[tuple]) -> None:
    """Plant the view `reports_vw`."""
    frame = sandbox.frame(rows, REPORT_SCHEMA).selectExpr("* EXCEPT (at)", "CAST(at AS TIMESTAMP) AS at")
    sandbox.view("reports_vw", frame)
