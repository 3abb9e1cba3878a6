"""Every patched method of Spark keeps its signature: positional and keyword calls, in any order of installation."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrameReader, DataFrameWriter, SparkSession
from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

import declarative_pipelines

PATCHED = {
    SparkSession: ("sql", "table"),
    DataFrameReader: ("table", "option", "options"),
    DataFrameWriter: ("saveAsTable", "insertInto", "option", "options"),
    DataStreamReader: ("format", "schema", "option", "options", "name", "load", "table"),
    DataStreamWriter: ("format", "start", "toTable", "option", "options"),
}
METHODS = [pytest.param(kind, name, id=f"{kind.__name__}.{name}") for kind, names in PATCHED.items() for name in names]


@pytest.fixture
def patched(spark: SparkSession) -> SparkSession:
    """Have a session with everything installed: dialect, Auto Loader, console, Kafka's redirection and pipelines."""
    from notebook_dialect.session import spark_methods
    from stream_view import console

    spark_methods.install()
    console.install()
    declarative_pipelines.install()
    return spark


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_a_signature_is_the_originals(patched: SparkSession, kind: type, name: str) -> None:
    now = getattr(kind, name)
    original = inspect.unwrap(now)
    assert now is not original, "this one is not patched any more"
    assert inspect.signature(now) == inspect.signature(original)


def test_installing_again_changes_nothing(patched: SparkSession) -> None:
    before = {(kind, name): getattr(kind, name) for kind, names in PATCHED.items() for name in names}
    declarative_pipelines.install()
    from notebook_dialect.session import spark_methods
    from stream_view import console

    spark_methods.install()
    console.install()
    assert {(kind, name): getattr(kind, name) for kind, name in before} == before


def test_keywords_of_sparks_own_documentation(patched: SparkSession, tmp_path: Path) -> None:
    patched.range(3).createOrReplaceTempView("three")
    assert patched.sql(sqlQuery="SELECT count(*) FROM three").first()[0] == 3
    assert patched.sql(sqlQuery="SELECT :n", args={"n": 4}).first()[0] == 4
    assert patched.sql("SELECT count(*) FROM {df}", df=patched.range(5)).first()[0] == 5
    assert patched.table(tableName="three").count() == patched.read.table(tableName="three").count() == 3
    reader = patched.readStream.format(source="rate").option(key="rowsPerSecond", value=1)
    assert reader.load(path=None).isStreaming
    with pytest.raises(AnalysisException, match="Source name 'ticks'"):  # it got so far; a setting allows more
        patched.readStream.format(source="rate").name(source_name="ticks").load()


def test_arguments_go_with_a_call_of_read_files_and_braces_stay(patched: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id": 1}\n{"id": 2}\n')
    query = (
        f"""SELECT id, '{{"k":1}}' AS text FROM read_files('{tmp_path / "in"}', format => 'json') WHERE id > :least"""
    )
    assert [tuple(row) for row in patched.sql(query.replace("'/", "'file:/"), args={"least": 1}).collect()] == [
        (2, '{"k":1}')
    ]
