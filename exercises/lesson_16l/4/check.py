"""Check exercise 16L.4, "Minutes left"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_16l.reports import FIGURE_SCHEMA, plant_reports, to_3_places

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with the formula in plain Python, and name the largest backlog, the whole way, and the wrong report."""
    made = attempt.view("left_vw")
    reports = attempt.view("reports_vw").collect()
    slopes = {row.name: row.backlog_per_minute for row in attempt.view("figures_vw").collect()}
    right = _left(attempt, reports, slopes)
    if set(made.columns) == set(right.columns) and not attempt.is_same(to_3_places(made), right):
        if {row.name for row in made.collect()} > {row.name for row in right.collect()}:
            raise Mistake("A stream is among them whose backlog does not grow by more than one file per minute.")
        for start, sentence in _STARTS.items():
            if attempt.is_same(to_3_places(made), _left(attempt, reports, slopes, start)):
                raise Mistake(sentence)
    attempt.compare(to_3_places(made), right, "left_vw")


_STARTS = {
    "none": "The whole way is counted, from an empty backlog. Those of the last report are waiting already.",
    "largest": "The largest backlog of the hour is used. What counts is the one of the last report.",
    "mean": "The mean backlog of the hour is used. What counts is the one of the last report.",
    "first": "The backlog of the first report is used. The minutes count from the last one.",
}


def _left(attempt: Attempt, reports: list[Any], slopes: Mapping[str, float], start: str = "last") -> DataFrame:
    rows = []
    for name, slope in slopes.items():
        if slope is None or slope <= 1:
            continue
        backlogs = [report.backlog_files for report in sorted(reports, key=lambda one: one.at) if report.name == name]
        from_where = {
            "last": backlogs[-1], "first": backlogs[0], "largest": max(backlogs), "none": 0,
            "mean": sum(backlogs) / len(backlogs),
        }[start]  # fmt: skip
        rows.append((name, max(360 - from_where, 0) / slope))
    return to_3_places(attempt.spark.createDataFrame(rows, "name STRING, minutes DOUBLE"))


def _other_backlogs(sandbox: Sandbox) -> None:
    """Plant streams whose last report is neither the largest nor the last row, one over and one at the limit."""
    backlogs = {
        "soon": {"01:00": 100, "01:59": 300, "01:30": 350},
        "over": {"01:00": 100, "01:59": 400, "01:30": 200},
        "slow": {"01:00": 100, "01:59": 359, "01:30": 200},
        "shrinks": {"01:00": 100, "01:59": 20, "01:30": 200},
    }
    rows = [
        (name, batch, f"2024-03-05 {at}:00", 1, 1, files, 0)
        for name, reports in backlogs.items()
        for at, files in reports.items()
        for batch in [sorted(reports).index(at)]  # a later batch has a higher number, whatever the order of the rows
    ]
    plant_reports(sandbox, rows)
    slopes = {"soon": 2.5, "over": 5.0, "slow": 1.0, "shrinks": -3.0}
    figures = [(name, 3, 1.0, 1.0, 0.1, slope, 0.0) for name, slope in slopes.items()]
    sandbox.view("figures_vw", sandbox.frame(figures, FIGURE_SCHEMA))


def _left_vw(sandbox: Sandbox) -> DataFrame:
    return to_3_places(sandbox.rows("left_vw"))


MAKES = Makes(views=("left_vw",))

HIDDEN = (
    HiddenTest(
        _other_backlogs,
        (_left_vw,),
        says="Your cell was run on other streams: one is over already, one has had a larger backlog.",
    ),
)
