"""The exercise of companion 03X: generate test rows that are the same in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

STARTER = """
%sql
DROP VIEW IF EXISTS test_readings_tmp_vw;
-- CREATE TEMP VIEW test_readings_tmp_vw AS
-- SELECT ...
"""

SOLUTION = """
%sql
DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 + 1 AS device_id, 60 + value % 40 AS heartrate, unix_timestamp(timestamp) AS time
FROM counter_tmp_vw
"""


def check_test_rows(attempt: Attempt) -> None:
    """Run the view as a stream; where its rows are not right, run it again to see whether it depends on chance."""
    view = attempt.view("test_readings_tmp_vw")
    if not view.isStreaming:
        raise Mistake("Your view does not read a stream: select from `counter_tmp_vw`.")
    made, source = attempt.rows_of_stream(view), attempt.rows_of_stream(attempt.view("counter_tmp_vw"))
    right = _readings(source)
    if not attempt.is_same(made, right):
        again = attempt.rows_of_stream(attempt.view("test_readings_tmp_vw"))
        if not attempt.is_same(again, made):
            raise Mistake(
                "Two runs of your query give different rows: some expression is random or depends on the clock. "
                "Compute every column from `value` and `timestamp`."
            )
    if attempt.is_same(made, _readings(source, first_device=0)):
        raise Mistake(
            "The devices are numbered from 0 to 11. The exercise asks for 1 to 12: add 1, because a remainder starts "
            "at 0."
        )
    attempt.compare(made, right, "test_readings_tmp_vw")


def _readings(source: DataFrame, first_device: int = 1) -> DataFrame:
    return source.selectExpr(
        f"value % 12 + {first_device} AS device_id",
        "60 + value % 40 AS heartrate",
        "unix_timestamp(timestamp) AS time",
    )


def _counter(sandbox: Sandbox) -> None:
    """Plant values just before and at the end of each remainder's turn, one of a million, fractions of seconds."""
    from datetime import datetime, timedelta

    values = (0, 11, 12, 39, 40, 479, 480, 10**6 + 7)
    start = datetime(2024, 3, 5, 10, 0, 0, 250_000)
    rows = [(start + timedelta(seconds=value), value) for value in values]
    sandbox.append("counted", rows, "timestamp TIMESTAMP, value LONG")
    sandbox.view("counter_tmp_vw", sandbox.stream("counted"))


TEST = Exercise(
    id="03X.1",
    title="Readings for a test, in SQL",
    starter=STARTER,
    hints=(
        "Each row of `counter_tmp_vw` has a `value`, 0, 1, 2 and so on, and a `timestamp`. Compute all three columns "
        "from these two.",
        "`value % 12` is the remainder of `value` divided by 12: a number from 0 to 11.",
        "`SELECT value % 12 + 1 AS device_id, ..., unix_timestamp(timestamp) AS time FROM counter_tmp_vw`",
    ),
    solution=SOLUTION,
    why=(
        "The query computes every column from the source's counter. So every run gives the same rows, and a test can "
        "define the expected result in advance. With `rand()` or the current time, it could not."
    ),
    check=check_test_rows,
    hidden=(
        HiddenTest(
            _counter,
            ("test_readings_tmp_vw",),
            says="Your cell was run on other values of the counter, up to a million.",
        ),
    ),
    wrong=(
        WrongAnswer(SOLUTION.replace("value % 40", "CAST(rand() * 40 AS INT)"), "random or depends on the clock"),
        WrongAnswer(SOLUTION.replace("value % 12 + 1", "value % 12"), "numbered from 0 to 11"),
        WrongAnswer(SOLUTION.replace("unix_timestamp(timestamp)", "timestamp"), "rows are missing"),
        WrongAnswer(
            SOLUTION.replace("FROM counter_tmp_vw", "FROM range(12) AS t(value)").replace(
                "unix_timestamp(timestamp)", "1748736000"
            ),
            "does not read a stream",
        ),
        WrongAnswer(SOLUTION.replace(" AS heartrate", " AS rate"), "the column `heartrate` is missing"),
        WrongAnswer(SOLUTION.replace("FROM counter_tmp_vw", "FROM rate_micro_batch"), "raised an error"),
    ),
    makes=Makes(views=("test_readings_tmp_vw",)),
)

EXERCISES = (TEST,)
