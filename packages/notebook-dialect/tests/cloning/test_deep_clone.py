"""``DEEP CLONE`` in real Spark with real Delta: copies that stand alone, and no file of others touched."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from notebook_dialect.cloning import delta_copy
from notebook_dialect.cloning.deep_clone import CloneTarget
from notebook_dialect.session import spark_methods
from streaming_base.errors import BadSql

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def _template(_session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Have a schema, and the files of a Delta table that each test begins with: two versions, two files, six rows."""
    spark_methods.install()
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


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Return a table's files and what changes when one is written again."""
    found = (
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".") and "_delta_log" not in path.parts
    )
    return {str(path.relative_to(folder)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in found}


def test_a_copy_stands_alone(sql: SparkSession, tmp_path: Path) -> None:
    sql.sql("ALTER TABLE s SET TBLPROPERTIES ('delta.enableDeletionVectors' = true, mine = 'x')")
    sql.sql("ALTER TABLE s ALTER COLUMN id COMMENT 'the id'")
    sql.sql("ALTER TABLE s ADD CONSTRAINT small CHECK (id < 100)")
    sql.sql("DELETE FROM s WHERE id = 1")
    before = rows(sql, "s")
    result = sql.sql(f"CREATE TABLE c DEEP CLONE s {at(tmp_path / 'c')}").first().asDict()
    size = sum(path.stat().st_size for path in (tmp_path / "s").rglob("*.parquet") if "_delta_log" not in path.parts)
    assert result == {
        "source_table_size": size, "source_num_of_files": 2, "num_removed_files": 0,
        "num_copied_files": 2, "removed_files_size": 0, "copied_files_size": size,
    }  # fmt: skip
    assert files(tmp_path / "c").keys() == files(tmp_path / "s").keys()
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
    assert str(tmp_path / "s") not in "".join(path.read_text() for path in (tmp_path / "c/_delta_log").glob("*.json"))


def test_its_history_says_what_happened(sql: SparkSession) -> None:
    sql.sql("CREATE TABLE c CLONE s")
    sql.sql("CREATE OR REPLACE TABLE c DEEP CLONE s VERSION AS OF 0")
    later, first = sql.sql("DESCRIBE HISTORY c").collect()
    assert (first.operation, later.operation) == ("CLONE", "CLONE")
    assert first.operationParameters == {"source": "spark_catalog.clones.s", "sourceVersion": "1"}
    assert later.operationParameters["sourceVersion"] == "0"
    counts = [
        (entry.operationMetrics["numCopiedFiles"], entry.operationMetrics["numRemovedFiles"])
        for entry in (first, later)
    ]
    assert counts == [("2", "0"), ("0", "1")]


def test_a_managed_copy_is_the_catalogs_own(sql: SparkSession) -> None:
    sql.sql("CREATE TABLE c DEEP CLONE s")
    [location] = sql.sql("DESCRIBE DETAIL c").select("location").first()
    assert {table.name: table.tableType for table in sql.catalog.listTables()} == {"s": "EXTERNAL", "c": "MANAGED"}
    sql.sql("DROP TABLE c")
    path = sql._jvm.org.apache.hadoop.fs.Path(location)
    assert not path.getFileSystem(sql._jsparkSession.sessionState().newHadoopConf()).exists(path)
    assert len(rows(sql, "s")) == 6


def test_what_is_there_is_not_copied_again_and_what_is_gone_goes(sql: SparkSession, tmp_path: Path) -> None:
    again = f"CREATE OR REPLACE TABLE c DEEP CLONE s {at(tmp_path / 'c')}"
    sql.sql(again)
    first = files(tmp_path / "c")
    sql.sql("INSERT INTO s VALUES (7, 'new')")
    sql.sql("DELETE FROM s WHERE part = 'c'")
    result = sql.sql(again).first()
    assert (result.num_copied_files, result.num_removed_files, result.source_num_of_files) == (1, 1, 2)
    assert rows(sql, "c") == rows(sql, "s") and (7, "new") in rows(sql, "c")
    second = files(tmp_path / "c")
    assert {name: second[name] for name in first} == first and len(second) == 3
    assert sql.sql(again).first().num_copied_files == 0
    assert files(tmp_path / "c") == second
    assert sql.table("c@v0").count() == 6  # as it was


def test_rows_that_are_deleted_in_place_are_deleted_in_the_copy(sql: SparkSession, tmp_path: Path) -> None:
    sql.sql("ALTER TABLE s SET TBLPROPERTIES ('delta.enableDeletionVectors' = true)")
    sql.sql("CREATE TABLE c DEEP CLONE s")
    sql.sql("DELETE FROM s WHERE id = 1")
    assert list((tmp_path / "s").rglob("deletion_vector*"))
    assert sql.sql("CREATE OR REPLACE TABLE c DEEP CLONE s").first().num_copied_files == 0
    assert rows(sql, "c") == rows(sql, "s") and len(rows(sql, "c")) == 4
    sql.sql("DELETE FROM c WHERE id = 2")
    assert (len(rows(sql, "c")), len(rows(sql, "s"))) == (2, 4)


@pytest.mark.parametrize("kind", [pytest.param("FULL", marks=pytest.mark.slow), "LITE"])
def test_vacuum_of_either_leaves_the_files_of_the_other(sql: SparkSession, tmp_path: Path, kind: str) -> None:
    sql.sql(f"CREATE TABLE shallow SHALLOW CLONE s {at(tmp_path / 'c')}")
    sql.sql("DELETE FROM shallow")
    sql.sql("CREATE OR REPLACE TABLE shallow DEEP CLONE s")
    sql.sql("DELETE FROM shallow WHERE part = 'c'")
    source = files(tmp_path / "s")
    sql.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    try:
        sql.sql(f"VACUUM shallow {kind} RETAIN 0 HOURS")
        assert files(tmp_path / "s") == source
        assert len(files(tmp_path / "c")) == 1
        sql.sql("DELETE FROM s")
        sql.sql(f"VACUUM s {kind} RETAIN 0 HOURS")
    finally:
        sql.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
    assert files(tmp_path / "s") == {}
    assert len(rows(sql, "shallow")) == 3


def test_a_path_a_version_and_properties_are_taken(sql: SparkSession, tmp_path: Path) -> None:
    source, target = f"delta.`{(tmp_path / 's').as_uri()}`", f"delta.`{(tmp_path / 'c').as_uri()}`"
    statement = f"CREATE TABLE {target} DEEP CLONE {source} VERSION AS OF 0 TBLPROPERTIES (mine = 'y')"
    assert sql.sql(statement).first().num_copied_files == 1
    assert len(rows(sql, target)) == 3
    assert sql.sql(f"DESCRIBE DETAIL {target}").first().properties["mine"] == "y"
    assert (
        sql.sql(f"CREATE OR REPLACE TABLE {target} DEEP CLONE hive_metastore.clones.s@v1").first().num_copied_files == 1
    )
    assert sql.sql(f"CREATE TABLE IF NOT EXISTS {target} DEEP CLONE s@v0").columns[0] == "source_table_size"
    assert len(rows(sql, target)) == 6


def test_columns_that_are_mapped_and_clustered_are_copied(sql: SparkSession) -> None:
    properties = "'delta.columnMapping.mode' = 'name', 'delta.enableRowTracking' = true"
    sql.sql(f"CREATE TABLE mapped (id INT, `a b` STRING) CLUSTER BY (id) TBLPROPERTIES ({properties})")
    sql.sql("INSERT INTO mapped VALUES (1, 'x')")
    sql.sql("CREATE TABLE c DEEP CLONE mapped")
    sql.sql("ALTER TABLE mapped RENAME COLUMN `a b` TO ab")
    sql.sql("INSERT INTO mapped VALUES (2, 'y')")
    assert sql.sql("CREATE OR REPLACE TABLE c DEEP CLONE mapped").first().num_copied_files == 1
    assert sql.table("c").columns == ["id", "ab"]
    sql.sql("UPDATE c SET ab = 'z' WHERE id = 2")
    assert (rows(sql, "c"), rows(sql, "mapped")) == ([(1, "x"), (2, "z")], [(1, "x"), (2, "y")])
    assert sql.sql("DESCRIBE DETAIL c").first().clusteringColumns == ["id"]


def test_a_shallow_clone_is_copied_with_the_files_that_it_reads(sql: SparkSession, tmp_path: Path) -> None:
    sql.sql("ALTER TABLE s SET TBLPROPERTIES ('delta.enableDeletionVectors' = true)")
    sql.sql("DELETE FROM s WHERE id = 1")
    sql.sql("CREATE TABLE shallow SHALLOW CLONE s")
    sql.sql(f"CREATE TABLE c DEEP CLONE shallow {at(tmp_path / 'c')}")
    assert sql.sql("CREATE OR REPLACE TABLE c DEEP CLONE shallow").first().num_copied_files == 0
    for table in ("shallow", "s"):
        sql.sql(f"DROP TABLE {table}")
    shutil.rmtree(tmp_path / "s")
    sql.catalog.refreshTable("c")
    assert len(rows(sql, "c")) == 4


def test_how_far_streams_have_written_is_copied(sql: SparkSession, tmp_path: Path) -> None:
    stream = sql.readStream.table("s").writeStream.trigger(availableNow=True)
    stream.option("checkpointLocation", (tmp_path / "checkpoint").as_uri()).toTable("streamed").awaitTermination(60)
    sql.sql(f"CREATE TABLE c DEEP CLONE streamed {at(tmp_path / 'c')}")
    # The batch is written once more, as after a crash; the copy knows that it has it.
    shutil.rmtree(tmp_path / "checkpoint/commits")
    again = sql.readStream.table("s").writeStream.trigger(availableNow=True)
    again.option("checkpointLocation", (tmp_path / "checkpoint").as_uri()).toTable("c").awaitTermination(60)
    assert sql.table("c").count() == 6


# What is refused, without a file written


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("CREATE TABLE s DEEP CLONE s", "already exists"),
        ("REPLACE TABLE c DEEP CLONE s", "cannot be replaced as it does not exist"),
        ("CREATE TABLE nowhere.c DEEP CLONE s", "schema .*`nowhere` cannot be found"),
        ("CREATE TABLE c\n  DEEP CLONE nothing", "`nothing` cannot be found.*line 2 pos 13"),
        ("CREATE TABLE c DEEP CLONE s VERSION AS OF 9", "Cannot time travel Delta table to version 9"),
    ],
)
def test_tables_that_are_there_or_not_are_sparks_own_errors(sql: SparkSession, statement: str, says: str) -> None:
    with pytest.raises(AnalysisException, match=f"(?s){says}") as caught:
        sql.sql(statement)
    assert "SHALLOW" not in str(caught.value)
    assert [table.name for table in sql.catalog.listTables()] == ["s"]


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("CREATE TABLE c DEEP CLONE plain", "no Delta table. Write CREATE TABLE ... AS SELECT"),
        ("CREATE TABLE c DEEP CLONE seen", "no Delta table. Write CREATE TABLE ... AS SELECT"),
        ("CREATE OR REPLACE TABLE plain DEEP CLONE s", "plain is there and is no Delta table"),
        ("CREATE TABLE c DEEP CLONE s LOCATION '{here}/s/below'", "one is within the other"),
        ("CREATE TABLE c DEEP CLONE s LOCATION '{here}'", "one is within the other"),
        ("CREATE TABLE c DEEP CLONE s LOCATION '{here}/s'", "one is within the other"),
        ("CREATE TABLE c DEEP CLONE s LOCATION '{here}/used'", "there are files in it, such as .*/mine.txt"),
        ("CREATE TABLE c DEEP CLONE s LOCATION '{here}/other'", "has another Delta table in it"),
        ("CREATE OR REPLACE TABLE other DEEP CLONE s LOCATION '{here}/new'", "other is at .*LOCATION says"),
        ("CREATE TABLE c DEEP CLONE s LOCATION 'relative'", "relative is no absolute path"),
        ("CREATE TABLE c DEEP CLONE s VERSION", "It is written CREATE .OR REPLACE. TABLE"),
    ],
)
def test_a_place_that_is_taken_is_refused(sql: SparkSession, tmp_path: Path, statement: str, says: str) -> None:
    sql.sql("CREATE TABLE plain (id INT) USING parquet")
    sql.sql("CREATE TEMP VIEW seen AS SELECT * FROM s")
    sql.sql(f"CREATE TABLE other (id INT) {at(tmp_path / 'other')}")
    (tmp_path / "used").mkdir()
    (tmp_path / "used/mine.txt").write_text("mine")
    before = files(tmp_path)
    with pytest.raises(BadSql, match=says):
        sql.sql(statement.format(here=tmp_path.as_uri()))
    assert files(tmp_path) == before


def test_a_log_that_names_files_elsewhere_writes_nothing_there(sql: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    [file] = (tmp_path / "s/part=c").glob("*.parquet")
    (tmp_path / "outside" / file.name).write_bytes(file.read_bytes())
    log = tmp_path / "s/_delta_log/00000000000000000001.json"
    log.write_text(log.read_text().replace(f"part=c/{file.name}", f"../outside/{file.name}"))
    (tmp_path / "s/_delta_log/.00000000000000000001.json.crc").unlink()
    (tmp_path / "s/_delta_log/00000000000000000001.crc").unlink()
    sql.sql("DROP TABLE s")
    moved = (tmp_path / "s").rename(tmp_path / "t")
    (tmp_path / "copies").mkdir()
    before = files(tmp_path)
    with pytest.raises(BadSql, match="outside of the copy's directory"):
        sql.sql(f"CREATE TABLE delta.`{(tmp_path / 'copies/c').as_uri()}` DEEP CLONE delta.`{moved.as_uri()}`")
    assert files(tmp_path) == before


# Interruptions


def test_a_copy_that_was_interrupted_goes_on(
    sql: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = f"CREATE TABLE c DEEP CLONE s {at(tmp_path / 'c')}"
    original, calls = delta_copy._copy_file, []

    def fail_on_the_second(*arguments: object) -> bool:
        calls.append(arguments)
        if len(calls) == 2:
            (tmp_path / "c/part=c").mkdir(parents=True, exist_ok=True)
            [name] = {path.name for path in (tmp_path / "s/part=c").glob("*.parquet")} or {""}
            (tmp_path / "c/part=c" / f"{name}{delta_copy.UNFINISHED}").write_bytes(b"half")
            raise OSError("the disk is full")
        return original(*arguments)

    with monkeypatch.context() as patch, pytest.raises(OSError, match="the disk is full"):
        patch.setattr(delta_copy, "_copy_file", fail_on_the_second)
        sql.sql(statement)
    assert not sql.catalog.tableExists("clones.c")
    whole = {name: state for name, state in files(tmp_path / "c").items() if name.endswith(".parquet")}
    assert len(whole) == 1
    assert sql.sql(statement).first().num_copied_files == 1
    assert whole.items() <= files(tmp_path / "c").items()
    assert rows(sql, "c") == rows(sql, "s")


def test_a_copy_that_the_catalog_does_not_know_yet_is_made_known(
    sql: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(CloneTarget, "register", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        sql.sql("CREATE TABLE IF NOT EXISTS c DEEP CLONE s")
    assert not sql.catalog.tableExists("clones.c")
    assert sql.sql("CREATE TABLE IF NOT EXISTS c DEEP CLONE s").first().num_copied_files == 0
    assert rows(sql, "c") == rows(sql, "s")


# The statement
