"""Check exercise 16.2, "Rate and overhead per stream"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.rounding import rounded

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

HEALTH = "name STRING, batch LONG, rows LONG, batch_ms LONG, add_ms LONG, backlog_files LONG, state_rows LONG"


def check(attempt: Attempt) -> None:
    """Compare with the sums, and name the mean of ratios, the batches without rows, and wrong units."""
    made = attempt.view("streams_vw")
    health = attempt.table("health")
    right = _streams(health.where("rows > 0"))
    if set(made.columns) == set(right.columns) and not attempt.is_same(_rounded(made), _rounded(right)):
        if attempt.is_same(_rounded(made), _rounded(_streams(health))):
            raise Mistake("Batches without rows are among them. They take time, too, but do not count here.")
        for column in ("rows_per_second", "overhead"):
            if attempt.is_same(_rounded(made.select("name", column)), _rounded(_mean(health, column))):
                raise Mistake(
                    f"`{column}` is the mean over the batches of each batch's own figure, in which a batch of one row "
                    "counts as much as one of a thousand. Divide the sums."
                )
        if attempt.is_same(
            _rounded(made.selectExpr("name", "1 - overhead AS overhead")), _rounded(right.select("name", "overhead"))
        ):
            raise Mistake("`overhead` is the share that was *not* `addBatch`; yours is the other share.")
        if attempt.is_same(
            _rounded(made.selectExpr("name", "rows_per_second * 1000 AS rows_per_second")),
            _rounded(right.select("name", "rows_per_second")),
        ):
            raise Mistake("`rows_per_second` is per millisecond: `batch_ms` are milliseconds.")
        if attempt.is_same(
            _rounded(made.selectExpr("name", "overhead / 100 AS overhead")), _rounded(right.select("name", "overhead"))
        ):
            raise Mistake("`overhead` is in percent. It should be a share from 0 to 1.")
        if attempt.is_same(rounded(made, 1), rounded(right, 1)):
            raise Mistake("The figures are right but rounded. Leave out `round`: others calculate with them.")
    attempt.compare(_rounded(made), _rounded(right), "streams_vw")


def _streams(health: DataFrame) -> DataFrame:
    health.createOrReplaceTempView("_health_16")
    return health.sparkSession.sql("""
        SELECT name, count(*) AS batches, sum(rows) * 1000 / sum(batch_ms) AS rows_per_second,
               1 - sum(add_ms) / sum(batch_ms) AS overhead
        FROM _health_16 GROUP BY name
        """)


def _mean(health: DataFrame, column: str) -> DataFrame:
    figure = {"rows_per_second": "rows * 1000 / batch_ms", "overhead": "(batch_ms - add_ms) / batch_ms"}[column]
    health.createOrReplaceTempView("_health_16")
    return health.sparkSession.sql(
        f"SELECT name, avg({figure}) AS {column} FROM _health_16 WHERE rows > 0 GROUP BY name"
    )


def _rounded(frame: DataFrame) -> DataFrame:
    return rounded(frame, 6)


def _reports(sandbox: Sandbox) -> None:
    """Plant reports of unequal batches, some without rows, and a stream without any rows."""
    rows = [
        ("even", 0, 100, 1000, 800, 0, 0),
        ("even", 1, 100, 1000, 800, 0, 0),
        ("uneven", 0, 1, 500, 20, 5, 7),
        ("uneven", 1, 9000, 2500, 2400, 0, 7),
        ("uneven", 2, 0, 300, 0, 0, 7),
        ("silent", 0, 0, 200, 10, 0, 0),
        ("slow", 3, 10, 40_000, 39_000, 90, 1),
    ]
    sandbox.append("health", rows, HEALTH)


def _streams_vw(sandbox: Sandbox) -> DataFrame:
    return _rounded(sandbox.rows("streams_vw"))


MAKES = Makes(views=("streams_vw",))

HIDDEN = (
    HiddenTest(
        _reports,
        (_streams_vw,),
        says="Your cell was run on other reports: batches of very different sizes, and a stream without rows.",
    ),
)
