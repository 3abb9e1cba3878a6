"""Check exercise 16L.1, "A row per report"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lesson_exercises.lesson_16l.reports import REPORT_SCHEMA

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

REPORT = (
    "name STRING, batchId LONG, timestamp TIMESTAMP, numInputRows LONG, durationMs MAP<STRING, LONG>, "
    "stateOperators ARRAY<STRUCT<operatorName: STRING, numRowsTotal: LONG>>, "
    "sources ARRAY<STRUCT<description: STRING, metrics: MAP<STRING, STRING>>>"
)


def check(attempt: Attempt) -> None:
    """Compare with sums in plain Python, and name the value of one source, one operator, one phase."""
    made = attempt.view("reports_vw")
    recorded = attempt.table("recorded_vw").collect()
    right = _reports(attempt, recorded)
    if set(made.columns) == set(right.columns) and not attempt.is_same(made, right):
        for column, sentence in _REPORTS_MISTAKES.items():
            mine, theirs = made.select("name", "batch", column), right.select("name", "batch", column)
            if not attempt.is_same(mine, theirs):
                if any(row[column] is None for row in made.select(column).distinct().collect()):
                    raise Mistake(f"`{column}` is NULL where a report has no such figure. There it is 0.")
                raise Mistake(sentence)
    attempt.compare(made, right, "reports_vw")


_REPORTS_MISTAKES = {
    "backlog_files": (
        "`backlog_files` is not right for every stream. One of them has two sources: add the files of both. Another "
        "reads Kafka, which counts no files."
    ),
    "state_rows": (
        "`state_rows` is not right for every stream. One of them has two operators with state, and another has none: "
        "add the rows of all that there are."
    ),
    "batch_ms": "`batch_ms` is one phase of the batch. The whole of it is `triggerExecution`.",
}


def _reports(attempt: Attempt, recorded: list[Any]) -> DataFrame:
    rows = [
        (
            *(report.name, report.batchId, report.timestamp, report.numInputRows),
            report.durationMs["triggerExecution"],
            sum(int(source.metrics.get("numFilesOutstanding", 0)) for source in report.sources),
            sum(operator.numRowsTotal for operator in report.stateOperators),
        )
        for report in recorded
    ]
    return attempt.spark.createDataFrame(rows, REPORT_SCHEMA.replace("at STRING", "at TIMESTAMP"))


def _other_reports(sandbox: Sandbox) -> None:
    """Plant reports with three sources, of which one counts no files, with three operators, and with neither."""
    from datetime import UTC, datetime

    def report(name: str, batch: int, files: list[Any], state: list[int], metric: str = "numFilesOutstanding") -> tuple:
        sources = [(f"{name}-{n}", {} if count is None else {metric: str(count)}) for n, count in enumerate(files)]
        durations = {"addBatch": 7, "triggerExecution": 900 + batch}
        at = datetime(2024, 3, 5, 1, batch, tzinfo=UTC)
        return (name, batch, at, 10 * batch, durations, [("op", rows) for rows in state], sources)

    rows = [
        report("three", 0, [1, 20, 300], []),
        report("three", 1, [0, None, 5], [4, 50, 600]),
        report("kafka", 2, [77], [3], "maxOffsetsBehindLatest"),
        report("nothing", 3, [], []),
        report("nothing", 4, [12], [0]),
    ]
    sandbox.view("recorded_vw", sandbox.frame(rows, REPORT))


MAKES = Makes(views=("reports_vw",))

HIDDEN = (
    HiddenTest(
        _other_reports,
        ("reports_vw",),
        says="Your cell was run on other reports: three sources, three operators, and none of either.",
    ),
)
