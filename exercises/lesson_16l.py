"""Exercises of lab 16L: an hour of reports, the figures of it, a runbook, the time that is left, and a cure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted
from lesson_exercises.rounding import rounded

from streaming_base.errors import short_message
from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, NotTried, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

REPORT = (
    "name STRING, batchId LONG, timestamp TIMESTAMP, numInputRows LONG, durationMs MAP<STRING, LONG>, "
    "stateOperators ARRAY<STRUCT<operatorName: STRING, numRowsTotal: LONG>>, "
    "sources ARRAY<STRUCT<description: STRING, metrics: MAP<STRING, STRING>>>"
)
ROW = "name STRING, batch LONG, at STRING, rows LONG, batch_ms LONG, backlog_files LONG, state_rows LONG"
FIGURES = (
    "name STRING, batches LONG, rows_per_batch DOUBLE, rows_per_minute DOUBLE, busy DOUBLE, "
    "backlog_per_minute DOUBLE, state_per_minute DOUBLE"
)

# ------------------------------------------------------------------------------------------- 16L.1 a row per report

REPORTS_STARTER = """
%sql
DROP VIEW IF EXISTS reports_vw;
-- CREATE TEMP VIEW reports_vw AS
-- SELECT ... FROM recorded_vw
"""

REPORTS_SOLUTION = """
%sql
DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name,
       batchId AS batch,
       timestamp AS at,
       numInputRows AS rows,
       durationMs['triggerExecution'] AS batch_ms,
       aggregate(sources, 0L, (sum, source) ->
         sum + coalesce(CAST(source.metrics['numFilesOutstanding'] AS BIGINT), 0L)) AS backlog_files,
       aggregate(stateOperators, 0L, (sum, operator) -> sum + operator.numRowsTotal) AS state_rows
FROM recorded_vw
"""


def check_reports(attempt: Attempt) -> None:
    """Compare with sums in plain Python, and name the figure of one source, of one operator, of one phase."""
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
    return attempt.spark.createDataFrame(rows, ROW.replace("at STRING", "at TIMESTAMP"))


def _other_reports(sandbox: Sandbox) -> None:
    """Give reports with three sources, of which one counts no files, with three operators, and with neither."""
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


_EXPLODED = """
%sql
DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name, batchId AS batch, timestamp AS at, numInputRows AS rows, durationMs.triggerExecution AS batch_ms,
       sum(CAST(source.metrics['numFilesOutstanding'] AS BIGINT)) AS backlog_files,
       coalesce(first(array_sum), 0) AS state_rows
FROM (SELECT *, explode(sources) AS source,
        aggregate(stateOperators, 0L, (sum, operator) -> sum + operator.numRowsTotal) AS array_sum FROM recorded_vw)
GROUP BY ALL
"""
_BACKLOG = REPORTS_SOLUTION[REPORTS_SOLUTION.index("       aggregate(sources") : REPORTS_SOLUTION.index("AS backlog")]
_FILES = "coalesce(CAST(source.metrics['numFilesOutstanding'] AS BIGINT), 0L)"
_STATE = "aggregate(stateOperators, 0L, (sum, operator) -> sum + operator.numRowsTotal) AS state_rows"

REPORTS = Exercise(
    id="16L.1",
    title="A row per report",
    starter=REPORTS_STARTER,
    hints=(
        "All but the last two columns are there under another name. `durationMs` is a map, so "
        "`durationMs['triggerExecution']` is the whole batch.",
        "`aggregate(array, 0L, (sum, element) -> sum + ...)` adds up an array, and gives 0 for an empty one.",
        "A figure of `metrics` is text, and NULL where a source does not report it: "
        "`coalesce(CAST(source.metrics['numFilesOutstanding'] AS BIGINT), 0L)`.",
    ),
    solution=REPORTS_SOLUTION,
    why=(
        "A stream is as far behind as all its sources together, and its memory holds the state of all its operators. "
        "The first element of each list is right for most streams, and wrong for just those that are complicated "
        "enough to fall ill."
    ),
    check=check_reports,
    hidden=(
        HiddenTest(
            _other_reports,
            ("reports_vw",),
            says="Your cell was run on other reports: three sources, three operators, and none of either.",
        ),
    ),
    wrong=(
        WrongAnswer(
            REPORTS_SOLUTION.replace(
                _BACKLOG, "       coalesce(CAST(sources[0].metrics['numFilesOutstanding'] AS BIGINT), 0L) "
            ),
            "add the files of both",
        ),
        WrongAnswer(
            REPORTS_SOLUTION.replace(_STATE, "coalesce(try_element_at(stateOperators, 1).numRowsTotal, 0) state_rows"),
            "add the rows of all that there are",
        ),
        WrongAnswer(
            REPORTS_SOLUTION.replace(_FILES, "source.metrics['numFilesOutstanding']::BIGINT"),
            "`backlog_files` is NULL",
        ),
        WrongAnswer(REPORTS_SOLUTION.replace("triggerExecution", "addBatch"), "one phase of the batch"),
        WrongAnswer(_EXPLODED, "is NULL"),
    ),
    makes=Makes(views=("reports_vw",)),
)

# ------------------------------------------------------------------------------------- 16L.2 the figures of the hour

FIGURES_STARTER = """
%sql
DROP VIEW IF EXISTS figures_vw;
-- CREATE TEMP VIEW figures_vw AS
-- SELECT ... FROM reports_vw
"""

FIGURES_SOLUTION = """
%sql
DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       sum(rows) / 60 AS rows_per_minute,
       sum(batch_ms) / 3600000 AS busy,
       regr_slope(backlog_files, minute) AS backlog_per_minute,
       regr_slope(state_rows, minute) AS state_per_minute
FROM (SELECT *, unix_millis(at) / 60000 AS minute FROM reports_vw)
GROUP BY name
"""


def check_figures(attempt: Attempt) -> None:
    """Compare with the formulas in plain Python, and name the ends instead of the line, and other units."""
    made = attempt.view("figures_vw")
    reports = attempt.view("reports_vw").collect()
    right = _figures(attempt, reports)
    if set(made.columns) == set(right.columns) and not attempt.is_same(_to_3_places(made), _to_3_places(right)):
        for column, factors in _UNITS.items():
            mine, theirs = (_to_3_places(frame.select("name", column)) for frame in (made, right))
            if attempt.is_same(mine, theirs):
                continue
            for factor, sentence in factors.items():
                scaled = made.select("name", (made[column] * factor).alias(column))
                if attempt.is_same(_to_3_places(scaled), theirs):
                    raise Mistake(f"`{column}` is {sentence}")
        by_ends = _figures(attempt, reports, slope=_between_ends)
        for column in ("backlog_per_minute", "state_per_minute"):
            mine = _to_3_places(made.select("name", column))
            if attempt.is_same(mine, _to_3_places(by_ends.select("name", column))):
                raise Mistake(
                    f"`{column}` is made of the first and the last report alone. Use the line through all reports."
                )
    attempt.compare(_to_3_places(made), _to_3_places(right), "figures_vw")


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
    return attempt.spark.createDataFrame(rows, FIGURES)


def _to_3_places(frame: DataFrame) -> DataFrame:
    return rounded(frame, 3)


def _another_hour(sandbox: Sandbox) -> None:
    """Give an hour in which the ends mislead, reports that are out of order, and a stream of two batches."""
    rows = [
        ("ends", 0, "2024-03-05 01:00:00", 10, 1000, 50, 0),
        ("ends", 1, "2024-03-05 01:15:00", 20, 2000, 0, 7),
        ("ends", 2, "2024-03-05 01:30:00", 30, 3000, 20, 14),
        ("ends", 3, "2024-03-05 01:45:00", 1000, 90000, 40, 3),
        ("ends", 4, "2024-03-05 01:59:30", 10, 1000, 0, 21),
        ("two", 8, "2024-03-05 01:40:00", 5, 700_000, 9, 100),
        ("two", 7, "2024-03-05 01:10:00", 6, 900_000, 3, 400),
    ]
    _view_reports(sandbox, rows)


def _view_reports(sandbox: Sandbox, rows: list[tuple]) -> None:
    frame = sandbox.frame(rows, ROW).selectExpr("* EXCEPT (at)", "CAST(at AS TIMESTAMP) AS at")
    sandbox.view("reports_vw", frame)


def _figures_vw(sandbox: Sandbox) -> DataFrame:
    return _to_3_places(sandbox.rows("figures_vw"))


_MINUTE = "unix_millis(at) / 60000 AS minute"
_ENDS = FIGURES_SOLUTION.replace(
    "regr_slope(backlog_files, minute)",
    "(max_by(backlog_files, minute) - min_by(backlog_files, minute)) / (max(minute) - min(minute))",
)

HOUR = Exercise(
    id="16L.2",
    title="Figures of the hour",
    starter=FIGURES_STARTER,
    hints=(
        "One `GROUP BY name`. An hour has 3,600,000 milliseconds: of how many of them does `batch_ms` tell?",
        "Make the minute first, in a subquery: `unix_millis(at) / 60000`.",
        "`regr_slope(backlog_files, minute)`: first what grows, then over what.",
    ),
    solution=FIGURES_SOLUTION,
    why=(
        "Sums over the hour weigh each row and each millisecond alike. A slope through all reports is hardly moved by "
        "one report that is unlike the others, and the difference of the ends consists of two of them."
    ),
    check=check_figures,
    hidden=(
        HiddenTest(
            _another_hour,
            (_figures_vw,),
            says="Your cell was run on another hour, whose first and last reports are unlike the others.",
        ),
    ),
    wrong=(
        WrongAnswer(_ENDS, "the first and the last report alone"),
        WrongAnswer(FIGURES_SOLUTION.replace("/ 3600000", "/ 60000"), "`busy` is in minutes"),
        WrongAnswer(FIGURES_SOLUTION.replace("/ 3600000", "/ 3600"), "a thousand times too large"),
        WrongAnswer(FIGURES_SOLUTION.replace(_MINUTE, "unix_seconds(at) AS minute"), "per second"),
        WrongAnswer(
            FIGURES_SOLUTION.replace("regr_slope(state_rows, minute)", "regr_slope(minute, state_rows)"), "figures_vw"
        ),
        WrongAnswer(FIGURES_SOLUTION.replace("sum(rows) / 60", "avg(rows)"), "figures_vw"),
    ),
    makes=Makes(views=("figures_vw",)),
)

# ------------------------------------------------------------------------------------------------ 16L.3 the runbook

ILLNESSES = ("too small batches", "state without an end", "limit too low")

RUNBOOK_STARTER = """
RUNBOOK = {
    "too small batches": (..., ...),  # (condition, cure)
    "state without an end": (..., ...),
    "limit too low": (..., ...),
}
"""

RUNBOOK_SOLUTION = """
RUNBOOK = {
    "too small batches": ("busy > 0.5 AND rows_per_batch < 50", "A longer trigger interval: see the promise."),
    "state without an end": ("state_per_minute > rows_per_minute / 2", "A watermark, and an operator that uses it."),
    "limit too low": ("backlog_per_minute > 1 AND busy < 0.5", "A higher maxFilesPerTrigger."),
}
"""


def check_runbook(attempt: Attempt) -> None:
    """Try each condition on the figures of the hour, and name the sick it misses and the well it takes in."""
    runbook = attempt.value("RUNBOOK")
    if not isinstance(runbook, Mapping) or set(runbook) != set(ILLNESSES):
        raise Mistake("`RUNBOOK` is a dictionary with the three illnesses as they are named in the starter.")
    entries = {illness: _entry(illness, runbook[illness]) for illness in ILLNESSES}
    if all(condition is ... for condition, _ in entries.values()):
        raise NotTried
    for illness, (condition, cure) in entries.items():
        if not isinstance(condition, str) or not condition.strip():
            raise Mistake(f'*{illness}* has no condition yet. It is a string, such as `"busy > 0.1"`.')
        found = _found(attempt, illness, condition)
        right = set(_found(attempt, illness, _SIGNS[illness]))
        if missed := right - set(found):
            raise Mistake(f"The condition of *{illness}* does not find `{missed.pop()}`, which has the sign.")
        if wrongly := set(found) - right:
            raise Mistake(f"The condition of *{illness}* finds `{wrongly.pop()}`, which does not have the sign.")
        if not isinstance(cure, str) or not cure.strip(" ."):
            raise Mistake(f"The cure of *{illness}* is empty. The next person on call will read it.")


_SIGNS = {
    "too small batches": "busy > 0.5 AND rows_per_batch < 50",
    "state without an end": "state_per_minute > rows_per_minute / 2",
    "limit too low": "backlog_per_minute > 1 AND busy < 0.5",
}


def _entry(illness: str, entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, tuple | list) or len(entry) != 2:
        raise Mistake(f"*{illness}* has two strings in parentheses: the condition, and the cure.")
    return entry[0], entry[1]


def _found(attempt: Attempt, illness: str, condition: str) -> list[str]:
    figures = attempt.view("figures_vw")
    try:
        return sorted(row.name for row in figures.where(condition).collect())
    except Exception as error:  # whatever a learner's SQL raises
        sentence = short_message(error).splitlines()[0]
        raise Mistake(f"Spark cannot use the condition of *{illness}*: {sentence}") from None


def _other_figures(sandbox: Sandbox) -> None:
    """Give streams at the limits of each sign, with two illnesses, and without any."""
    rows = [
        ("small", 100, 49.9, 80.0, 0.51, 0.0, 0.0),
        ("fifty", 100, 50.0, 80.0, 0.51, 0.0, 0.0),
        ("half", 100, 10.0, 80.0, 0.5, 2.0, 0.0),
        ("idle", 100, 10.0, 80.0, 0.49, 0.0, 0.0),
        ("grows", 60, 900.0, 900.0, 0.2, 0.0, 451.0),
        ("exactly half", 60, 900.0, 900.0, 0.2, 0.0, 450.0),
        ("many rows, some kept", 60, 900.0, 5000.0, 0.2, 0.0, 1200.0),
        ("few rows, all kept", 60, 2.0, 2.0, 0.1, 0.0, 2.0),
        ("behind", 60, 900.0, 900.0, 0.1, 1.1, 10.0),
        ("one a minute", 60, 900.0, 900.0, 0.1, 1.0, 10.0),
        ("behind and busy", 60, 900.0, 900.0, 0.9, 30.0, 10.0),
        ("two at once", 60, 20.0, 100.0, 0.95, 5.0, 100.0),
        ("shrinks", 60, 900.0, 900.0, 0.1, -8.0, -900.0),
    ]
    sandbox.view("figures_vw", sandbox.frame(rows, FIGURES))


def _diagnoses(sandbox: Sandbox) -> DataFrame:
    from pyspark.sql import functions as F

    figures = sandbox.spark.table("figures_vw")
    found = None
    for illness, (condition, _) in sandbox.value("RUNBOOK").items():
        one = figures.where(condition).select(F.lit(illness).alias("illness"), "name")
        found = one if found is None else found.union(one)
    return found


_SMALL, _STATE_SIGN, _LOW = _SIGNS.values()

THE_RUNBOOK = Exercise(
    id="16L.3",
    title="Write the runbook",
    starter=RUNBOOK_STARTER,
    hints=(
        "Translate each sentence of the table word by word: *running for more than half of the hour* is `busy > 0.5`.",
        "The second sign compares two columns: what stays per minute, and what arrives per minute.",
        'The third: `"backlog_per_minute > 1 AND busy < 0.5"`.',
    ),
    solution=RUNBOOK_SOLUTION,
    why=(
        "Each sign is a rate or a share, never a size, so it fits streams of any size. The third has two halves: a "
        "backlog that grows in a stream that is busy all the time needs a faster batch, and one that grows in a stream "
        "that mostly waits is held back by its own limit."
    ),
    check=check_runbook,
    hidden=(
        HiddenTest(
            _other_figures,
            (_diagnoses,),
            says="Your runbook was used on the figures of thirteen other streams, some exactly at a limit.",
        ),
    ),
    wrong=(
        WrongAnswer(RUNBOOK_SOLUTION.replace(_SMALL, "rows_per_batch < 150"), "finds `invoices`"),
        WrongAnswer(RUNBOOK_SOLUTION.replace(_SMALL, "rows_per_batch < 50"), "on the figures of thirteen"),
        WrongAnswer(RUNBOOK_SOLUTION.replace(_STATE_SIGN, "state_per_minute > 0"), "finds `ovens`"),
        WrongAnswer(RUNBOOK_SOLUTION.replace(_STATE_SIGN, "state_per_minute > 100"), "on the figures of thirteen"),
        WrongAnswer(RUNBOOK_SOLUTION.replace(_LOW, "backlog_per_minute > 1"), "on the figures of thirteen"),
        WrongAnswer(RUNBOOK_SOLUTION.replace(_LOW, "backlog_per_minute > 1 AND busy > 0.5"), "does not find `ovens`"),
        WrongAnswer(RUNBOOK_SOLUTION.replace(_LOW, "backlog_files > 300"), "Spark cannot use the condition"),
        WrongAnswer(
            RUNBOOK_SOLUTION.replace("A watermark, and an operator that uses it.", ""), "The cure of *state without"
        ),
    ),
    makes=Makes(variables=("RUNBOOK",)),
)

# -------------------------------------------------------------------------------------------- 16L.4 the minutes left

LEFT_STARTER = """
%sql
DROP VIEW IF EXISTS left_vw;
-- CREATE TEMP VIEW left_vw AS
-- SELECT ... FROM reports_vw JOIN figures_vw USING (name)
"""

LEFT_SOLUTION = """
%sql
DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name, greatest(360 - max_by(backlog_files, at), 0) / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute > 1
GROUP BY name
"""


def check_left(attempt: Attempt) -> None:
    """Compare with the formula in plain Python, and name the largest backlog, the whole way, and the wrong report."""
    made = attempt.view("left_vw")
    reports = attempt.view("reports_vw").collect()
    slopes = {row.name: row.backlog_per_minute for row in attempt.view("figures_vw").collect()}
    right = _left(attempt, reports, slopes)
    if set(made.columns) == set(right.columns) and not attempt.is_same(_to_3_places(made), right):
        if {row.name for row in made.collect()} > {row.name for row in right.collect()}:
            raise Mistake("A stream is among them whose backlog does not grow by more than one file per minute.")
        for start, sentence in _STARTS.items():
            if attempt.is_same(_to_3_places(made), _left(attempt, reports, slopes, start)):
                raise Mistake(sentence)
    attempt.compare(_to_3_places(made), right, "left_vw")


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
    return _to_3_places(attempt.spark.createDataFrame(rows, "name STRING, minutes DOUBLE"))


def _other_backlogs(sandbox: Sandbox) -> None:
    """Give streams whose last report is neither the largest nor the last row, one that is over, one at the limit."""
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
    _view_reports(sandbox, rows)
    slopes = {"soon": 2.5, "over": 5.0, "slow": 1.0, "shrinks": -3.0}
    figures = [(name, 3, 1.0, 1.0, 0.1, slope, 0.0) for name, slope in slopes.items()]
    sandbox.view("figures_vw", sandbox.frame(figures, FIGURES))


def _left_vw(sandbox: Sandbox) -> DataFrame:
    return _to_3_places(sandbox.rows("left_vw"))


_LAST = "max_by(backlog_files, at)"

LEFT = Exercise(
    id="16L.4",
    title="Minutes left",
    starter=LEFT_STARTER,
    hints=(
        "Files that are still missing until 360, divided by files per minute, are minutes.",
        "`max_by(backlog_files, at)` is the backlog of the report with the greatest `at`.",
        "Join the two views, keep `backlog_per_minute > 1`, group by `name`. `greatest(..., 0)` for a stream that is "
        "over already.",
    ),
    solution=LEFT_SOLUTION,
    why=(
        "A threshold says that something is wrong. A trend says when it will matter to somebody, and so whether it can "
        "wait for the morning."
    ),
    check=check_left,
    hidden=(
        HiddenTest(
            _other_backlogs,
            (_left_vw,),
            says="Your cell was run on other streams: one is over already, one has had a larger backlog.",
        ),
    ),
    wrong=(
        WrongAnswer(LEFT_SOLUTION.replace("greatest(360 - max_by(backlog_files, at), 0)", "360"), "The whole way"),
        WrongAnswer(LEFT_SOLUTION.replace(_LAST, "max(backlog_files)"), "largest backlog"),
        WrongAnswer(LEFT_SOLUTION.replace(_LAST, "avg(backlog_files)"), "mean backlog"),
        WrongAnswer(LEFT_SOLUTION.replace(_LAST, "min_by(backlog_files, at)"), "The minutes count from the last one"),
        WrongAnswer(LEFT_SOLUTION.replace("minute > 1\n", "minute <> 0\n"), "does not grow"),
        WrongAnswer(
            LEFT_SOLUTION.replace("greatest(360 - max_by(backlog_files, at), 0)", "(360 - max_by(backlog_files, at))"),
            "one is over already",
        ),
    ),
    makes=Makes(views=("left_vw",)),
)

# ------------------------------------------------------------------------------------------------- 16L.5 the cure

MOST_BATCHES, MOST_STATE, MOST_FILES = 3, 300, 10
HEARTBEAT = "oven STRING, at TIMESTAMP, status STRING, temperature DOUBLE"

CURED_STARTER = """
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = None  # the stream into the table cured
"""

CURED_SOLUTION = """
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "15 minutes")
    .dropDuplicatesWithinWatermark(["oven", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))
"""


def check_cured(attempt: Attempt) -> None:
    """Compare the rows, and hold batches, state and files to their limits."""
    stream = attempt.stream("cured")
    attempt.wait_until_idle(stream, 60)
    made = attempt.table("cured")
    right = attempt.spark.read.schema(HEARTBEAT).json(attempt.paths.landing).dropDuplicates(["oven", "at"])
    attempt.must_have_checkpoint(stream, "cured")
    attempt.compare(made, right, "cured")
    if (batches := len(stream.rows_read)) > MOST_BATCHES:
        raise Mistake(f"Your stream took {batches} batches, and each has the fixed cost of a batch. What limits it?")
    states = [report["stateOperators"] for report in stream.query.recentProgress if report["stateOperators"]]
    rows = sum(operator["numRowsTotal"] for operator in states[-1]) if states else 0
    if rows > MOST_STATE:
        raise Mistake(f"The state has {rows:,} rows. When may Spark forget a heartbeat? It needs a watermark to know.")
    files = attempt.spark.sql("DESCRIBE DETAIL cured").first()["numFiles"]
    if files > MOST_FILES:
        raise Mistake(f"The table has {files} files. Each batch writes one per partition of the table.")


def _at(minute: int) -> str:
    return f"2024-03-05T{1 + minute // 60:02}:{minute % 60:02}:00Z"


def _beats(*beats: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"oven": oven, "at": _at(minute), "status": "on", "temperature": 200.0 + minute} for oven, minute in beats]


def _heartbeats(sandbox: Sandbox) -> None:
    """Land heartbeats that come twice in one file and again in the next one, and a newest one of minute 15."""
    sandbox.file("a.json", _beats(("O1", 0), ("O2", 0), ("O1", 0), ("O1", 1), ("O2", 1)))
    sandbox.file("b.json", _beats(("O1", 14), ("O2", 14), ("O3", 15), ("O2", 1)))
    sandbox.keep(HEARTBEAT=HEARTBEAT)


def _late_and_again(sandbox: Sandbox) -> None:
    """Land a heartbeat that is a quarter of an hour late, one that was sent again after 14 minutes, and new ones."""
    sandbox.file("c.json", _beats(("O3", 1), ("O1", 1), ("O3", 16), ("O1", 14)))


def _at_last(sandbox: Sandbox) -> None:
    """Land a heartbeat that is 14 minutes late, one that comes again, and new ones."""
    sandbox.file("d.json", _beats(("O3", 2), ("O3", 16), ("O2", 15), ("O9", 30)))


_WATERMARK = '    .withWatermark("at", "15 minutes")\n'
_DEDUPLICATED = '    .withWatermark("at", "15 minutes")\n    .dropDuplicatesWithinWatermark(["oven", "at"])\n'

CURED = Exercise(
    id="16L.5",
    title="Cure it while it runs",
    starter=CURED_STARTER,
    hints=(
        "Copy the cell of `sick`, give it its own checkpoint and table, and ask of each line whether it is needed.",
        "Two lines go: the limit of one file, and `partitionBy`. The third illness needs one line more.",
        '`.withWatermark("at", "15 minutes")`, and then `dropDuplicatesWithinWatermark`.',
    ),
    solution=CURED_SOLUTION,
    why=(
        "Without the limit, a batch takes all files that wait, so the more have come, the more it does for its fixed "
        "cost. With a watermark the state holds the last half hour of eight ovens, however long the stream runs. "
        "Without `partitionBy`, a batch writes as few files as it has partitions."
    ),
    check=check_cured,
    hidden=(
        HiddenTest(
            _heartbeats,
            ("cured",),
            later=(_late_and_again, _at_last),
            says="Your cell was run on other heartbeats, some a quarter of an hour late, some sent again.",
        ),
        HiddenTest(
            _heartbeats,
            ("cured",),
            later=(planted.crash_before_commit, _late_and_again),
            says="Your cell was run on other heartbeats, and again after a crash.",
        ),
    ),
    wrong=(
        WrongAnswer(CURED_SOLUTION.replace(_WATERMARK, "").replace("WithinWatermark", ""), "It needs a watermark"),
        WrongAnswer(CURED_SOLUTION.replace(_DEDUPLICATED, ""), "on other heartbeats"),
        WrongAnswer(
            CURED_SOLUTION.replace("    .schema", '    .option("cloudFiles.maxFilesPerTrigger", 2)\n    .schema'),
            "took 6 batches",
        ),
        WrongAnswer(
            CURED_SOLUTION.replace("    .writeStream\n", '    .writeStream\n    .partitionBy("oven")\n'),
            "files. Each batch",
        ),
        WrongAnswer(CURED_SOLUTION.replace("15 minutes", "1 minute"), "on other heartbeats"),
        WrongAnswer(CURED_SOLUTION.replace("15 minutes", "2 hours"), "The state has"),
        WrongAnswer(CURED_SOLUTION.replace('["oven", "at"]', '["oven"]'), "`cured`"),
        WrongAnswer(CURED_SOLUTION.replace("/cured", "/sick"), "checkpoint"),
        WrongAnswer(
            CURED_SOLUTION.replace("    .toTable", "    .trigger(availableNow=True)\n    .toTable"), "must keep running"
        ),
    ),
    makes=Makes(variables=("cured",), tables=("cured",), folders=("checkpoints/cured",)),
)

EXERCISES = (REPORTS, HOUR, THE_RUNBOOK, LEFT, CURED)
