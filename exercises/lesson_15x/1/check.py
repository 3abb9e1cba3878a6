"""Check exercise 15X.1, "An alarm"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_base.errors import short_message
from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake
from streaming_classroom.exercises.sandbox import CellFailedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with the rules that became worse, and name the usual mistakes."""
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
    """Plant rules whose count and share move apart, equal shares, gaps, and rules without records."""
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
    """Return the view's rows, collected: only then does a division by 0 fail."""
    view = sandbox.rows("alarms_vw")
    try:
        return sandbox.spark.createDataFrame(view.collect(), view.schema)
    except Exception as error:
        raise CellFailedError(short_message(error)) from error


_alarms.__name__ = "alarms_vw"  # as a verdict calls it


MAKES = Makes(views=("alarms_vw",))

HIDDEN = (
    HiddenTest(
        _three_updates,
        (_alarms,),
        says="Your view was run on other counts: equal shares, more failures of more records, rules of one name.",
    ),
)
