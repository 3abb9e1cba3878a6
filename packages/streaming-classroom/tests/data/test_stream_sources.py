"""What streams say of their sources is Spark's own here; a place that is read is told from one that is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom.data import data_factory
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import lesson as lesson_module
from streaming_classroom.lesson.lesson import Lesson, start_lesson


def stream(*descriptions: str | None) -> SimpleNamespace:
    """Return a stream that has reported its sources, or nothing."""
    sources = [{"description": description} for description in descriptions]
    return SimpleNamespace(lastProgress={"sources": sources} if sources else None)


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("FileStreamSource[file:/a/landing]", True),
        ("FileStreamSource[file:/a/landing/orders]", True),
        ("FileStreamSource[file:/a/landing/2025-*/x]", True),
        ("FileStreamSource[file:/a/*]", True),
        ("CloudFilesSource[file:/a/landing]", True),
        ("DeltaSource[file:/a/landing]", True),
        ("FileStreamSource[file:/a/landing-2]", False),
        ("DeltaSource[file:/a/bronze]", False),
        ("DeltaSource[s3a://bucket/a/landing]", None),
        ("RateStreamV2[rowsPerSecond=1, rampUpTimeSeconds=0, numPartitions=1", False),
        ("KafkaV2[Subscribe[topic]]", False),
        ("MyOwnSource[file:/a/landing]", None),
        (None, None),
    ],
)
def test_a_source_is_known_by_its_description(source: str | None, answer: bool | None) -> None:
    assert data_factory.reads([stream(source)], Path("/a/landing")) is answer


@pytest.fixture
def DA(spark: SparkSession) -> Iterator[Lesson]:
    """Start a lesson whose data land in a table."""
    yield start_lesson("Readers", dataset="device-readings/readings", into_table="Bronze")
    lesson_module.cleanup()


def is_read(frame: DataFrame, place: Path) -> bool | None:
    """Start a stream, and say whether it reads the place."""
    query = frame.writeStream.format("noop").start()
    try:
        query.processAllAvailable()
        return data_factory.reads([query], place)
    finally:
        query.stop()


@pytest.mark.slow
def test_a_table_is_read_by_its_name_or_its_path(spark: SparkSession, DA: Lesson) -> None:
    DA.data_factory.load()
    place = DA.data_factory.place
    assert place.is_dir()
    assert is_read(spark.readStream.table("bronze"), place) is True
    assert is_read(spark.readStream.format("delta").load(f"{DA.paths.user_db}/bronze"), place) is True
    spark.sql("CREATE TABLE silver AS SELECT * FROM bronze")
    assert is_read(spark.readStream.table("silver"), place) is False
    assert is_read(spark.readStream.format("rate").load(), place) is False


@pytest.mark.slow
def test_a_directory_is_read_as_files_or_by_auto_loader(spark: SparkSession, DA: Lesson) -> None:
    landing = classroom_files().local_path(DA.paths.landing)
    (landing / "one.json").write_text(json.dumps({"id": 1}))
    options = {"cloudFiles.format": "json", "cloudFiles.schemaLocation": DA.paths.checkpoints}
    loaded = spark.readStream.format("cloudFiles").options(**options).load(DA.paths.landing)
    for frame in (spark.readStream.schema("id INT").json(DA.paths.landing), loaded):
        assert is_read(frame, landing) is True
        assert is_read(frame, landing.parent / "other") is False
    wildcard = spark.readStream.schema("id INT").json(f"{DA.paths.landing}/*.json")
    assert is_read(wildcard, landing) is True
