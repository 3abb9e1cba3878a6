"""Exercise of companion 15X: an alarm from the event log's counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stream_view.errors import short_message
from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer
from streaming_classroom.hidden_tests.sandbox import CellFailedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

# ------------------------------------------------------------------------------------------------ 15X.1 an alarm

STARTER = """
%sql
DROP VIEW IF EXISTS alarms_vw;
-- CREATE TEMP VIEW alarms_vw AS
-- SELECT dataset, name, failed ...
-- FROM quality_vw ...
"""

SOLUTION = """
%sql
DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT now.dataset, now.name, now.failed
FROM quality_vw AS now JOIN quality_vw AS earlier
  ON now.dataset = earlier.dataset AND now.name = earlier.name AND now.update = earlier.update + 1
WHERE now.update = (SELECT max(update) FROM quality_vw)
  AND try_divide(now.failed, now.passed + now.failed) > try_divide(earlier.failed, earlier.passed + earlier.failed)
"""


def check(attempt: Attempt) -> None:
    """Compare with the rules that became worse; first with those that have failed records at all."""
    made = attempt.view("alarms_vw")
    quality = attempt.spark.table("quality_vw")
    newest = quality.agg({"update": "max"}).first()[0]
    now, before = (quality.where(f"update = {number}") for number in (newest, newest - 1))
    if attempt.is_same(made, now.where("failed > 0").select("dataset", "name", "failed")):
        raise Mistake("Every rule with failed records is there. An alarm compares with the update before.")
    if made.count() > now.count():
        raise Mistake("Updates before the newest one are there, too. Only the newest one raises alarms.")
    share = "try_divide({0}.failed, {0}.passed + {0}.failed)"
    both = now.alias("now").join(before.alias("before"), ["dataset", "name"])
    worse = both.where(f"{share.format('now')} > {share.format('before')}")
    attempt.compare(made, worse.selectExpr("dataset", "name", "now.failed AS failed"), "alarms_vw")


_QUALITY = "update INT, dataset STRING, name STRING, passed LONG, failed LONG"


def _three_updates(sandbox: Sandbox) -> None:
    """Plant rules whose count and share move apart, equal shares, gaps, and rules that were offered nothing."""
    rows = [
        (2, "a", "x", 10, 0), (3, "a", "x", 9, 1),
        (2, "a", "y", 90, 10), (3, "a", "y", 9, 1),
        (1, "a", "z", 10, 0), (3, "a", "z", 5, 5),
        (2, "b", "x", 1, 9), (3, "b", "x", 100, 50),
        (2, "b", "y", 0, 0), (3, "b", "y", 1, 1),
        (2, "b", "z", 1, 1), (3, "b", "z", 0, 0),
        (2, "c", "x", 100, 10), (3, "c", "x", 10, 5),
        (1, "c", "w", 10, 0), (2, "c", "w", 5, 5), (3, "c", "w", 5, 5),
        (3, "d", "n", 0, 3), (2, "d", "o", 10, 0), (1, "d", "p", 9, 0), (2, "d", "p", 4, 5),
    ]  # fmt: skip
    sandbox.view("quality_vw", sandbox.frame(rows, _QUALITY))


def _alarms(sandbox: Sandbox) -> DataFrame:
    """Return the view's rows, computed now: a view that divides by 0 fails only then."""
    view = sandbox.rows("alarms_vw")
    try:
        return sandbox.spark.createDataFrame(view.collect(), view.schema)
    except Exception as error:
        raise CellFailedError(short_message(error)) from error


_alarms.__name__ = "alarms_vw"  # as a verdict calls it


ALARM = Exercise(
    id="15X.1",
    title="An alarm",
    starter=STARTER,
    hints=(
        "Join `quality_vw` with itself: the rows of the newest update with those of the update before, rule by rule.",
        "Two tables may have rules of one name. What besides the name makes a rule the same rule?",
        "A share is failed records of all that were offered. Division by 0 is an error; `try_divide` returns NULL.",
    ),
    solution=SOLUTION,
    why=(
        "The number of failed records grows with the data; the share tells whether the data became worse. The inner "
        "join with the update before leaves out rules that are new or were gone. The share of no records is NULL, "
        "which is never greater than anything."
    ),
    check=check,
    hidden=(
        HiddenTest(
            _three_updates,
            (_alarms,),
            says="Your view was run on other counts: equal shares, more failures of more records, rules of one name.",
        ),
    ),
    wrong=(
        WrongAnswer(
            "\n%sql\nDROP VIEW IF EXISTS alarms_vw;\nCREATE TEMP VIEW alarms_vw AS\nSELECT dataset, name, failed "
            "FROM quality_vw\nWHERE failed > 0 AND update = (SELECT max(update) FROM quality_vw)\n",
            "Every rule with failed records",
        ),
        WrongAnswer(
            "\n%sql\nDROP VIEW IF EXISTS alarms_vw;\nCREATE TEMP VIEW alarms_vw AS\nSELECT dataset, name, failed "
            "FROM quality_vw\n",
            "Only the newest",
        ),
        WrongAnswer(
            SOLUTION.replace("try_divide(now.failed, now.passed + now.failed)", "now.failed").replace(
                "try_divide(earlier.failed, earlier.passed + earlier.failed)", "earlier.failed"
            ),
            "other counts",
        ),
        WrongAnswer(SOLUTION.replace("now.dataset = earlier.dataset AND ", ""), "other counts"),
        WrongAnswer(
            SOLUTION.replace("AND now.update = earlier.update + 1", "AND now.update > earlier.update"), "other"
        ),
        WrongAnswer(
            SOLUTION.replace(
                "try_divide(now.failed, now.passed + now.failed)", "now.failed / (now.passed + now.failed)"
            ).replace(
                "try_divide(earlier.failed, earlier.passed + earlier.failed)",
                "earlier.failed / (earlier.passed + earlier.failed)",
            ),
            "DIVIDE_BY_ZERO",
        ),
    ),
    makes=Makes(views=("alarms_vw",)),
)

EXERCISES = (ALARM,)
