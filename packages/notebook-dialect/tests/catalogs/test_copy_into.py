"""``COPY INTO`` a Delta table: each file once, also after a statement that was killed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from notebook_dialect.catalogs import copy_into
from streaming_classroom.files.directories import classroom_files

COPY = """COPY INTO main.sales.copied_files FROM '/Volumes/main/sales/landing/files' FILEFORMAT = CSV
FORMAT_OPTIONS ('header' = 'true', 'inferSchema' = 'true')"""


@pytest.fixture
def folder(sql: SparkSession) -> Iterator[Path]:
    """Give the source, with two files of one row each, and an empty table."""
    folder = classroom_files().local_path("/Volumes/main/sales/landing/files")
    (folder / "more").mkdir(parents=True)
    (folder / "a.csv").write_text("id,name\n1,a\n")
    (folder / "more" / "b.csv").write_text("id,name\n2,b\n")
    (folder / "_ignored.csv").write_text("id,name\n9,z\n")
    sql.sql("DROP TABLE IF EXISTS main.sales.copied_files")
    sql.sql("CREATE TABLE main.sales.copied_files (id INT, name STRING)")
    yield folder
    shutil.rmtree(folder)


def counts(spark: SparkSession, statement: str = COPY) -> tuple:
    return tuple(spark.sql(statement).first())


def ids(spark: SparkSession) -> list[int]:
    return sorted(row.id for row in spark.table("main.sales.copied_files").collect())


def log_of(spark: SparkSession) -> Path:
    location = spark.sql("DESCRIBE DETAIL main.sales.copied_files").first().location
    return classroom_files().local_path(location) / copy_into.LOG


def test_a_file_is_copied_once_also_when_it_has_changed(sql: SparkSession, folder: Path) -> None:
    assert counts(sql) == (2, 2, 0)
    (folder / "a.csv").write_text("id,name\n7,changed\n")
    assert counts(sql) == (0, 0, 0)
    (folder / "c.csv").write_text("id,name\n3,c\n")
    assert counts(sql) == (1, 1, 0)
    assert ids(sql) == [1, 2, 3]
    assert counts(sql, f"{COPY} COPY_OPTIONS ('force' = 'true')") == (3, 3, 0)


@pytest.mark.slow
def test_files_a_pattern_and_a_select_choose_what_is_copied(sql: SparkSession, folder: Path) -> None:
    assert counts(sql, f"{COPY} FILES = ('more/b.csv')") == (1, 1, 0)
    assert counts(sql, f"{COPY} PATTERN = '*.csv'") == (1, 1, 0)  # a star crosses no folder
    chosen = COPY.replace("FROM '", "FROM (SELECT id + 10 AS id, name FROM '").replace("files' F", "files') F")
    assert counts(sql, f"{chosen} COPY_OPTIONS ('force' = 'true')") == (2, 2, 0)
    assert ids(sql) == [1, 2, 11, 12]
    with pytest.raises(AnalysisException, match=r"PATH_NOT_FOUND.*missing.csv is not in"):
        sql.sql(f"{COPY} FILES = ('missing.csv')")


@pytest.mark.slow
def test_validate_shows_rows_and_writes_none(sql: SparkSession, folder: Path) -> None:
    assert sql.sql(COPY.replace("CSV\n", "CSV VALIDATE 1 ROWS ")).count() == 1
    assert ids(sql) == []


@pytest.mark.slow
def test_merge_schema_adds_columns(sql: SparkSession, folder: Path) -> None:
    (folder / "a.csv").write_text("id,name,city\n1,a,Rome\n")
    shutil.rmtree(folder / "more")
    assert counts(sql, f"{COPY} COPY_OPTIONS ('mergeSchema' = 'true')") == (1, 1, 0)
    assert sql.table("main.sales.copied_files").columns == ["id", "name", "city"]


def test_a_statement_killed_before_its_commit_is_made_up_for(sql: SparkSession, folder: Path) -> None:
    log = log_of(sql)
    log.mkdir()
    (log / "1.json").write_text(json.dumps(["dbfs:/Volumes/main/sales/landing/files/a.csv"]))  # logged, not committed
    assert counts(sql) == (2, 2, 0)
    assert ids(sql) == [1, 2]


@pytest.mark.slow
def test_a_statement_killed_after_its_commit_copies_nothing_again(sql: SparkSession, folder: Path, monkeypatch) -> None:
    last, asked = copy_into._last_commit, []

    def killed(catalogs, table):
        asked.append(table)
        if len(asked) == 2:  # the second look is after the commit
            raise KeyboardInterrupt
        return last(catalogs, table)

    monkeypatch.setattr(copy_into, "_last_commit", killed)
    with pytest.raises(KeyboardInterrupt):
        sql.sql(COPY)
    monkeypatch.undo()
    assert counts(sql) == (0, 0, 0)
    assert ids(sql) == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("file_format", ["AVRO", "JSON", "ORC", "PARQUET", "TEXT", "XML"])
def test_every_format_is_copied(sql: SparkSession, folder: Path, file_format: str) -> None:
    rows = sql.createDataFrame([(5, "e"), (6, "f")], "id INT, name STRING")
    rows = rows.selectExpr("concat(id, name) AS value") if file_format == "TEXT" else rows
    options = {"rowTag": "row"} if file_format == "XML" else {}
    rows.write.format(file_format.lower()).options(**options).save("/Volumes/main/sales/landing/files/typed")
    columns = "int(left(value, 1)) AS id, right(value, 1) AS name" if file_format == "TEXT" else "int(id) AS id, name"
    statement = f"""COPY INTO main.sales.copied_files FROM (SELECT {columns}
    FROM '/Volumes/main/sales/landing/files/typed') FILEFORMAT = {file_format}"""
    statement += " FORMAT_OPTIONS ('rowTag' = 'row')" if options else ""
    assert counts(sql, statement) == (2, 2, 0)
    assert counts(sql, statement) == (0, 0, 0)
    assert ids(sql) == [5, 6]


@pytest.mark.slow
def test_a_corrupt_file_ends_the_statement_or_is_left_out_and_counted(sql: SparkSession, folder: Path) -> None:
    places = folder / "parts"
    sql.createDataFrame([(8, "h")], "id INT, name STRING").coalesce(1).write.parquet(f"file:{places}")
    (places / "broken.parquet").write_bytes(b"this is no parquet file")
    statement = """COPY INTO main.sales.copied_files FROM '/Volumes/main/sales/landing/files/parts'
    FILEFORMAT = PARQUET"""
    with pytest.raises(AnalysisException, match=r"broken\.parquet cannot be read as PARQUET. Repair it, or leave"):
        counts(sql, statement)
    assert ids(sql) == []
    assert counts(sql, f"{statement} FORMAT_OPTIONS ('ignoreCorruptFiles' = 'true')") == (1, 1, 1)
    sql.createDataFrame([(9, "i")], "id INT, name STRING").coalesce(1).write.parquet(f"file:{folder}/repaired")
    next((folder / "repaired").glob("part-*")).replace(places / "broken.parquet")
    assert counts(sql, statement) == (1, 1, 0)
    assert ids(sql) == [8, 9]
