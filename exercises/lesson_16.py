"""Exercises of lesson 16: the overhead of streams from their reports, and one alert per trouble."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.rounding import rounded

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

HEALTH = "name STRING, batch LONG, rows LONG, batch_ms LONG, add_ms LONG, backlog_files LONG, state_rows LONG"

# ------------------------------------------------------------------------------------- 16.1 who wastes the most

STREAMS_STARTER = """
%sql
DROP VIEW IF EXISTS streams_vw;
-- CREATE TEMP VIEW streams_vw AS
-- SELECT ...
"""

STREAMS_SOLUTION = """
%sql
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / (sum(batch_ms) / 1000) AS rows_per_second,
       sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name
"""


def check_streams(attempt: Attempt) -> None:
    """Compare with the sums, and name the mean of ratios, the batches without rows, and seconds."""
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
            raise Mistake("The figures are right but rounded. Leave out `round`: somebody may calculate with them.")
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
    """Give reports of unequal batches, some without rows, and a stream that has none with rows."""
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


STREAMS = Exercise(
    id="16.1",
    title="Rate and overhead per stream",
    starter=STREAMS_STARTER,
    hints=(
        "Filter the batches first, then group by `name`. All three figures are made of sums over a stream's batches.",
        "The rate is `sum(rows)` divided by the seconds of `sum(batch_ms)`: a mean of the batches' own rates would "
        "give a batch of one row the same weight as one of a thousand.",
        "`overhead` is `sum(batch_ms - add_ms) / sum(batch_ms)`.",
    ),
    solution=STREAMS_SOLUTION,
    why=(
        "A ratio of sums weighs each millisecond alike; a mean of ratios weighs each batch alike, whatever it did. "
        "Batches without rows, which move the watermark, would make a stream look slower than it is."
    ),
    check=check_streams,
    hidden=(
        HiddenTest(
            _reports,
            (_streams_vw,),
            says="Your cell was run on other reports: batches of very different sizes, and a stream without rows.",
        ),
    ),
    wrong=(
        WrongAnswer(STREAMS_SOLUTION.replace("WHERE rows > 0\n", ""), "a stream without rows"),
        WrongAnswer(
            STREAMS_SOLUTION.replace("sum(rows) / (sum(batch_ms) / 1000)", "avg(rows / (batch_ms / 1000))"),
            "Divide the sums",
        ),
        WrongAnswer(
            STREAMS_SOLUTION.replace("sum(batch_ms - add_ms) / sum(batch_ms)", "avg((batch_ms - add_ms) / batch_ms)"),
            "Divide the sums",
        ),
        WrongAnswer(STREAMS_SOLUTION.replace("sum(batch_ms - add_ms) /", "sum(add_ms) /"), "yours is the other share"),
        WrongAnswer(STREAMS_SOLUTION.replace("(sum(batch_ms) / 1000)", "sum(batch_ms)"), "per millisecond"),
        WrongAnswer(
            STREAMS_SOLUTION.replace("sum(batch_ms - add_ms) /", "100 * sum(batch_ms - add_ms) /"), "in percent"
        ),
        WrongAnswer(
            STREAMS_SOLUTION.replace(
                "sum(rows) / (sum(batch_ms) / 1000)", "round(sum(rows) / (sum(batch_ms) / 1000), 1)"
            ),
            "Leave out `round`",
        ),
        WrongAnswer(STREAMS_SOLUTION.replace("count(*) AS batches", "max(batch) AS batches"), "streams_vw"),
    ),
    makes=Makes(views=("streams_vw",)),
)

# --------------------------------------------------------------------------------------- 16.2 one alert per trouble

ALERTS_STARTER = """
%sql
DROP VIEW IF EXISTS alerts_vw;
-- CREATE TEMP VIEW alerts_vw AS
-- SELECT ...
"""

ALERTS_SOLUTION = """
%sql
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (
  SELECT name, batch, row_number() OVER (PARTITION BY name, good_before ORDER BY batch) AS bad
  FROM (
    SELECT *, count_if(backlog_files <= 10) OVER (PARTITION BY name ORDER BY batch) AS good_before
    FROM backlogs
  )
  WHERE backlog_files > 10
)
WHERE bad = 3
"""


def check_alerts(attempt: Attempt) -> None:
    """Compare with a walk through the batches, and name the alert per batch, the one too early and the gap."""
    made = attempt.view("alerts_vw")
    backlogs = attempt.table("backlogs")
    right = _alerts(attempt, backlogs)
    if set(made.columns) == {"name", "batch"} and not attempt.is_same(made, right):
        if attempt.is_same(made, _alerts(attempt, backlogs, again=True)):
            raise Mistake(
                "A trouble that lasts is reported by each of its batches. Only the third one raises an alert."
            )
        if attempt.is_same(made, _alerts(attempt, backlogs, in_a_row=False)):
            raise Mistake(
                "The three batches need not follow each other in yours. A batch at or below the limit ends the trouble."
            )
        if attempt.is_same(made, _alerts(attempt, backlogs, needed=1)):
            raise Mistake("An alert is raised by the first batch above the limit. It takes three in a row.")
        if attempt.is_same(made, _alerts(attempt, backlogs, limit=9)):
            raise Mistake("A backlog of exactly 10 files is not above 10.")
        if attempt.is_same(made, _alerts(attempt, backlogs, only_first=True)):
            raise Mistake("A stream gets one alert in all in yours. After a good batch, the next trouble is a new one.")
    attempt.compare(made, right, "alerts_vw")


def _alerts(
    attempt: Attempt,
    backlogs: DataFrame,
    needed: int = 3,
    limit: int = 10,
    again: bool = False,
    in_a_row: bool = True,
    only_first: bool = False,
) -> DataFrame:
    """Return the alerts of a walk through the batches, or those of one of the mistakes."""
    rows, bad, alerted = [], {}, set()
    for name, batch, files in sorted(backlogs.select("name", "batch", "backlog_files").collect()):
        if files > limit:
            bad[name] = bad.get(name, 0) + 1
            if (bad[name] == needed or (again and bad[name] > needed)) and not (only_first and name in alerted):
                rows.append((name, batch))
                alerted.add(name)
        elif in_a_row:
            bad[name] = 0
    return attempt.spark.createDataFrame(rows, "name STRING, batch LONG")


def _troubles(sandbox: Sandbox) -> None:
    """Plant batch numbers with gaps, troubles at both ends, one of seven batches, and backlogs of exactly ten files."""
    series = {
        "a": {5: 11, 6: 11, 8: 40},  # a number is left out: the three batches still follow each other
        "b": {0: 99, 1: 99, 2: 99, 3: 99, 4: 10, 5: 99, 6: 99, 7: 99},
        "c": {0: 10, 1: 10, 2: 10, 3: 11, 4: 11},
        "d": {0: 11, 1: 0, 2: 11, 3: 0, 4: 11, 5: 11, 6: 0},
        "e": {100: 12, 99: 12, 98: 12, 97: 0, 9: 12},
        "f": dict.fromkeys(range(20, 27), 70),  # seven batches: no second alert at the sixth
    }
    rows = [(name, batch, files) for name, batches in series.items() for batch, files in batches.items()]
    sandbox.append("backlogs", rows, "name STRING, batch LONG, backlog_files LONG")


_EACH = ALERTS_SOLUTION.replace("WHERE bad = 3", "WHERE bad >= 3")
_ANY_THREE = """
%sql
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY batch) AS bad FROM backlogs WHERE backlog_files > 10)
WHERE bad = 3
"""
_FIRST_ONLY = """
%sql
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, min(batch) AS batch
FROM (
  SELECT *, min(backlog_files) OVER (PARTITION BY name ORDER BY batch ROWS 2 PRECEDING) AS least,
    count(*) OVER (PARTITION BY name ORDER BY batch ROWS 2 PRECEDING) AS n
  FROM backlogs
)
WHERE least > 10 AND n = 3
GROUP BY name
"""
_BY_THREE_ROWS = _FIRST_ONLY.replace("min(batch) AS batch", "batch").replace("GROUP BY name\n", "")

ALERTS = Exercise(
    id="16.2",
    title="One alert per trouble",
    starter=ALERTS_STARTER,
    hints=(
        "Number the bad batches within each trouble: the third one is the alert. What do the batches of one trouble "
        "have in common? The same number of good batches before them.",
        "`count_if(backlog_files <= 10) OVER (PARTITION BY name ORDER BY batch)` counts the good batches up to a row. "
        "It stays the same as long as a trouble lasts.",
        "Keep the bad batches of that, and number them with `row_number() OVER (PARTITION BY name, good_before ORDER "
        "BY batch)`. The alert is number 3.",
    ),
    solution=ALERTS_SOLUTION,
    why=(
        "Rows that follow each other are a group if something stays equal within it: here the count of good batches so "
        "far. The same pattern finds sessions, outages and price levels."
    ),
    check=check_alerts,
    hidden=(
        HiddenTest(
            _troubles,
            ("alerts_vw",),
            says=(
                "Your cell was run on other backlogs: troubles at the first and last batch, one of seven batches, "
                "missing batch numbers, and exactly ten files."
            ),
        ),
    ),
    wrong=(
        WrongAnswer(_EACH, "reported by each of its batches"),
        WrongAnswer(_BY_THREE_ROWS, "reported by each of its batches"),
        WrongAnswer(ALERTS_SOLUTION.replace("WHERE bad = 3", "WHERE bad % 3 = 0"), "one of seven batches"),
        WrongAnswer(_ANY_THREE, "need not follow each other"),
        WrongAnswer(_FIRST_ONLY, "one alert in all"),
        WrongAnswer(ALERTS_SOLUTION.replace("WHERE bad = 3", "WHERE bad = 1"), "first batch above the limit"),
        WrongAnswer(ALERTS_SOLUTION.replace("> 10", ">= 10").replace("<= 10", "< 10"), "exactly 10 files"),
    ),
    makes=Makes(views=("alerts_vw",)),
)

EXERCISES = (STREAMS, ALERTS)
