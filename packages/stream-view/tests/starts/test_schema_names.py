"""A schema none of whose names is in the files is told of; one that has some is not."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from stream_view import starts
from streaming_base import front_end


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> list[str]:
    starts.install(spark)
    lines: list[str] = []
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(front_end, "print_below", lambda cell, text: lines.append(text))
    return lines


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "_empty").touch()
    (tmp_path / "in" / "a.json").write_text('{"mrn": 1, "heartrate": 60.5}\n')
    return tmp_path / "in"


def start(reader, path: Path) -> None:
    reader.load(path.as_uri()).writeStream.format("noop").start().stop()
    for thread in threading.enumerate():
        if thread.name == "comparing names":
            thread.join(30)


def test_names_that_no_file_has_are_told(spark: SparkSession, told: list, landing: Path) -> None:
    start(spark.readStream.format("json").schema("patient INT, rate DOUBLE"), landing)
    assert told == [
        "None of the schema's names (patient, rate) is in a.json, which has heartrate, mrn: every row will be NULL. "
        "Correct the names in the schema."
    ]


def test_columns_of_csv_are_taken_by_position_and_have_any_name(
    spark: SparkSession, told: list, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("x,y\n1,2\n")
    reader = spark.readStream.format("csv").option("header", "true").schema("a INT, b INT")
    start(reader, tmp_path / "in")
    assert told == []
    rows = spark.read.option("header", "true").schema("a INT, b INT").csv((tmp_path / "in").as_uri())
    assert [tuple(row) for row in rows.collect()] == [(1, 2)]  # why nothing is to be told


def test_case_matters_in_json_alone(spark: SparkSession, told: list, landing: Path, tmp_path: Path) -> None:
    spark.read.json((landing / "a.json").as_uri()).write.parquet((tmp_path / "rows").as_uri())
    start(spark.readStream.format("parquet").schema("MRN INT, HeartRate DOUBLE"), tmp_path / "rows")
    assert told == []
    start(spark.readStream.format("json").schema("MRN INT, HeartRate DOUBLE"), landing)
    assert len(told) == 1
