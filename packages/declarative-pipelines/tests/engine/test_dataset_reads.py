"""Reads inside a definition, in all spellings that Spark's own methods take."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.updates.results import GraphKnown

from ..conftest import Pipeline

pytestmark = pytest.mark.slow


def edges(pipeline: Pipeline) -> set[tuple[str, str]]:
    [graph] = [one for one in pipeline.told if isinstance(one, GraphKnown)]
    return set(graph.edges)


def test_a_read_is_recorded_whether_its_arguments_have_names_or_not(pipeline: Pipeline) -> None:
    pipeline.land(1, 2)
    pipeline.write("""
        def define(name, make):
            dlt.table(name=name)(make)
        define("base", lambda: spark.readStream.table(tableName="source"))
        define("by_table", lambda: spark.table(tableName="base"))
        define("by_reader", lambda: spark.read.table(tableName="base"))
        define("by_query", lambda: spark.sql(sqlQuery="SELECT * FROM base"))
    """)
    update = pipeline.run(dry_run=True)
    assert update.error is None
    reads = edges(pipeline)
    readers = {dataset.name for dataset in update.datasets} - {"base"}
    assert len(readers) == 3 and {("base", name) for name in readers} <= reads


@pytest.mark.parametrize("given", ["frame=spark.read.table('source')", "args={'least': 1}", "[1]"])
def test_a_query_with_frames_or_values_is_refused_with_what_to_write(pipeline: Pipeline, given: str) -> None:
    pipeline.land(1)
    pipeline.write(f"""
        @dlt.table
        def large():
            return spark.sql("SELECT 1", {given})
    """)
    assert "write values into the text, and make a view" in str(pipeline.run(dry_run=True).error)


READS: list[Callable[[SparkSession], object]] = [
    lambda spark: spark.sql(sqlQuery="SELECT * FROM range(3) WHERE id > :least", args={"least": 1}).collect(),
    lambda spark: spark.sql("SELECT * FROM {frame}", frame=spark.range(1)).collect(),
    lambda spark: spark.table(tableName="numbers").collect(),
    lambda spark: spark.read.table(tableName="numbers").collect(),
]


def test_options_of_a_table_hold_inside_a_definition(pipeline: Pipeline) -> None:
    pipeline.land(1)
    pipeline.rows("ALTER TABLE source SET TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    pipeline.land(2)
    pipeline.write("""
        @dlt.table
        def before():
            return spark.read.option("versionAsOf", 0).table("source")
        @dlt.table
        def changes():
            rows = spark.read.options(readChangeFeed=True, startingVersion=2).table("source")
            return rows.select("v", "_change_type")
        @dlt.table
        def now():
            return spark.read.table("source")
    """)
    pipeline.run().raise_if_failed()
    assert [pipeline.values(name) for name in ("before", "changes", "now")] == [[1], [2], [1, 2]]
    assert pipeline.values("changes", "_change_type") == ["insert"]


def test_outside_a_definition_reads_are_sparks_own(spark: SparkSession) -> None:
    spark.range(1).createOrReplaceTempView("numbers")
    assert all(read(spark) for read in READS)
    spark.readStream.format("rate").load().createOrReplaceTempView("numbers")
    assert spark.readStream.table(tableName="numbers").schema
