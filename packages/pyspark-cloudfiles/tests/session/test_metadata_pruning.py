"""What a query does not use is not read: ``_metadata``, and the note of the file that a row is from."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pyspark_cloudfiles import classic
from pyspark_cloudfiles.errors import CloudFilesError

pytestmark = pytest.mark.slow

NOTES = "InputFileBlockHolder"


@pytest.fixture
def files(ingestion):
    """Have two files of two rows each."""
    ingestion.schema = "id INT"
    ingestion.put("one.json", {"id": 1}, {"id": 2})
    ingestion.put("two.json", {"id": 3}, {"id": 4})
    return ingestion


def read_by(query) -> str:
    """Return the plan of a query's last batch."""
    return query._jsq.explainInternal(False)


def many(frame: DataFrame) -> list:
    """Return more columns than Spark shows of a plan."""
    return [F.lit(number).alias(f"c{number}") for number in range(40)]


UNUSED: dict[str, Callable[[DataFrame], DataFrame]] = {
    "all columns": lambda frame: frame,
    "a projection": lambda frame: frame.select((F.col("id") + 1).alias("id")),
    "many columns": lambda frame: frame.select("id", *many(frame)),
    "a text that names it": lambda frame: frame.withColumn("text", F.lit("_metadata")),
    "a static join": lambda frame: frame.join(frame.sparkSession.range(9), "id"),
    "a batch's own files": lambda frame: frame.unionByName(frame).dropDuplicates(["id"]),
}
USED: dict[str, Callable[[DataFrame], DataFrame]] = {
    "a column": lambda frame: frame.select("id", "_metadata.file_name"),
    "in capitals": lambda frame: frame.select("id", F.col("_METADATA.FILE_NAME").alias("file_name")),
    "all of it": lambda frame: frame.select("id", "_metadata").select("id", "_metadata.file_name"),
    "beside many": lambda frame: frame.select(*many(frame), "id", "_metadata.file_name"),
    "in a struct of many": lambda frame: frame.select(
        "id", F.struct(*many(frame), "_metadata.file_name").alias("s")
    ).select("id", "s.file_name"),
}


@pytest.mark.parametrize("place", UNUSED)
def test_a_query_that_uses_no_metadata_reads_none(files, place: str) -> None:
    query = files.run(UNUSED[place](files.frame()))
    assert "_metadata#" not in read_by(query) and NOTES not in read_by(query)
    assert sum(row.id for row in files.rows("id")) in (10, 14)


@pytest.mark.parametrize("place", USED)
def test_a_query_that_uses_it_has_it_and_notes_no_files(files, place: str) -> None:
    query = files.run(USED[place](files.frame()))
    assert NOTES not in read_by(query)
    expected = [(1, "one.json"), (2, "one.json"), (3, "two.json"), (4, "two.json")]
    assert sorted((row.id, row.file_name) for row in files.rows("id", "file_name")) == expected


def test_a_files_name_is_found_among_more_columns_than_a_plan_shows(files) -> None:
    frame = files.frame()
    files.run(frame.select("id", F.struct(*many(frame), F.input_file_name().alias("file")).alias("s")))
    found = {row.id: row.file.rpartition("/")[2] for row in files.rows("id", "s.file")}
    assert found == {1: "one.json", 2: "one.json", 3: "two.json", 4: "two.json"}


def test_a_batch_function_may_ask_for_the_file_itself(files) -> None:
    names = []
    stream = files.frame().writeStream.trigger(availableNow=True)
    query = stream.foreachBatch(
        lambda batch, _: names.extend(row[0] for row in batch.select(F.input_file_name()).distinct().collect())
    ).start()
    assert query.awaitTermination(60)
    assert sorted(name.rpartition("/")[2] for name in names) == ["one.json", "two.json"]


def test_two_queries_of_one_frame_each_read_what_they_use(files) -> None:
    frame = files.frame()
    without, with_it = (
        chosen.writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
        for name, chosen in (("without", frame), ("with_it", frame.select("id", "_metadata.file_name")))
    )
    assert without.awaitTermination(60) and with_it.awaitTermination(60)
    assert "_metadata#" not in read_by(without) and "_metadata#" in read_by(with_it)
    assert files.spark.table("without").count() == 4
    assert {row.file_name for row in files.spark.table("with_it").collect()} == {"one.json", "two.json"}


def test_only_the_side_that_uses_it_has_it(files) -> None:
    names = files.frame().select(F.col("id").alias("other"), "_metadata.file_name")
    query = files.run(files.frame().join(names, F.expr("id = other")))
    assert {row.file_name for row in files.rows("file_name")} == {"one.json", "two.json"}
    assert query.lastProgress["numInputRows"] == 8


@pytest.mark.usefixtures("delta")
def test_a_stream_goes_on_when_its_query_begins_to_use_it(files) -> None:
    files.run(files.frame())
    files.put("three.json", {"id": 5})
    files.run(files.frame().select("id", "_metadata.file_name"))
    assert [(row.id, row.file_name) for row in files.rows("id", "file_name") if row.file_name] == [(5, "three.json")]
    assert sorted(row.id for row in files.rows("id")) == [1, 2, 3, 4, 5]


def test_what_cannot_be_exchanged_is_read_with_all(files, monkeypatch) -> None:
    frame = files.frame()

    def refuses() -> DataFrame:
        raise CloudFilesError("no such thing")

    for key in list(classic._loads):
        monkeypatch.setitem(classic._loads, key, refuses)
    query = files.run(frame)
    assert "_metadata#" in read_by(query) and len(files.rows("id")) == 4


def test_a_frame_that_is_long_forgotten_is_read_with_all(files, monkeypatch) -> None:
    monkeypatch.setattr(classic, "_LOADS_LIMIT", 1)
    old = files.frame()
    files.frame()
    query = files.run(old)
    assert "_metadata#" in read_by(query) and len(files.rows("id")) == 4
