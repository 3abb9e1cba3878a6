"""Columns beside the data: each row has those of its own file."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from pyspark_cloudfiles import layout
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import Rows
from pyspark_cloudfiles.options import parse
from pyspark_cloudfiles.source.task import assemble

FILES = [SourceFile(f"file:/in/day={day}/a b.json", 10 * day, day * 1_000_000_123) for day in (1, 2, 3)]
DATA = StructType([StructField("id", LongType())])
PARTITIONS = StructType([StructField("day", IntegerType())])


def assembled(counts: list[tuple[SourceFile, int]]) -> list[dict]:
    columns = layout.inferred_layout(DATA, PARTITIONS, None, metadata=True)
    rows = sum(count for _, count in counts)
    data = pa.RecordBatch.from_arrays([pa.array(range(rows), pa.int64())], ["id"])
    options = parse({"cloudfiles.format": "json", "path": "file:/in"})
    return assemble(Rows(data, counts), columns, to_arrow_schema(columns.schema, timezone="UTC"), options).to_pylist()


@pytest.mark.parametrize("counts", [[2, 0, 3], [1, 1, 1], [0, 0, 0], [0, 4, 0]])
def test_each_row_has_what_its_file_has(counts: list[int]):
    rows = assembled(list(zip(FILES, counts, strict=True)))
    expected = [file for file, count in zip(FILES, counts, strict=True) for _ in range(count)]
    assert [row["day"] for row in rows] == [file.size // 10 for file in expected]
    metadata = [row["_metadata"] for row in rows]
    assert [some["file_path"] for some in metadata] == [file.url.replace(" ", "%20") for file in expected]
    assert {some["file_name"] for some in metadata} <= {"a%20b.json"}
    assert [some["file_size"] for some in metadata] == [file.size for file in expected]
    # Spark has milliseconds there.
    assert [some["file_modification_time"].microsecond for some in metadata] == [0] * len(expected)


def test_a_part_of_a_file_is_its_block():
    [row] = assembled([(FILES[2].part(10, 20), 1)])
    [last] = assembled([(FILES[2].part(20, 30), 1)])
    blocks = [(some["_metadata"]["file_block_start"], some["_metadata"]["file_block_length"]) for some in (row, last)]
    assert blocks == [(10, 10), (20, 10)] and row["_metadata"]["file_size"] == 30


def test_a_column_of_the_path_that_has_another_type_is_null():
    file = SourceFile("file:/in/day=x/a.json", 1, 0)
    assert assembled([(file, 1)])[0]["day"] is None


def test_text_partitions_are_text():
    columns = layout.inferred_layout(DATA, StructType([StructField("day", StringType())]), None, metadata=False)
    data = pa.RecordBatch.from_arrays([pa.array([1], pa.int64())], ["id"])
    options = parse({"cloudfiles.format": "json", "path": "file:/in"})
    [row] = assemble(
        Rows(data, [(FILES[0], 1)]), columns, to_arrow_schema(columns.schema, timezone="UTC"), options
    ).to_pylist()
    assert row == {"id": 1, "day": "1"}
