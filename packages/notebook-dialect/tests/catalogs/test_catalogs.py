"""Catalogs, schemas, tables, volumes and grants, as a notebook of today's Databricks names them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from delta.tables import DeltaTable
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from notebook_dialect.catalogs import statements
from notebook_dialect.catalogs.store import CatalogError, CatalogStore, VolumeNotFound
from notebook_dialect.dbutils.fs import FileSystemUtils
from streaming_classroom.files.directories import classroom_files


def rows(spark: SparkSession, statement: str) -> list[tuple]:
    return [tuple(row) for row in spark.sql(statement).collect()]


def test_a_name_has_one_two_or_three_parts(sql: SparkSession) -> None:
    assert rows(sql, "SELECT current_catalog(), current_schema()") == [("main", "sales")]
    for name in ("orders", "sales.orders", "main.sales.orders"):
        assert sql.table(name).count() == 2
    sql.sql("USE CATALOG workspace")
    assert rows(sql, "SELECT current_catalog(), current_schema()") == [("workspace", "default")]
    with pytest.raises(AnalysisException, match=r"`main`.`sales`.`missing`"):
        sql.table("main.sales.missing")
    with pytest.raises(AnalysisException, match=r"\[CATALOG_NOT_FOUND\] The catalog `nothing` cannot be found"):
        sql.sql("USE CATALOG nothing")


def test_delta_finds_a_table_by_one_two_or_three_parts(sql: SparkSession) -> None:
    for name in ("orders", "sales.orders", "main.sales.orders", "`sales`.`orders`"):
        assert DeltaTable.forName(sql, name).toDF().count() == 2
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        DeltaTable.forName(sql, "missing")


@pytest.mark.slow
def test_a_table_is_created_changed_merged_and_read_as_of_a_version(sql: SparkSession) -> None:
    sql.range(3).write.mode("overwrite").saveAsTable("main.sales.three")
    sql.sql("DELETE FROM main.sales.three WHERE id = 0")
    sql.sql("MERGE INTO three t USING (SELECT 9L AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    assert rows(sql, "SELECT id FROM three ORDER BY id") == [(1,), (2,), (9,)]
    assert sql.read.option("versionAsOf", 0).table("main.sales.three").count() == 3
    sql.sql("ALTER TABLE main.sales.three RENAME TO main.sales.renamed")
    assert not sql.catalog.tableExists("main.sales.three") and sql.catalog.tableExists("main.sales.renamed")


@pytest.mark.slow
def test_tables_and_views_of_two_catalogs_meet(sql: SparkSession) -> None:
    sql.sql("CREATE CATALOG IF NOT EXISTS dev COMMENT 'to try things'")
    sql.sql("CREATE OR REPLACE TABLE dev.default.twice AS SELECT id, 2 * amount AS twice FROM main.sales.orders")
    sql.sql(
        "CREATE OR REPLACE VIEW dev.default.both AS SELECT * FROM main.sales.orders JOIN dev.default.twice USING (id)"
    )
    assert rows(sql, "SELECT id, amount, twice FROM dev.default.both ORDER BY id") == [(1, 10.0, 20.0), (2, 20.0, 40.0)]
    with pytest.raises(AnalysisException, match=r"CATALOG_NOT_EMPTY"):
        sql.sql("DROP CATALOG dev")
    sql.sql("DROP CATALOG dev CASCADE")
    assert "dev" not in [name for (name,) in rows(sql, "SHOW CATALOGS")]


def test_a_stream_reads_and_writes_them_with_its_checkpoint_in_a_volume(sql: SparkSession) -> None:
    source = sql.readStream.table("main.sales.orders")
    checkpoint = "/Volumes/main/sales/landing/checkpoint"
    for expected in (2, 3):
        writer = source.writeStream.option("checkpointLocation", checkpoint).trigger(availableNow=True)
        assert writer.toTable("main.sales.copied").awaitTermination(60)
        assert sql.table("main.sales.copied").count() == expected
        sql.sql("INSERT INTO main.sales.orders VALUES (3, 30.0)")
    sql.sql("DELETE FROM main.sales.orders WHERE id = 3")


@pytest.mark.slow
def test_a_dropped_table_can_be_brought_back(sql: SparkSession) -> None:
    sql.sql("CREATE OR REPLACE TABLE fleeting AS SELECT 7 AS x")
    sql.sql("DROP TABLE main.sales.fleeting")
    assert "fleeting" in [row[2] for row in rows(sql, "SHOW TABLES DROPPED IN main.sales")]
    sql.sql("UNDROP TABLE main.sales.fleeting")
    assert rows(sql, "SELECT x FROM fleeting") == [(7,)]


@pytest.mark.slow
def test_the_files_of_a_dropped_table_go_after_seven_days(sql: SparkSession, monkeypatch) -> None:
    for name in ("kept_a_week", "brought_back"):
        sql.sql(f"CREATE OR REPLACE TABLE main.sales.{name} AS SELECT 7 AS x")
    places = {name: place_of(sql, name) for name in ("kept_a_week", "brought_back", "orders")}
    for name in ("kept_a_week", "brought_back"):
        sql.sql(f"DROP TABLE main.sales.{name}")
    sql.sql("UNDROP TABLE main.sales.brought_back")
    now = time.time_ns()
    for days, is_there in ((6, True), (8, False)):
        monkeypatch.setattr(time, "time_ns", lambda days=days: now + days * 86_400 * 10**9)
        statements.enable(sql, classroom_files())
        assert places["kept_a_week"].is_dir() is is_there
    assert "kept_a_week" not in [row[2] for row in rows(sql, "SHOW TABLES DROPPED IN main.sales")]
    assert places["brought_back"].is_dir() and places["orders"].is_dir()
    sql.sql("DROP TABLE main.sales.brought_back")


def place_of(spark: SparkSession, name: str) -> Path:
    location = spark.sql(f"DESCRIBE DETAIL main.sales.{name}").first().location
    return classroom_files().local_path(location)


@pytest.mark.slow
def test_a_managed_table_is_a_delta_table(sql: SparkSession) -> None:
    for make in (
        lambda: sql.sql("CREATE TABLE main.sales.flat USING parquet AS SELECT 1 AS x"),
        lambda: sql.sql("CREATE TABLE main.sales.flat (x INT) USING csv"),
        lambda: sql.range(1).write.format("parquet").saveAsTable("main.sales.flat"),
    ):
        with pytest.raises(AnalysisException, match=r"main\.sales\.flat would be (PARQUET|CSV)\. Leave out USING"):
            make()
    sql.range(3).write.mode("overwrite").parquet("/Volumes/main/sales/landing/flat")
    sql.sql("CREATE TABLE main.sales.flat USING parquet LOCATION '/Volumes/main/sales/landing/flat'")
    assert sql.table("flat").count() == 3
    sql.sql("DROP TABLE flat")


@pytest.mark.slow
def test_a_clone_has_a_name_in_its_catalog(sql: SparkSession) -> None:
    sql.sql("CREATE OR REPLACE TABLE main.sales.shallow SHALLOW CLONE main.sales.orders")
    sql.sql("CREATE OR REPLACE TABLE deep DEEP CLONE orders LOCATION 'dbfs:/mnt/deep'")
    assert sql.table("main.sales.shallow").count() == sql.table("main.sales.deep").count() == 2
    assert classroom_files().local_path("dbfs:/mnt/deep/_delta_log").is_dir()


@pytest.mark.slow
def test_a_function_is_called_by_its_full_and_its_short_name(sql: SparkSession) -> None:
    sql.sql("CREATE OR REPLACE FUNCTION main.sales.with_tax(x DOUBLE) RETURNS DOUBLE RETURN x * 1.5")
    assert rows(sql, "SELECT main.sales.with_tax(100D), with_tax(2D), upper('a')") == [(150.0, 3.0, "A")]
    assert rows(sql, "SHOW USER FUNCTIONS IN main.sales") == [("main.sales.with_tax",)]
    sql.sql("DROP FUNCTION main.sales.with_tax")
    with pytest.raises(AnalysisException, match=r"UNRESOLVED_ROUTINE"):
        sql.sql("SELECT main.sales.with_tax(1D)")


@pytest.mark.slow
def test_hive_metastore_is_the_sessions_own_catalog_from_any_other(sql: SparkSession) -> None:
    sql.sql("CREATE SCHEMA IF NOT EXISTS hive_metastore.old")
    sql.sql("CREATE OR REPLACE TABLE hive_metastore.old.t AS SELECT 1 AS x")
    assert rows(sql, "SELECT * FROM spark_catalog.old.t") == [(1,)]
    assert "old" not in [row[0] for row in rows(sql, "SHOW SCHEMAS IN main")]
    sql.sql("DROP SCHEMA hive_metastore.old CASCADE")


@pytest.mark.slow
def test_information_schema_lists_objects_columns_tags_and_grants(sql: SparkSession) -> None:
    sql.sql("ALTER TABLE main.sales.orders SET TAGS ('team' = 'sales')")
    sql.sql("GRANT SELECT ON TABLE main.sales.orders TO `analysts`")
    of = "FROM main.information_schema.{} WHERE table_name = 'orders'"
    assert rows(sql, f"SELECT table_schema, table_type {of.format('tables')}") == [("sales", "MANAGED")]
    named = f"SELECT column_name, full_data_type {of.format('columns')} ORDER BY ordinal_position"
    assert rows(sql, named) == [("id", "int"), ("amount", "double")]
    assert rows(sql, f"SELECT tag_name, tag_value {of.format('table_tags')}") == [("team", "sales")]
    assert rows(sql, f"SELECT grantee, privilege_type {of.format('table_privileges')}") == [("analysts", "SELECT")]


def test_grants_are_handed_down_revoked_and_their_words_checked(sql: SparkSession, capsys: Any) -> None:
    sql.sql("GRANT USE SCHEMA ON SCHEMA main.sales TO `data team`")
    sql.sql("GRANT SELECT, MODIFY ON TABLE main.sales.orders TO `writers`")
    shown = rows(sql, "SHOW GRANTS ON TABLE main.sales.orders")
    assert ("data team", "USE SCHEMA", "SCHEMA", "main.sales") in shown
    assert ("writers", "MODIFY", "TABLE", "main.sales.orders") in shown
    sql.sql("REVOKE MODIFY ON TABLE main.sales.orders FROM `writers`")
    assert [row[1] for row in rows(sql, "SHOW GRANTS `writers` ON TABLE main.sales.orders")] == ["SELECT"]
    with pytest.raises(AnalysisException, match=r"There is no privilege FLY"):
        sql.sql("GRANT FLY ON TABLE main.sales.orders TO `writers`")
    with pytest.raises(AnalysisException, match=r"nothing enforces them here"):
        sql.sql("ALTER TABLE main.sales.orders SET ROW FILTER f ON (id)")


@pytest.mark.slow
def test_volumes_are_created_listed_described_renamed_and_dropped(sql: SparkSession) -> None:
    sql.sql("CREATE VOLUME main.sales.papers COMMENT 'scans'")
    sql.sql("CREATE EXTERNAL VOLUME main.sales.outside LOCATION 'dbfs:/mnt/outside'")
    assert rows(sql, "SHOW VOLUMES IN main.sales LIKE 'p*'") == [("sales", "papers")]
    described = sql.sql("DESCRIBE VOLUME outside").first()
    assert (described.volume_type, described.storage_location) == ("EXTERNAL", "dbfs:/mnt/outside")
    kept = classroom_files().local_path("dbfs:/mnt/outside/kept.txt")
    kept.write_text("x")
    assert [row[1] for row in rows(sql, "LIST '/Volumes/main/sales/outside'")] == ["kept.txt"]
    sql.sql("ALTER VOLUME main.sales.papers RENAME TO main.sales.scans")
    for name in ("scans", "outside"):
        sql.sql(f"DROP VOLUME main.sales.{name}")
    assert kept.read_text() == "x"  # of an external volume only the link goes
    with pytest.raises(AnalysisException, match=r"An external volume needs a LOCATION"):
        sql.sql("CREATE EXTERNAL VOLUME main.sales.nowhere")
    with pytest.raises(ValueError, match=r"s3://bucket/key"):
        sql.sql("CREATE EXTERNAL VOLUME main.sales.nowhere LOCATION 's3://bucket/key'")
    assert ("sales", "nowhere") not in rows(sql, "SHOW VOLUMES IN main.sales")


def test_a_schema_takes_its_volumes_with_it(sql: SparkSession) -> None:
    sql.sql("CREATE SCHEMA main.gone")
    sql.sql("CREATE VOLUME main.gone.papers")
    sql.range(1).write.json("/Volumes/main/gone/papers/old")
    sql.sql("DROP SCHEMA main.gone CASCADE")
    sql.sql("CREATE SCHEMA main.gone")
    sql.sql("CREATE VOLUME main.gone.papers")
    assert list(classroom_files().local_path("/Volumes/main/gone/papers").iterdir()) == []
    sql.sql("DROP SCHEMA main.gone CASCADE")


def test_nothing_is_written_into_a_volume_that_does_not_exist(sql: SparkSession) -> None:
    from notebook_dialect.python_files import PythonFiles

    fs, files = FileSystemUtils(classroom_files()), PythonFiles(classroom_files())
    missing = "/Volumes/main/sales/nowhere"
    with pytest.raises(Exception, match=r"UC_VOLUME_NOT_FOUND.*main.sales.nowhere"):
        sql.range(1).write.parquet(f"{missing}/x")
    with pytest.raises(Exception, match=r"The volume 'main.sales.nowhere' does not exist. Create it first"):
        fs.put(f"{missing}/a.txt", "x")
    files.install()
    try:
        with pytest.raises(VolumeNotFound, match=r"CREATE VOLUME main.sales.nowhere"):
            Path(f"{missing}/x").mkdir(parents=True)
        with pytest.raises(VolumeNotFound, match=r"/Volumes/main is not in a volume"):
            Path("/Volumes/main").mkdir()
        Path("/Volumes/main/sales/landing/by_python/x").mkdir(parents=True)
    finally:
        files.uninstall()
    assert [found.name for found in fs.ls("/Volumes/main/sales/landing/by_python")] == ["x/"]
    assert not classroom_files().local_path(missing).exists()


@pytest.mark.slow
def test_another_kernel_finds_tables_functions_grants_and_volumes(sql: SparkSession, run_python) -> None:
    sql.sql("CREATE OR REPLACE FUNCTION main.sales.twice(x INT) RETURNS INT RETURN 2 * x")
    sql.sql("GRANT SELECT ON TABLE main.sales.orders TO `readers`")
    done = run_python(
        """if True:
        from streaming_classroom import set_up_notebook
        names = {}
        set_up_notebook(names)
        spark = names["spark"]
        print(spark.sql("SELECT main.sales.twice(21)").first()[0], spark.table("main.sales.orders").count())
        print(spark.sql("SHOW GRANTS `readers` ON TABLE main.sales.orders").first().ActionType)
        print([row.volume_name for row in spark.sql("SHOW VOLUMES IN main.sales").collect()])
        """,
        CLASSROOM_HOME=os.environ["CLASSROOM_HOME"],
    )
    assert done.stdout.splitlines()[-3:] == ["42 2", "SELECT", "['landing']"], done.stderr[-2000:]


@pytest.fixture
def store(tmp_path: Path) -> CatalogStore:
    store = CatalogStore(tmp_path / "catalogs")
    store.create("CATALOG", ["main"])
    store.create("SCHEMA", ["main", "sales"])
    return store


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "a\\b"])
def test_a_name_leads_to_no_other_folder(store: CatalogStore, name: str) -> None:
    for parts in (["main", "sales", name], ["main", name, "t"], [name, "sales", "t"]):
        with pytest.raises(CatalogError, match=r"is not the name of a table"):
            store.create("TABLE", parts)


def test_undrop_brings_the_table_back_that_was_dropped_last(store: CatalogStore) -> None:
    name = ["main", "sales", "orders"]
    dropped = store.file("SCHEMA", name[:2]).parent / "dropped"
    dropped.mkdir()
    for when in (5, 40):
        (dropped / f"orders.{when}.json").write_text(json.dumps({"location": f"at {when}"}))
    store.undrop(name)
    assert store.read("TABLE", name) == {"location": "at 40"}
    assert store.dropped_tables(name[:2]) == [("orders", 5)]
    with pytest.raises(CatalogError, match=r"TABLE_OR_VIEW_ALREADY_EXISTS"):
        store.undrop(name)
