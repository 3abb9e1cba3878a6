"""Expectations, tables and views: one pipeline in three updates, and what happened to each of its datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from declarative_pipelines.testing import PipelineTest

_CHECKED = """
@dlt.table
@dlt.{decorator}("positive", "n > 0")
def {name}():
    return spark.readStream.table("{source}")
"""
_COPIED = """
@dlt.table
def {name}():
    return spark.readStream.table("good").selectExpr("n", "'{version}' AS version")
"""
_ONCE = """
dlt.create_streaming_table("{name}")
@dlt.append_flow(target="{name}", once=True)
def backfill_{name}():
    return spark.read.table("good")
"""
_REST = """
@dlt.table
def overwritten():
    return spark.readStream.table("replaced")
@dlt.table
def total():
    return spark.read.table("replaced").groupBy().sum("n").toDF("n")
@dlt.view
def seen():
    return spark.read.table("fixed")
@dlt.table
def unchanged():
    return spark.read.table("seen").groupBy().sum("n").toDF("n")
dlt.create_streaming_table("every")
@dlt.append_flow(target="every")
def one():
    return spark.readStream.table("good")
@dlt.append_flow(target="every")
def two():
    return spark.readStream.table("other")
@dlt.table
def failing():
    return spark.readStream.table("good").selectExpr("raise_error('no') AS n")
@dlt.table
def behind():
    return spark.readStream.table("failing")
@dlt.table
def beside():
    return spark.readStream.table("good")
"""
#: The cases by the first cell of their line, and what is documented; None where nothing is.
EXPECTED: dict[str, Any] = {
    "`expect` of rows 1, -1 and NULL": None,
    "`expect_or_drop` of the same rows": None,
    "`expect_or_fail`": "the update fails",
    "`expect_or_fail` in a second update: what is in the table after it": [(1,)],
    "streaming table, rows that arrive before the second update": [(1,), (2,)],
    "streaming table, its query changes before the second update": [(1, "old"), (2, "new")],
    "streaming table, the same with a full refresh": [(1, "new"), (2, "new")],
    "streaming table, its source's rows are overwritten": "the update fails",
    "materialized view, its source's rows are overwritten": [(5,)],
    "materialized view, nothing is new in its sources": "nothing is written",
    "temporary view": "is not in the catalog",
    "two `append_flow`s into one streaming table": [(1,), (2,)],
    "`append_flow(once=True)`, its source has a new row in the second update": [(1,)],
    "the same with a full refresh": [(1,), (2,)],
    "a flow fails: the dataset that reads it, and one beside it": [
        ("behind", "SKIPPED"), ("beside", "COMPLETED"), ("failing", "FAILED"),
    ],
}  # fmt: skip


def _text(version: str) -> str:
    checked = [
        _CHECKED.format(name=name, decorator=decorator, source=source)
        for name, decorator, source in (
            ("warned", "expect", "numbers"),
            ("dropped", "expect_or_drop", "numbers"),
            ("refused", "expect_or_fail", "numbers"),
            ("rolled_back", "expect_or_fail", "risky"),
        )
    ]
    copied = [_COPIED.format(name=name, version=version) for name in ("copied", "refreshed")]
    once = [_ONCE.format(name=name) for name in ("once", "once_refreshed")]
    return "\n".join(["import dlt", *checked, *copied, *once, _REST])


def measure(spark: SparkSession, file: Path) -> dict[str, Any]:
    """Run three updates; return what was seen of each case, by the first cell of its line."""
    file.write_text(_text("old"))
    with PipelineTest(file, spark=spark) as test:
        test.mock("numbers", [{"n": 1}, {"n": -1}, {"n": None}])
        for name, format in (("good", "parquet"), ("risky", "parquet"), ("replaced", "delta")):
            test.mock(name, [{"n": 1}], format=format)
        test.mock("fixed", [{"n": 1}], format="delta")
        test.mock("other", [{"n": 2}])
        first = test.run(check=False)
        states = {flow.name: flow.state.value for flow in first.update.flows}

        test.append("good", [{"n": 2}])
        test.append("risky", [{"n": 2}, {"n": -1}])
        test.mock("replaced", [{"n": 5}], format="delta")
        file.write_text(_text("new"))
        second = test.run("rolled_back", "copied", "overwritten", "total", "unchanged", "once", check=False)
        has_failed = {flow.name: flow.error is not None for flow in second.update.flows}
        third = test.run("refreshed", "once_refreshed", full_refresh=True)

        def rows(result: Any, dataset: str) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in result.rows(dataset)]

        def counted(dataset: str) -> list[tuple[Any, ...]]:
            counts = first.expectation(dataset, "positive")
            return [*rows(first, dataset), ("passed", counts.passed, "failed", counts.failed)]

        is_same = first.tables["unchanged"] == second.tables["unchanged"]
        is_published = test.spark.catalog.tableExists(test.table("seen"))
        seen = [
            counted("warned"),
            counted("dropped"),
            "the update fails" if states["refused"] == "FAILED" else "the update succeeds",
            rows(second, "rolled_back"),
            [(row.n,) for row in second.rows("copied")],
            rows(second, "copied"),
            rows(third, "refreshed"),
            "the update fails" if has_failed["overwritten"] else rows(second, "overwritten"),
            rows(second, "total"),
            "nothing is written" if is_same else "it is written again",
            "is in the catalog" if is_published else "is not in the catalog",
            rows(first, "every"),
            rows(second, "once"),
            rows(third, "once_refreshed"),
            [(name, states[name]) for name in ("behind", "beside", "failing")],
        ]
    return dict(zip(EXPECTED, seen, strict=True))
