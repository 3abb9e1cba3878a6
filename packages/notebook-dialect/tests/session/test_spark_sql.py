"""``spark.sql`` and ``%sql`` with what only Databricks' SQL has, in real Spark with real Delta."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

from notebook_dialect.sql import spark_sql
from streaming_base.errors import NoJson


@pytest.fixture(scope="module")
def _tables(_session: SparkSession) -> Iterator[None]:
    """Have a schema with a Delta table ``t`` of three versions and one ``raw`` of JSON text, once for all tests."""
    spark_sql.install()
    for statement in (
        "CREATE SCHEMA forms",
        "CREATE TABLE forms.t (id INT)",
        "INSERT INTO forms.t VALUES (1)",
        "INSERT INTO forms.t VALUES (2)",
        "CREATE TABLE forms.raw (raw STRING, v VARIANT, s STRUCT<a: INT>)",
        """INSERT INTO forms.raw
        SELECT '{"a": {"b": [1, 2]}, "c d": 3}', parse_json('{"a": 5}'), named_struct('a', 7)""",
    ):
        _session.sql(statement)
    yield
    _session.sql("DROP SCHEMA forms CASCADE")


@pytest.fixture
def sql(spark: SparkSession, _tables: None) -> SparkSession:
    """Give a session that understands it, in the schema with the tables."""
    spark.sql("USE forms")
    return spark


def values(spark: SparkSession, statement: str) -> list[tuple]:
    return [tuple(row) for row in spark.sql(statement).collect()]


# hive_metastore


@pytest.mark.slow
def test_use_catalog_makes_its_default_schema_the_current_one(sql: SparkSession) -> None:
    sql.sql("USE CATALOG hive_metastore")
    assert values(sql, "SELECT current_catalog(), current_schema()") == [("spark_catalog", "default")]
    sql.sql("USE hive_metastore.forms")
    assert values(sql, "SELECT current_schema()") == [("forms",)]
    sql.sql("USE SCHEMA hive_metastore.default")
    assert values(sql, "SELECT current_schema()") == [("default",)]


@pytest.mark.slow
def test_names_of_three_parts_are_understood_in_statements(sql: SparkSession) -> None:
    for statement in (
        "CREATE SCHEMA IF NOT EXISTS hive_metastore.forms",
        "CREATE TABLE hive_metastore.forms.copy AS SELECT * FROM hive_metastore.forms.t",
        "INSERT INTO hive_metastore.forms.copy VALUES (9)",
        "UPDATE hive_metastore.forms.copy SET id = 10 WHERE id = 9",
        "MERGE INTO hive_metastore.forms.copy c USING forms.t t ON c.id = t.id WHEN MATCHED THEN DELETE",
        "CREATE VIEW hive_metastore.forms.ids AS SELECT copy.id FROM hive_metastore.forms.copy",
        "DESCRIBE HISTORY hive_metastore.forms.copy",
        "OPTIMIZE hive_metastore.forms.copy",
        "ALTER TABLE hive_metastore.forms.copy SET TBLPROPERTIES (a = 'b')",
    ):
        sql.sql(statement)
    assert values(sql, "SELECT * FROM hive_metastore.forms.ids") == [(10,)]
    assert ("forms", "copy", False) in values(sql, "SHOW TABLES IN hive_metastore.forms")


@pytest.mark.slow
def test_names_of_three_parts_are_understood_by_readers_and_writers(sql: SparkSession, tmp_path) -> None:
    sql.range(2).write.saveAsTable("hive_metastore.forms.written")
    sql.range(2).write.insertInto("hive_metastore.forms.written")
    assert sql.table("hive_metastore.forms.written").count() == 4
    assert sql.read.table("hive_metastore.forms.written").count() == 4
    stream = sql.readStream.table("hive_metastore.forms.written").writeStream.trigger(availableNow=True)
    stream.option("checkpointLocation", tmp_path.as_uri()).toTable("hive_metastore.forms.streamed").awaitTermination(60)
    assert sql.table("streamed").count() == 4


# t@v1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["t@v1", "forms.t@v1", "`t`@v1", "`t@v1`", "forms.`t@v1`", "hive_metastore.forms.t@v1"]
)
def test_a_version_behind_a_name_is_read(sql: SparkSession, name: str) -> None:
    assert values(sql, f"SELECT * FROM {name}") == [(1,)]
    assert [tuple(row) for row in sql.table(name).collect()] == [(1,)]
    assert [tuple(row) for row in sql.read.table(name).collect()] == [(1,)]


@pytest.mark.slow
def test_a_time_behind_a_name_is_read(sql: SparkSession) -> None:
    history = sql.sql("DESCRIBE HISTORY t").where("version = 1")
    [behind] = history.selectExpr("date_format(timestamp, 'yyyyMMddHHmmssSSS')").first()
    assert values(sql, f"SELECT * FROM t@{behind}") == [(1,)]
    assert sql.table(f"t@{behind}").count() == 1


@pytest.mark.slow
def test_versions_are_understood_wherever_a_table_stands(sql: SparkSession) -> None:
    assert values(sql, "SELECT a.id FROM t@v2 a LEFT ANTI JOIN t@v1 b ON a.id = b.id") == [(2,)]
    assert values(sql, "WITH before AS (SELECT * FROM t@v1) SELECT count(*) FROM before") == [(1,)]
    sql.sql("CREATE TABLE older AS SELECT * FROM t@v1")
    sql.sql("MERGE INTO older USING t@v2 AS t ON older.id = t.id WHEN NOT MATCHED THEN INSERT *")
    sql.sql("CREATE VIEW of_version_1 AS SELECT * FROM t@v1")
    assert values(sql, "SELECT (SELECT count(*) FROM older), (SELECT count(*) FROM of_version_1)") == [(2, 1)]


def test_a_version_that_is_not_there_is_deltas_own_error(sql: SparkSession) -> None:
    for read in (lambda: sql.sql("SELECT * FROM t@v9"), lambda: sql.table("t@v9")):
        with pytest.raises(AnalysisException, match="Cannot time travel Delta table to version 9"):
            read()


# raw:field


@pytest.mark.slow
def test_fields_of_json_text_are_read(sql: SparkSession) -> None:
    frame = sql.sql(
        "SELECT raw:a.b[0], raw:['c d']::int, raw.raw:a.b AS list, raw:nothing FROM raw WHERE raw:a IS NOT NULL"
    )
    assert frame.columns == ["b", "c d", "list", "nothing"]
    assert [tuple(row) for row in frame.collect()] == [("1", 3, "[1,2]", None)]


def test_a_variant_keeps_sparks_own_meaning_beside_json_text(sql: SparkSession) -> None:
    frame = sql.sql("SELECT v:a, raw:a.b[1]::int + v:a::int AS sum FROM raw")
    assert frame.schema["a"].dataType.simpleString() == "variant"
    assert frame.first()["sum"] == 7


@pytest.mark.slow
def test_fields_are_understood_wherever_an_expression_stands(sql: SparkSession) -> None:
    sql.sql("CREATE TABLE made AS WITH x AS (SELECT raw:a.b[0]::int FROM raw) SELECT * FROM x")
    sql.sql("CREATE VIEW seen AS SELECT raw:a.b[0] FROM raw")
    sql.sql("MERGE INTO made USING raw ON made.b = raw.raw:a.b[0]::int WHEN MATCHED THEN UPDATE SET b = raw:`c d`::int")
    assert values(sql, "SELECT made.b, seen.b FROM made, seen") == [(3, "1")]


def test_the_columns_of_a_struct_are_not_json(sql: SparkSession) -> None:
    with pytest.raises(NoJson, match=r"s:a reads a field .* s has the type STRUCT<a: INT>.* s\.field"):
        sql.sql("SELECT raw:a, s:a FROM raw")


@pytest.mark.slow
def test_fields_of_a_streaming_view_are_read(sql: SparkSession) -> None:
    sql.readStream.table("raw").createOrReplaceTempView("stream_vw")
    frame = sql.sql("CREATE OR REPLACE TEMP VIEW parsed AS SELECT raw:a.b[0]::int AS b FROM stream_vw")
    frame = sql.sql("SELECT b, count(*) AS n FROM parsed GROUP BY b")
    query = frame.writeStream.format("memory").queryName("fields").outputMode("complete").start()
    query.processAllAvailable()
    assert values(sql, "SELECT * FROM fields") == [(1, 1)]


# What Spark understands, and what it refuses for another reason


def test_what_spark_understands_is_given_to_it_as_it_is(sql: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notebook_dialect.sql.databricks_sql.tokens_of", lambda _: pytest.fail("it was looked at"))
    text = "SELECT v:a::int, 'raw:a t@v1 hive_metastore.x.y' FROM raw -- raw:a"
    assert values(sql, text) == [(5, "raw:a t@v1 hive_metastore.x.y")]


def test_another_error_is_about_the_text_that_was_written(sql: SparkSession) -> None:
    text = "SELECT raw:a,\n  raw:a.b[0]::int + nope\nFROM hive_metastore.forms.raw"
    with pytest.raises(AnalysisException, match=r"`nope` cannot be resolved.*line 2 pos 20"):
        sql.sql(text)
    with pytest.raises(ParseException) as caught:
        sql.sql("SELECT * FROM t@v1 WHER x")
    assert "(line 1, pos 24)" in str(caught.value)
    assert "SELECT * FROM t@v1 WHER x\n------------------------^^^\n" in str(caught.value)


@pytest.mark.slow
def test_no_part_of_a_script_is_run_twice(sql: SparkSession) -> None:
    sql.sql("CREATE TABLE filled (id INT)")
    with pytest.raises(Exception, match="COLUMN_IS_NOT_VARIANT"):
        sql.sql("BEGIN INSERT INTO filled VALUES (3); SELECT raw:a FROM raw; END").collect()
    assert sql.table("filled").count() == 1


def test_a_cell_marks_the_place_of_an_error_in_what_it_says(notebook) -> None:
    notebook.ok("spark.sql('CREATE OR REPLACE TABLE marked (raw STRING)')")
    error = notebook.run("%sql\nSELECT raw:a,\n  upper(raw:b) + nope\nFROM marked@v0").error
    assert error.splitlines()[:2] == ["line 3:   upper(raw:b) + nope", "                         ^"]
    assert "get_json_object" not in error and "VERSION" not in error
    notebook.ok("%sql DROP TABLE marked")


@pytest.mark.slow
def test_a_thread_without_an_active_session_makes_the_table_of_a_stream(sql: SparkSession, tmp_path) -> None:
    def make() -> None:
        writer = sql.readStream.table("t").writeStream.trigger(availableNow=True)
        writer.option("checkpointLocation", str(tmp_path)).toTable("by_thread").awaitTermination()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(make).result()
    assert sql.table("by_thread").count() == sql.table("t").count()
