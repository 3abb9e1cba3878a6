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
        define("by_names", lambda: spark.sql("SELECT * FROM LIVE.base WHERE v > :least", args={"least": 1}))
        define("by_marks", lambda: spark.sql("SELECT * FROM base WHERE v > ?", args=[1]))
        define("by_marks_in_place", lambda: spark.sql("SELECT * FROM base WHERE v > ?", [1]))
        define("by_both", lambda: spark.sql(sqlQuery="SELECT * FROM base WHERE v > :least", args={"least": 1}))
    """)
    update = pipeline.run(dry_run=True)
    assert update.error is None
    reads = edges(pipeline)
    readers = {dataset.name for dataset in update.datasets} - {"base"}
    assert len(readers) == 7 and {("base", name) for name in readers} <= reads


def test_a_query_may_have_frames_columns_and_values_by_name(pipeline: Pipeline) -> None:
    pipeline.land(1, 2, 3)
    pipeline.write("""
        @dlt.table
        def base():
            return spark.readStream.table("source")
        @dlt.table
        def large():
            frame = spark.read.table("base").where("v > 1")
            text = "SELECT a.v, {extra} AS w FROM {frame} a JOIN base b ON a.n = b.n WHERE a.v < :most"
            return spark.sql(text, args={"most": 3}, frame=frame, extra="it's")
        @dlt.table
        def streamed():
            frame = spark.readStream.table("base")
            text = "WITH some AS (SELECT * FROM {frame}) SELECT v, {n} FROM some WHERE v > 2"
            return spark.sql(text, frame=frame, n=F.col("n"))
    """)
    update = pipeline.run()
    assert update.error is None
    assert {("base", "large"), ("base", "streamed")} <= edges(pipeline)
    assert [tuple(row) for row in pipeline.table("large").collect()] == [(2, "it's")]
    assert [tuple(row) for row in pipeline.table("streamed").collect()] == [(3, 2)]
    assert not [table for table in pipeline.spark.catalog.listTables() if table.isTemporary]


def test_a_query_may_read_files(pipeline: Pipeline, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = tmp_path_factory.mktemp("files")
    (files / "1.json").write_text('{"v": 1}')
    pipeline.write(f"""
        @dlt.table
        def raw():
            return spark.sql("SELECT v, '{{}}' AS t FROM STREAM read_files('file:{files}', format => 'json')")
        @dlt.table
        def joined():
            query = "FROM read_files('file:{files}', format => 'json') JOIN {{frame}} USING (v) JOIN raw USING (v)"
            return spark.sql("SELECT v " + query, frame=spark.table("raw"))
    """)
    update = pipeline.run()
    assert update.error is None and ("raw", "joined") in edges(pipeline)
    assert pipeline.rows("SELECT v, t FROM raw") == [(1, "{}")] and pipeline.values("joined") == [1]


READS: list[Callable[[SparkSession], object]] = [
    lambda spark: spark.sql(sqlQuery="SELECT * FROM range(3) WHERE id > :least", args={"least": 1}).collect(),
    lambda spark: spark.sql("SELECT * FROM {frame}", frame=spark.range(1)).collect(),
    lambda spark: spark.table(tableName="numbers").collect(),
    lambda spark: spark.read.table(tableName="numbers").collect(),
    lambda spark: spark.readStream.table(tableName="numbers").schema,
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


@pytest.mark.parametrize("read", READS)
def test_outside_a_definition_reads_are_sparks_own(spark: SparkSession, read: Callable[[SparkSession], object]) -> None:
    spark.range(1).createOrReplaceTempView("numbers")
    if READS.index(read) == 4:
        spark.readStream.format("rate").load().createOrReplaceTempView("numbers")
    assert read(spark)
