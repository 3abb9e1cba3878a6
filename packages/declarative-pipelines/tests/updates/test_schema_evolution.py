"""A source of files whose columns grow while updates run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import Pipeline

pytestmark = pytest.mark.slow


def land(folder: Path, name: str, **row: object) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(row), encoding="utf-8")


@pytest.fixture
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


FILES = 'spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")'


def test_tables_take_a_column_that_their_files_have_anew(pipeline: Pipeline, files: Path) -> None:
    pipeline.write(f"""
        @dlt.table
        @dlt.expect("has an id", "id IS NOT NULL")
        def raw():
            return {FILES}.option("cloudFiles.inferColumnTypes", "true").load("file:{files}")
        @dlt.table
        def copied():
            return spark.readStream.table("raw").drop("_rescued_data")
        @dlt.table
        def total():
            return spark.read.table("raw").selectExpr("count(*) AS v")
        @dlt.view
        def changes():
            return {FILES}.load("file:{files}")
        dlt.create_streaming_table("newest")
        dlt.apply_changes(target="newest", source="changes", keys=["id"], sequence_by="id")
    """)
    land(files, "1.json", id=1)
    assert pipeline.run().error is None
    land(files, "2.json", id=2, city="Oslo")
    update = pipeline.run()
    assert update.error is None
    for table in ("raw", "copied", "newest"):
        found = [tuple(row) for row in pipeline.rows(f"SELECT CAST(id AS INT), city FROM {table} ORDER BY id")]
        assert found == [(1, None), (2, "Oslo")], table
    assert pipeline.values("total") == [2]
    assert update.dataset("raw").rows == 1 and [(one.passed, one.failed) for one in update.expectations] == [(1, 0)]


def test_a_table_that_declares_its_schema_keeps_it(pipeline: Pipeline, files: Path) -> None:
    pipeline.write(f"""
        @dlt.table(schema="id STRING")
        def raw():
            return {FILES}.load("file:{files}").drop("_rescued_data")
    """)
    land(files, "1.json", id=1)
    assert pipeline.run().error is None
    land(files, "2.json", id=2, city="Oslo")
    assert pipeline.run().error is not None
    assert pipeline.table("raw").columns == ["id"] and pipeline.values("raw", "id") == ["1"]
