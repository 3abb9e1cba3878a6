"""Files with types of their own that are gone, empty or broken."""

from __future__ import annotations

import io
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import LongType, StructField, StructType

from pyspark_cloudfiles.errors import MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import find_format
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest

SCHEMA = StructType([StructField("x", LongType())])
KINDS = {"parquet": "a Parquet", "orc": "an ORC", "avro": "an Avro"}


def written(name: str) -> bytes:
    """Return a sound file of ten thousand rows."""
    out, numbers = io.BytesIO(), list(range(10_000))
    if name == "avro":
        record = {"type": "record", "name": "top", "fields": [{"name": "x", "type": "long"}]}
        fastavro.writer(out, record, [{"x": number} for number in numbers])
    else:
        {"parquet": pq, "orc": orc}[name].write_table(pa.table({"x": numbers}), out)
    return out.getvalue()


@pytest.mark.parametrize("name", KINDS)
def test_a_file_that_is_gone_empty_or_broken_is_named(tmp_path: Path, name: str) -> None:
    def read(file: str, size: int = 1) -> list:
        return list(find_format(name).read([SourceFile(f"file:{tmp_path}/{file}", size, 1)], ReadRequest(SCHEMA)))

    good = written(name)
    torn = good[:4] + b"x" * 200 + good[204:] if name != "avro" else good[:200] + b"\xff" * 100 + good[300:]
    for file, content in {"empty": b"", "text": b"hello, world", "cut": good[:-50], "torn": torn}.items():
        (tmp_path / file).write_bytes(content)
    assert read("empty", 0) == []
    for file in ("text", "cut", "torn"):
        with pytest.raises(UnreadableFile, match=f"{file}: it cannot be read as {KINDS[name]} file"):
            read(file)
    with pytest.raises(MissingFile, match="none"):
        read("none")


@pytest.mark.parametrize("name", ["parquet", "avro"])
def test_an_empty_file_has_no_columns_and_a_missing_one_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").touch()
    assert find_format(name).infer([SourceFile(f"file:{tmp_path}/empty", 0, 0)], InferRequest()) == StructType([])
    with pytest.raises(MissingFile):
        find_format(name).infer([SourceFile(f"file:{tmp_path}/none", 1, 1)], InferRequest())
