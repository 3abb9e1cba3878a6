"""``DEEP CLONE`` in real Spark with real Delta: copies that stand alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from notebook_dialect.sql import spark_sql

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def _template(_session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Have a schema, and the files of a Delta table that each test begins with: two versions, two files, six rows."""
    spark_sql.install()
    folder = tmp_path_factory.mktemp("template") / "s"
    _session.sql("CREATE SCHEMA clones")
    for part in ("a b", "c"):
        rows = _session.range(3).selectExpr("int(id)", f"'{part}' AS part").coalesce(1)
        rows.write.format("delta").partitionBy("part").mode("append").save(folder.as_uri())
    yield folder
    _session.sql("DROP SCHEMA clones CASCADE")


@pytest.fixture
def sql(spark: SparkSession, _template: Path, tmp_path: Path) -> Iterator[SparkSession]:
    """Give a session in a schema with one table, ``s`` below ``tmp_path``."""
    shutil.copytree(_template, tmp_path / "s")
    spark.sql("USE clones")
    spark.sql(f"CREATE TABLE s USING delta {at(tmp_path / 's')}")
    yield spark
    for table in spark.catalog.listTables("clones"):
        spark.sql(f"DROP TABLE IF EXISTS clones.`{table.name}`")


def at(folder: Path) -> str:
    return f"LOCATION '{folder.as_uri()}'"


def rows(spark: SparkSession, table: str) -> list[tuple]:
    return sorted(tuple(row) for row in spark.table(table).collect())


def test_a_copy_stands_alone(sql: SparkSession, tmp_path: Path) -> None:
    sql.sql("ALTER TABLE s SET TBLPROPERTIES ('delta.enableDeletionVectors' = true, mine = 'x')")
    sql.sql("ALTER TABLE s ALTER COLUMN id COMMENT 'the id'")
    sql.sql("ALTER TABLE s ADD CONSTRAINT small CHECK (id < 100)")
    sql.sql("DELETE FROM s WHERE id = 1")
    before = rows(sql, "s")
    result = sql.sql(f"CREATE TABLE c DEEP CLONE s {at(tmp_path / 'c')}").first()
    assert (result.source_num_of_files, result.num_removed_files) == (2, 0) and result.num_copied_files > 0
    sql.sql("DROP TABLE s")
    shutil.rmtree(tmp_path / "s")
    sql.catalog.refreshTable("c")
    assert rows(sql, "c") == before == [(0, "a b"), (0, "c"), (2, "a b"), (2, "c")]
    detail = sql.sql("DESCRIBE DETAIL c").first()
    assert detail.partitionColumns == ["part"]
    assert detail.properties["mine"] == "x"
    assert sql.sql("DESCRIBE TABLE c").first().comment == "the id"
    with pytest.raises(Exception, match="CHECK constraint small"):
        sql.sql("INSERT INTO c VALUES (100, 'c')")


def test_a_copy_follows_its_source_when_it_is_replaced(sql: SparkSession) -> None:
    sql.sql("CREATE TABLE c CLONE s")
    sql.sql("INSERT INTO s VALUES (7, 'new')")
    sql.sql("CREATE OR REPLACE TABLE c DEEP CLONE s")
    assert rows(sql, "c") == rows(sql, "s") and (7, "new") in rows(sql, "c")
    assert {table.name: table.tableType for table in sql.catalog.listTables()} == {"s": "EXTERNAL", "c": "MANAGED"}


def test_a_path_a_version_and_properties_are_taken(sql: SparkSession, tmp_path: Path) -> None:
    source, target = f"delta.`{(tmp_path / 's').as_uri()}`", f"delta.`{(tmp_path / 'c').as_uri()}`"
    sql.sql(f"CREATE TABLE {target} DEEP CLONE {source} VERSION AS OF 0 TBLPROPERTIES (mine = 'y')")
    assert len(rows(sql, target)) == 3
    assert sql.sql(f"DESCRIBE DETAIL {target}").first().properties["mine"] == "y"
    sql.sql(f"CREATE OR REPLACE TABLE {target} DEEP CLONE hive_metastore.clones.s@v1")
    assert len(rows(sql, target)) == 6
    assert sql.sql(f"CREATE TABLE IF NOT EXISTS {target} DEEP CLONE s@v0").columns[0] == "source_table_size"
    assert len(rows(sql, target)) == 6


def test_columns_that_are_mapped_and_clustered_are_copied(sql: SparkSession) -> None:
    properties = "'delta.columnMapping.mode' = 'name', 'delta.enableRowTracking' = true"
    sql.sql(f"CREATE TABLE mapped (id INT, `a b` STRING) CLUSTER BY (id) TBLPROPERTIES ({properties})")
    sql.sql("INSERT INTO mapped VALUES (1, 'x')")
    sql.sql("ALTER TABLE mapped RENAME COLUMN `a b` TO ab")
    sql.sql("CREATE TABLE c DEEP CLONE mapped")
    sql.sql("UPDATE c SET ab = 'z'")
    assert (rows(sql, "c"), rows(sql, "mapped")) == ([(1, "z")], [(1, "x")])
    assert sql.sql("DESCRIBE DETAIL c").first().clusteringColumns == ["id"]


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("CREATE TABLE s DEEP CLONE s", "already exists"),
        ("REPLACE TABLE c DEEP CLONE s", "cannot be found"),
        ("CREATE TABLE nowhere.c DEEP CLONE s", "schema .*`nowhere` cannot be found"),
        ("CREATE TABLE c DEEP CLONE nothing", "`nothing` cannot be found"),
        ("CREATE TABLE c DEEP CLONE s VERSION AS OF 9", "Cannot time travel Delta table to version 9"),
    ],
)
def test_tables_that_are_there_or_not_are_sparks_own_errors(sql: SparkSession, statement: str, says: str) -> None:
    with pytest.raises(AnalysisException, match=f"(?s){says}"):
        sql.sql(statement)
    assert [table.name for table in sql.catalog.listTables()] == ["s"]
