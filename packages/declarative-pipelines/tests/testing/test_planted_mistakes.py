"""Tests of a pipeline pass where it is right, and fail for each mistake that is planted in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from declarative_pipelines.testing import PipelineTest

pytestmark = pytest.mark.slow

RIGHT = """
from pyspark import pipelines as dp
from pyspark.sql import functions as F

@dp.table
@dp.expect_or_drop("valid amount", "amount > 0")
@dp.expect("known customer", "customer IS NOT NULL")
def orders():
    return spark.readStream.table("raw_orders")

@dp.materialized_view
def revenue():
    return spark.read.table("orders").groupBy("customer").agg(F.sum("amount").alias("amount"))

dp.create_streaming_table("customers")
dp.create_auto_cdc_flow(
    target="customers", source="crm.changes", keys=["id"], sequence_by="at", apply_as_deletes="op = 'D'",
    except_column_list=["op", "at"], stored_as_scd_type=1,
)
"""
# What is written instead, and the tests that find it.
MISTAKES = {
    "the bad rows are kept": ('expect_or_drop("valid amount"', 'expect("valid amount"', {"dropped"}),
    "zero is an amount": ("amount > 0", "amount >= 0", {"dropped"}),
    "the condition is turned round": ("amount > 0", "amount < 0", {"dropped", "incremental", "revenue"}),
    "rows without a customer are dropped": ('expect("known', 'expect_or_drop("known', {"counted"}),
    "another expectation": ("customer IS NOT NULL", "customer IS NULL", {"counted"}),
    "all rows are read each time": (
        'spark.readStream.table("raw_orders")', 'spark.read.table("raw_orders")', {"incremental"},
    ),
    "a count in place of a sum": ("F.sum(", "F.count(", {"revenue"}),
    "grouped by something else": ('groupBy("customer")', 'groupBy("id")', {"revenue"}),
    "read before the bad rows are dropped": ('.read.table("orders")', '.read.table("raw_orders")', {"revenue"}),
    "deletes are upserts": ("op = 'D'", "op = 'X'", {"changes"}),
    "in the order of another column": ('sequence_by="at"', 'sequence_by="id"', {"changes"}),
    "with history": ("stored_as_scd_type=1", "stored_as_scd_type=2", {"changes"}),
}  # fmt: skip
RAW = "id INT, customer STRING, amount DOUBLE"


def dropped(pipeline: PipelineTest) -> None:
    pipeline.mock("raw_orders", [(1, "Ada", 5.0), (2, "Ada", -1.0), (3, "Ada", 0.0), (4, "Ada", None)], RAW)
    result = pipeline.run("orders")
    assert result.rows("orders") == [(1, "Ada", 5.0)]
    assert result.expectation("orders", "valid amount").dropped == 3


def counted(pipeline: PipelineTest) -> None:
    pipeline.mock("raw_orders", [(1, None, 5.0), (2, "Ada", 1.0), (3, "Bo", 1.0)], RAW)
    result = pipeline.run("orders")
    assert len(result.rows("orders")) == 3
    assert result.expectation("orders", "known customer").failed == 1


def incremental(pipeline: PipelineTest) -> None:
    pipeline.mock("raw_orders", [(1, "Ada", 5.0)], RAW)
    pipeline.run("orders")
    pipeline.append("raw_orders", [(2, "Bo", 7.0)])
    result = pipeline.run("orders")
    assert result.rows("orders") == [(1, "Ada", 5.0), (2, "Bo", 7.0)]
    assert result.dataset("orders").rows == 1


def revenue(pipeline: PipelineTest) -> None:
    pipeline.mock("raw_orders", [(1, "Ada", 5.0), (2, "Ada", 2.0), (3, "Bo", -9.0)], RAW)
    frame = pipeline.run("revenue").frame("revenue")
    assertDataFrameEqual(frame, frame.sparkSession.createDataFrame([("Ada", 7.0)], "customer STRING, amount DOUBLE"))


def changes(pipeline: PipelineTest) -> None:
    feed = [(1, "Ada", "U", 2), (1, "A.", "U", 1), (2, "Bo", "U", 1), (2, None, "D", 5)]
    pipeline.mock("crm.changes", feed, "id INT, name STRING, op STRING, at INT")
    assert pipeline.run("customers").rows("customers") == [(1, "Ada")]


TESTS: dict[str, Callable[[PipelineTest], None]] = {
    one.__name__: one for one in (dropped, counted, incremental, revenue, changes)
}


def failing(text: str, names: set[str], spark: SparkSession, folder: Path) -> set[str]:
    """Return which of some tests fail for a pipeline."""
    file = folder / "pipeline.py"
    file.write_text(dedent(text))
    found = set()
    for name in sorted(names):
        with PipelineTest(file, spark=spark) as pipeline:
            try:
                TESTS[name](pipeline)
            except AssertionError:
                found.add(name)
    return found


def test_the_tests_pass_where_the_pipeline_is_right(spark: SparkSession, tmp_path: Path) -> None:
    assert failing(RIGHT, set(TESTS), spark, tmp_path) == set()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_fails_the_tests_that_are_about_it(mistake: str, spark: SparkSession, tmp_path: Path) -> None:
    before, after, found_by = MISTAKES[mistake]
    assert before in RIGHT
    assert failing(RIGHT.replace(before, after), found_by, spark, tmp_path) == found_by
