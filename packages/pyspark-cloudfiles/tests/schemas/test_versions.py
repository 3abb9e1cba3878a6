"""Schema versions: written once, read back, added to by several at once."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.versions import SchemaStore, SchemaVersion

FIRST = SchemaVersion(StructType([StructField("id", LongType())]), StructType(), "file:/data", "json")


@pytest.fixture
def location(tmp_path: Path) -> str:
    return (tmp_path / "schemas of a stream").as_uri().replace("%20", " ").replace("file:///", "file:/")


def with_column(version: SchemaVersion, name: str) -> SchemaVersion:
    if name in version.data.fieldNames():
        return version
    return replace(version, data=StructType([*version.data.fields, StructField(name, StringType())]))


def test_a_version_is_read_back_as_it_was_written(location: str):
    store = SchemaStore(location)
    assert store.begin(FIRST)
    assert SchemaStore(location).latest() == FIRST


def test_versions_are_files_with_numbers(location: str, tmp_path: Path):
    store = SchemaStore(location)
    store.begin(FIRST)
    store.evolve(lambda version: with_column(version, "x"))
    assert sorted(path.name for path in (tmp_path / "schemas of a stream" / "_schemas").iterdir()) == ["0", "1"]
    assert store.latest().data.fieldNames() == ["id", "x"]


def test_a_change_that_changes_nothing_writes_nothing(location: str, tmp_path: Path):
    store = SchemaStore(location)
    store.begin(FIRST)
    store.evolve(lambda version: with_column(version, "id"))
    assert [path.name for path in (tmp_path / "schemas of a stream" / "_schemas").iterdir()] == ["0"]


def test_changes_of_several_writers_are_all_kept(location: str):
    SchemaStore(location).begin(FIRST)
    names = [f"c{number}" for number in range(8)]
    threads = [
        threading.Thread(target=lambda name=name: SchemaStore(location).evolve(lambda v: with_column(v, name)))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(SchemaStore(location).latest().data.fieldNames()) == sorted(["id", *names])


def test_a_foreign_file_in_its_place_is_named(location: str, tmp_path: Path):
    directory = tmp_path / "schemas of a stream" / "_schemas"
    directory.mkdir(parents=True)
    (directory / "0").write_text("v1\n{}")
    with pytest.raises(StateLost, match="is no schema version"):
        SchemaStore(location).latest()
