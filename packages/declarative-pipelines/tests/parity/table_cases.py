"""Expectations, tables and views: pipelines of a few lines each, and what happened to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from declarative_pipelines.testing import PipelineTest

from .behaviors import Behavior, Measured

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

Looks = Callable[[PipelineTest], Any]


@dataclass(frozen=True)
class TableCase:
    """A case: its pipeline, and the function that runs it and returns what was seen."""

    behavior: Behavior
    source: str
    look: Looks


def _expectation(decorator: str) -> str:
    return f"""
import dlt
@dlt.table
@{decorator}
def checked():
    return spark.readStream.table("source")
"""


def _checked(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}, {"n": -1}, {"n": None}])
    result = test.run(check=False)
    if result.error is not None:
        return "the update fails"
    [counts] = {result.expectation("checked", one.name) for one in result.update.expectations}
    rows = [tuple(row) for row in result.rows("checked")]
    return [*rows, ("passed", counts.passed, "failed", counts.failed)]


def _failed_keeps(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}])
    test.run()
    test.append("source", [{"n": 2}, {"n": -1}])
    test.run(check=False)
    return [tuple(row) for row in test.spark.table(test.table("checked")).collect()]


_READ = """
import dlt
@dlt.table
def copied():
    return spark.readStream.table("source").selectExpr("n", "'{version}' AS version")
"""


def _read_once(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}])
    test.run()
    test.append("source", [{"n": 2}])
    return [(row.n,) for row in test.run().rows("copied")]


def _changed_query(refresh: bool) -> Looks:
    def look(test: PipelineTest) -> Any:
        test.mock("source", [{"n": 1}])
        test.run()
        test.append("source", [{"n": 2}])
        [file] = test.files
        file.write_text(_READ.format(version="new"))
        return [tuple(row) for row in test.run(full_refresh=refresh).rows("copied")]

    return look


def _changed_source(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}], format="delta")
    test.run()
    test.mock("source", [{"n": 5}], format="delta")
    result = test.run(check=False)
    return "the update fails" if result.error is not None else [tuple(row) for row in result.rows("copied")]


_WHOLE = """
import dlt
@dlt.table
def total():
    return spark.read.table("source").groupBy().sum("n").toDF("n")
"""


def _whole(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}, {"n": 2}])
    test.run()
    test.mock("source", [{"n": 5}])
    return [tuple(row) for row in test.run().rows("total")]


def _nothing_new(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}, {"n": 2}], format="delta")
    versions = [test.run().tables["total"][1] for _ in range(2)]
    return "nothing is written" if versions[0] == versions[1] else "it is written again"


_VIEW = """
import dlt
@dlt.view
def seen():
    return spark.read.table("source")
@dlt.table
def total():
    return spark.read.table("seen").groupBy().sum("n").toDF("n")
"""


def _view(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}, {"n": 2}])
    test.run()
    return "is in the catalog" if test.spark.catalog.tableExists(test.table("seen")) else "is not in the catalog"


_APPEND = """
import dlt
dlt.create_streaming_table("every")
@dlt.append_flow(target="every")
def one():
    return spark.readStream.table("source")
@dlt.append_flow(target="every")
def two():
    return spark.readStream.table("other")
"""


def _two_flows(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}])
    test.mock("other", [{"n": 2}])
    return [tuple(row) for row in test.run().rows("every")]


_ONCE = """
import dlt
dlt.create_streaming_table("every")
@dlt.append_flow(target="every", once=True)
def backfill():
    return spark.read.table("source")
"""


def _once(refresh: bool) -> Looks:
    def look(test: PipelineTest) -> Any:
        test.mock("source", [{"n": 1}])
        test.run()
        test.append("source", [{"n": 2}])
        return [tuple(row) for row in test.run(full_refresh=refresh).rows("every")]

    return look


_FAILING = """
import dlt
@dlt.table
def failing():
    return spark.readStream.table("source").selectExpr("raise_error('no') AS n")
@dlt.table
def behind():
    return spark.readStream.table("failing")
@dlt.table
def beside():
    return spark.readStream.table("source")
"""


def _states(test: PipelineTest) -> Any:
    test.mock("source", [{"n": 1}])
    update = test.run(check=False).update
    return sorted((one.name, one.state.value) for one in update.datasets)


_WARN = 'dlt.expect("positive", "n > 0")'
CASES = [
    TableCase(
        Behavior(
            "`expect` of rows 1, -1 and NULL",
            "Invalid rows are written; the failure is a metric. Of NULL nothing was found.",
            "expectations", None, "expectations",
        ), _expectation(_WARN), _checked,
    ),
    TableCase(
        Behavior(
            "`expect_or_drop` of the same rows",
            "Invalid rows are dropped before they are written; the failure is a metric. Of NULL nothing was found.",
            "expectations", None, "expectations",
        ), _expectation('dlt.expect_or_drop("positive", "n > 0")'), _checked,
    ),
    TableCase(
        Behavior(
            "`expect_or_fail`", "Invalid rows prevent the update from succeeding.", "expectations",
            "the update fails", "expectations",
        ), _expectation('dlt.expect_or_fail("positive", "n > 0")'), _checked,
    ),
    TableCase(
        Behavior(
            "`expect_or_fail` in a second update: what is in the table after it",
            "A table's transaction is rolled back.", "expectations", [(1,)], "expectations",
        ), _expectation('dlt.expect_or_fail("positive", "n > 0")'), _failed_keeps,
    ),
    TableCase(
        Behavior(
            "streaming table, rows that arrive before the second update", "Each input row is handled once.",
            "streaming", [(1,), (2,)], "streaming",
        ), _READ.format(version="old"), _read_once,
    ),
    TableCase(
        Behavior(
            "streaming table, its query changes before the second update",
            "A changed query applies to new rows only.", "streaming", [(1, "old"), (2, "new")], "not measured",
        ), _READ.format(version="old"), _changed_query(False),
    ),
    TableCase(
        Behavior(
            "streaming table, the same with a full refresh", "All data is cleared and processed again.", "updates",
            [(1, "new"), (2, "new")], "not measured",
        ), _READ.format(version="old"), _changed_query(True),
    ),
    TableCase(
        Behavior(
            "streaming table, its source's rows are overwritten", "Sources must be append-only.", "streaming",
            "the update fails", "not measured",
        ), _READ.format(version="old"), _changed_source,
    ),
    TableCase(
        Behavior(
            "materialized view, its source's rows are overwritten", "It is what its query says of the sources now.",
            "views", [(5,)], "not measured",
        ), _WHOLE, _whole,
    ),
    TableCase(
        Behavior(
            "materialized view, nothing is new in its sources",
            "Where base tables have not changed, the refresh is `MAINTENANCE_TYPE_NO_OP`.", "log",
            "nothing is written", "not measured",
        ), _WHOLE, _nothing_new,
    ),
    TableCase(
        Behavior(
            "temporary view", "It is not published to the catalog.", "flows", "is not in the catalog", "views",
        ), _VIEW, _view,
    ),
    TableCase(
        Behavior(
            "two `append_flow`s into one streaming table", "Several flows may write to one streaming table.", "flows",
            [(1,), (2,)], "append flows",
        ), _APPEND, _two_flows,
    ),
    TableCase(
        Behavior(
            "`append_flow(once=True)`, its source has a new row in the second update",
            "It runs once, and again in a full refresh.", "flows", [(1,)], "once",
        ), _ONCE, _once(False),
    ),
    TableCase(
        Behavior(
            "the same with a full refresh", "It runs once, and again in a full refresh.", "flows", [(1,), (2,)], "once",
        ), _ONCE, _once(True),
    ),
    TableCase(
        Behavior(
            "a flow fails: the dataset that reads it, and one beside it",
            "Datasets that depend on it are skipped; others run.", "updates",
            [("behind", "SKIPPED"), ("beside", "COMPLETED"), ("failing", "FAILED")], "not measured",
        ), _FAILING, _states,
    ),
]  # fmt: skip


def measure(spark: SparkSession, folder: Path) -> list[Measured]:
    """Run all cases."""
    found = []
    for number, case in enumerate(CASES):
        file = folder / f"tables_{number}.py"
        file.write_text(case.source)
        with PipelineTest(file, spark=spark) as test:
            found.append(Measured(case.behavior, case.look(test)))
    return found
