"""What Spark's readers and writers were given (builders.py)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

from streaming_base import builders, hooks
from streaming_base.builders import given_to


@pytest.fixture(autouse=True)
def recorded() -> Iterator[None]:
    for kind in (DataFrameReader, DataStreamReader, DataStreamWriter):
        builders.record(kind)
    yield


def test_a_reader_has_its_format_schema_and_options_as_written(spark: SparkSession) -> None:
    reader = spark.readStream.format("json").schema("id INT").option("maxFilesPerTrigger", 2).options(multiLine=True)
    given = given_to(reader)
    assert (given.format, given.schema) == ("json", "id INT")
    assert given.options == {"maxFilesPerTrigger": "2", "multiLine": "true"}
    assert given.lower_options == {"maxfilespertrigger": "2", "multiline": "true"}


def test_an_option_in_another_case_replaces_the_previous_one_and_none_removes_it(spark: SparkSession) -> None:
    reader = spark.read.option("header", True).option("HEADER", False).option("sep", ";").option("sep", None)
    assert given_to(reader).options == {"HEADER": "false"}


def test_a_writer_has_its_query_name_and_whether_it_has_a_function(stream: DataFrame) -> None:
    writer = stream.writeStream.queryName("copy").foreachBatch(lambda batch, number: None)
    assert (given_to(writer).name, given_to(writer).has_function) == ("copy", True)
    assert not given_to(stream.writeStream).has_function


def test_a_value_is_recorded_as_an_outer_hook_changes_it(spark: SparkSession) -> None:
    def move(below):
        return lambda self, key, value: below(self, key, "moved" if key == "path" else value)

    hooks.wrap(DataFrameReader, "option", move, by="a test", layer="connection", why="a test")
    try:
        assert given_to(spark.read.option("path", "here")).options == {"path": "moved"}
    finally:
        hooks.remove("a test")
