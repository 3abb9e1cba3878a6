"""Whole files as values, compared with Spark's ``binaryFile``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InvalidOption, MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.plain_files import BinaryFileFormat
from pyspark_cloudfiles.source.plan import discover

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")


def test_files_are_as_spark_has_them(spark: SparkSession, tmp_path: Path) -> None:
    for name, content in {"a b %41#é.png": b"\x00\xff", "empty": b"", "k=1/c": b"text\n"}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(0, 1_700_000_000_123_456_789))
    frame = spark.read.format("binaryFile").option("recursiveFileLookup", True).load(f"file:{tmp_path}")
    assert frame.schema == BinaryFileFormat().fixed_schema() == BinaryFileFormat().infer([], InferRequest())
    files = sorted(discover(f"file:{tmp_path}"))
    [rows] = BinaryFileFormat().read(files, ReadRequest(frame.schema))
    assert rows.counts == [(file, 1) for file in files if file.name != "empty"]
    assert rows.batch.to_pylist() == frame.orderBy("path").toArrow().to_pylist()


def test_content_is_only_read_where_it_is_wanted(tmp_path: Path) -> None:
    gone = SourceFile(f"file:{tmp_path}/none", 3_000_000_000, 0)
    [rows] = BinaryFileFormat().read([gone], ReadRequest(StructType.fromDDL("path STRING, length LONG, later INT")))
    assert rows.batch.to_pylist() == [{"path": gone.url, "length": 3_000_000_000, "later": None}]
    with pytest.raises(UnreadableFile, match="2 GB"):
        list(BinaryFileFormat().read([gone], ReadRequest(BinaryFileFormat().fixed_schema())))
    with pytest.raises(MissingFile):
        list(BinaryFileFormat().read([gone._replace(size=1)], ReadRequest(BinaryFileFormat().fixed_schema())))


def test_columns_have_their_own_types() -> None:
    with pytest.raises(InvalidOption, match="Column length of binary files is BIGINT"):
        BinaryFileFormat().read([], ReadRequest(StructType.fromDDL("length STRING")))
