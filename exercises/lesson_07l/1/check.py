"""Check exercise 07L.1, "Three tables, one question"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_07l.pipelines import READINGS, landing_of

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_PIPELINES = ("archive", "ward", "vitals")


def check(attempt: Attempt) -> None:
    """Compare the view with the current tables and files."""
    view = attempt.view("morning_vw")
    if attempt.is_same(view, _morning(attempt)):
        return
    if attempt.is_same(view, _morning(attempt, distinct="count(*)")):
        raise Mistake("`distinct_rows` counts every row. Count identical rows once: use `DISTINCT`.")
    if attempt.is_same(view, _morning(attempt, distinct="count(DISTINCT device_id)")):
        raise Mistake(
            "`distinct_rows` counts devices. Count distinct pairs of device and time, which identify a reading."
        )
    attempt.compare(view, _morning(attempt), "morning_vw")


def _morning(attempt: Attempt, distinct: str = "count(DISTINCT device_id, time)") -> DataFrame:
    rows = []
    for pipeline in _PIPELINES:
        landed = attempt.spark.read.text(landing_of(attempt, pipeline)).count()
        counts = attempt.table(pipeline).selectExpr("count(*)", distinct).first()
        rows.append((pipeline, landed, *counts))
    return attempt.spark.createDataFrame(rows, "pipeline STRING, landed LONG, in_table LONG, distinct_rows LONG")


def _three_tables(sandbox: Sandbox) -> None:
    """Create tables with readings that share their device or their time, and files with other numbers of lines."""
    rows = planted.FIRST[:6]
    again = ((1, 901, 5.0, planted.MIDNIGHT + 60), (9, 901, 0.0, planted.MIDNIGHT + 60))  # the first's key; its time
    for pipeline, more, lines in (("archive", rows[:2], 5), ("ward", again, 7), ("vitals", again + rows[2:4], 11)):
        sandbox.append(pipeline, [*rows, *more], READINGS)
        sandbox.view(f"{pipeline}_files", sandbox.frame([(str(n),) for n in range(lines)], "value STRING"))


MAKES = Makes(views=("morning_vw",))

HIDDEN = (
    HiddenTest(
        _three_tables,
        ("morning_vw",),
        says="Your cell was run on other tables: some readings share their device, some their time.",
    ),
)
