"""Check exercise 16L.2, "Figures of the hour"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_16l.reports import FIGURE_SCHEMA, plant_reports, to_3_places

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with the formulas in plain Python, and name the slope between the ends, and other units."""
    made = attempt.view("figures_vw")
    reports = attempt.view("reports_vw").collect()
    right = _figures(attempt, reports)
    if set(made.columns) == set(right.columns) and not attempt.is_same(to_3_places(made), to_3_places(right)):
        for column, factors in _UNITS.items():
            mine, theirs = (to_3_places(frame.select("name", column)) for frame in (made, right))
            if attempt.is_same(mine, theirs):
                continue
            for factor, sentence in factors.items():
                scaled = made.select("name", (made[column] * factor).alias(column))
                if attempt.is_same(to_3_places(scaled), theirs):
                    raise Mistake(f"`{column}` is {sentence}")
        by_ends = _figures(attempt, reports, slope=_between_ends)
        for column in ("backlog_per_minute", "state_per_minute"):
            mine = to_3_places(made.select("name", column))
            if attempt.is_same(mine, to_3_places(by_ends.select("name", column))):
                raise Mistake(
                    f"`{column}` is made of the first and the last report alone. Use the line through all reports."
                )
    attempt.compare(to_3_places(made), to_3_places(right), "figures_vw")


_SLOPE_UNITS: dict[float, str] = {
    60: "per second: `x` is the time in minutes.",
    60_000: "per millisecond: `x` is the time in minutes.",
}
_UNITS: dict[str, dict[float, str]] = {
    "busy": {
        1 / 60: "in minutes. It is a share of the hour, from 0 to 1.",
        1 / 1000: "a thousand times too large: `batch_ms` are milliseconds.",
        1 / 100: "in percent. It is a share, from 0 to 1.",
    },
    "rows_per_minute": {60: "per second.", 1 / 60: "per hour."},
    "backlog_per_minute": _SLOPE_UNITS,
    "state_per_minute": _SLOPE_UNITS,
}


def _slope(points: list[tuple[float, float]]) -> float | None:
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return None if spread == 0 else sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


def _between_ends(points: list[tuple[float, float]]) -> float | None:
    (first, before), (last, after) = min(points), max(points)
    return None if first == last else (after - before) / (last - first)


def _figures(attempt: Attempt, reports: list[Any], slope: Any = _slope) -> DataFrame:
    rows = []
    for name in sorted({report.name for report in reports}):
        ours = [report for report in reports if report.name == name]
        read, busy = sum(report.rows for report in ours), sum(report.batch_ms for report in ours) / 3_600_000
        minutes = [report.at.timestamp() / 60 for report in ours]
        begin = min(minutes)  # numbers near zero lose less of their digits
        backlog, state = (
            slope([(minute - begin, value) for minute, value in zip(minutes, values, strict=True)])
            for values in ([report.backlog_files for report in ours], [report.state_rows for report in ours])
        )
        rows.append((name, len(ours), read / len(ours), read / 60, busy, backlog, state))
    return attempt.spark.createDataFrame(rows, FIGURE_SCHEMA)


def _another_hour(sandbox: Sandbox) -> None:
    """Plant an hour with misleading ends, reports out of order, and a stream of two batches."""
    rows = [
        ("ends", 0, "2024-03-05 01:00:00", 10, 1000, 50, 0),
        ("ends", 1, "2024-03-05 01:15:00", 20, 2000, 0, 7),
        ("ends", 2, "2024-03-05 01:30:00", 30, 3000, 20, 14),
        ("ends", 3, "2024-03-05 01:45:00", 1000, 90000, 40, 3),
        ("ends", 4, "2024-03-05 01:59:30", 10, 1000, 0, 21),
        ("two", 8, "2024-03-05 01:40:00", 5, 700_000, 9, 100),
        ("two", 7, "2024-03-05 01:10:00", 6, 900_000, 3, 400),
    ]
    plant_reports(sandbox, rows)


def _figures_vw(sandbox: Sandbox) -> DataFrame:
    return to_3_places(sandbox.rows("figures_vw"))


MAKES = Makes(views=("figures_vw",))

HIDDEN = (
    HiddenTest(
        _another_hour,
        (_figures_vw,),
        says="Your cell was run on another hour, whose first and last reports are unlike the others.",
    ),
)
