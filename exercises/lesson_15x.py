"""Exercises of companion 15X: an alarm from the event log's counts, and a unit test of a pipeline."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted

from streaming_base.errors import short_message
from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, NotTried, WrongAnswer
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.hidden_tests.sandbox import CellFailedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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

# ------------------------------------------------------------------------------------- 15X.2 a test for the shop

SHOP_STARTER = """
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    ...  # pipeline.mock("raw_orders", [...], schema=RAW), then assert


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)
"""

SHOP_SOLUTION = """
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    pipeline.mock("raw_orders", [(1, "web"), (1, "web"), (2, "app"), (3, None), (None, "app")], schema=RAW)
    expected = [("app", 1), ("web", 1), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)

    pipeline.append("raw_orders", [(1, "web"), (4, "web")])
    expected = [("app", 1), ("web", 2), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)
"""

_PIPELINE = """
from pyspark import pipelines as dp


@dp.table
@dp.expect_or_drop("has an id", "order_id IS NOT NULL")
def valid_orders():
    return spark.readStream.table("raw_orders").dropDuplicates(["order_id"])


@dp.materialized_view
def per_channel():
    return spark.read.table("valid_orders").groupBy("channel").count()
"""
#: Another right one, and those of which a test must notice the mistake.
_PIPELINES = {
    "shop.py": _PIPELINE,
    "another.py": _PIPELINE.replace('@dp.expect_or_drop("has an id", "order_id IS NOT NULL")\n', "")
    .replace('.dropDuplicates(["order_id"])', '.where("order_id IS NOT NULL")')
    .replace('.groupBy("channel").count()', '.dropDuplicates(["order_id"]).groupBy("channel").count()'),
    "without_id.py": _PIPELINE.replace("expect_or_drop", "expect"),
    "twice.py": _PIPELINE.replace('.dropDuplicates(["order_id"])', ""),
    "no_channel.py": _PIPELINE.replace('.groupBy("channel")', '.where("channel IS NOT NULL").groupBy("channel")'),
}
_MISTAKES = {
    "without_id.py": "keeps orders without an id",
    "twice.py": "counts an order twice if it is sent twice",
    "no_channel.py": "leaves out orders without a channel",
}


def _judged(
    test: Callable[[Any], object], spark: SparkSession, names: Iterable[str] = _PIPELINES
) -> Iterator[tuple[str, str]]:
    """Yield for each pipeline whether a learner's test passes, fails, or ends with another error."""
    from declarative_pipelines.testing import PipelineTest  # with its engine, which other exercises do without

    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            file = Path(folder, name)
            file.write_text(_PIPELINES[name], encoding="utf-8")
            with PipelineTest(file, spark=spark) as pipeline:
                yield name, planted.outcome(test, pipeline)


def check_shop(attempt: Attempt) -> None:
    """Play the test against right and wrong pipelines, and name the first one that it judges wrongly."""
    test = attempt.value("check_shop")
    if not callable(test):
        raise Mistake("`check_shop` is not a function.")
    if not planted.asserts(attempt.source):
        raise NotTried
    for name, said in _judged(test, attempt.spark):
        if name == "shop.py" and said == "fails":
            raise Mistake("`check_shop` raises an `AssertionError` for `shop.py`, which is right.")
        if said not in ("passes", "fails"):
            raise Mistake(f"`check_shop` raises no `AssertionError`, but {said}")
        if name == "another.py" and said == "fails":
            raise Mistake(
                "`check_shop` fails for a right pipeline that has no expectation and removes duplicates elsewhere. "
                "Assert what `per_channel` has, not how it comes about."
            )
        if name in _MISTAKES and said == "passes":
            raise Mistake(f"`check_shop` does not notice a pipeline that {_MISTAKES[name]}.")


def _a_shop(sandbox: Sandbox) -> None:
    """Write the pipeline's file into the sandbox's directory, which is removed with it."""
    shop = classroom_files().local_path(sandbox.paths.working_dir) / "shop.py"
    shop.write_text(_PIPELINE, encoding="utf-8")
    sandbox.keep(shop=shop, RAW="order_id LONG, channel STRING")


def _outcomes(sandbox: Sandbox) -> DataFrame:
    """Judge two pipelines in a session that has only just begun; each takes seconds, and the check has judged all."""
    judged = _judged(sandbox.value("check_shop"), sandbox.spark, ("shop.py", "twice.py"))
    return sandbox.frame(list(judged), "pipeline STRING, outcome STRING")


_ONLY_DROPPED = """
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    pipeline.mock("raw_orders", [(1, "web"), (1, "web"), (3, None), (None, "app")], schema=RAW)
    result = pipeline.run("per_channel")
    assert result.expectation("valid_orders", "has an id").failed == 1
    assert set(result.rows("per_channel")) == {("web", 1), (None, 1)}
"""

SHOP = Exercise(
    id="15X.2",
    title="A test for the shop",
    starter=SHOP_STARTER,
    hints=(
        "Choose rows for `raw_orders` of which each shows one of the three mistakes, and one that is plain.",
        "An id twice, an id that is NULL, a channel that is NULL. Then compare all rows of `per_channel`.",
        '`assert set(pipeline.run("per_channel").rows("per_channel")) == {("web", 1), (None, 1)}`, with your rows.',
    ),
    solution=SHOP_SOLUTION,
    why=(
        "A test of a pipeline plants the rows that break it, and compares the result with what somebody has counted by "
        "hand. It says nothing about expectations or intermediate tables: those may change, the promise may not."
    ),
    check=check_shop,
    hidden=(
        HiddenTest(
            _a_shop,
            (_outcomes,),
            above="from declarative_pipelines.testing import PipelineTest",
            says="Your function was defined in a session that has only just begun, and given two of the pipelines.",
        ),
    ),
    wrong=(
        WrongAnswer(SHOP_SOLUTION.replace(', (None, "app")]', "]"), "keeps orders without an id"),
        WrongAnswer(
            SHOP_SOLUTION.replace('(1, "web"), (1, "web"), ', '(1, "web"), ').replace('[(1, "web"), (4', "[(4"),
            "counts an order twice",
        ),
        WrongAnswer(
            SHOP_SOLUTION.replace("(3, None), ", "").replace(", (None, 1)]", "]"), "leaves out orders without a channel"
        ),
        WrongAnswer(_ONLY_DROPPED, "raises no `AssertionError`"),
        WrongAnswer(SHOP_SOLUTION.replace('("web", 2)', '("web", 3)'), "which is right"),
    ),
    makes=Makes(variables=("check_shop",), by_starter=True),
)

EXERCISES = (ALARM, SHOP)
