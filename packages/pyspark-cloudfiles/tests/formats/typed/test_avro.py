"""Avro, in files with known answers: the types are those of Spark's Avro reader."""

from __future__ import annotations

import datetime as dt
import io
import json
import struct
import zlib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InferenceFailed, InvalidOption, UnknownFields, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.avro import AvroFormat
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")

Write = Callable[..., SourceFile]
NOW = dt.datetime(2020, 1, 1, 10, 0, 0, 123456)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes records with fields of given types to a new file."""

    def put(types: dict[str, Any], rows: list[dict[str, Any]], **options: Any) -> SourceFile:
        fields = [{"name": name, "type": avro} for name, avro in types.items()]
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.avro"
        with path.open("wb") as file:
            fastavro.writer(file, {"type": "record", "name": "top", "fields": fields}, rows, **options)
        return SourceFile(f"file:{path}", path.stat().st_size, 0)

    return put


def logical(avro: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": avro, "logicalType": kind, **more}


def read(files: list[SourceFile], schema: str | StructType, **request: Any) -> list[Rows]:
    wanted = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    found = list(AvroFormat().read(files, ReadRequest(wanted, **request)))
    assert all(rows.batch.schema == to_arrow_schema(wanted, timezone="UTC") for rows in found)
    return found


RECORD = {"type": "record", "name": "inner", "fields": [{"name": "a", "type": "int"}]}
OTHER = {
    "type": "record",
    "name": "other",
    "fields": [{"name": "b", "type": ["null", {"type": "map", "values": "int"}]}],
}
ENUM = {"type": "enum", "name": "color", "symbols": ["RED", "BLUE"]}
FIXED = {"type": "fixed", "name": "two", "size": 2}
UTC_NOW = NOW.replace(tzinfo=dt.UTC)
UUID_TEXT = "34b083c0-8895-4f71-9068-73d3df7c5b60"

# Avro type, value, Spark's type, and its value in Arrow, where that is another.
TYPES: list[tuple[Any, Any, str, Any]] = [
    ("boolean", True, "BOOLEAN", ...),
    ("int", -1, "INT", ...),
    ("long", 2**62, "BIGINT", ...),
    ("float", 0.5, "FLOAT", ...),
    ("double", 0.1, "DOUBLE", ...),
    ("bytes", b"\xff", "BINARY", ...),
    ("string", "é", "STRING", ...),
    (ENUM, "RED", "STRING", ...),
    (FIXED, b"ab", "BINARY", ...),
    (logical("int", "date"), NOW.date(), "DATE", ...),
    (logical("long", "timestamp-millis"), UTC_NOW.replace(microsecond=123000), "TIMESTAMP", ...),
    (logical("long", "timestamp-micros"), UTC_NOW, "TIMESTAMP", ...),
    (logical("long", "local-timestamp-millis"), NOW.replace(microsecond=123000), "TIMESTAMP_NTZ", ...),
    (logical("long", "local-timestamp-micros"), NOW, "TIMESTAMP_NTZ", ...),
    (logical("bytes", "decimal", precision=5, scale=2), Decimal("-1.50"), "DECIMAL(5,2)", ...),
    (logical("fixed", "decimal", name="d", size=16, precision=38, scale=0), Decimal(10**37), "DECIMAL(38,0)", ...),
    (logical("string", "uuid"), UUID(UUID_TEXT), "STRING", UUID_TEXT),
    (logical("int", "time-millis"), dt.time(0, 0, 1), "INT", 1000),
    (logical("long", "time-micros"), dt.time(0, 0, 1, 5), "BIGINT", 1_000_005),
    (logical("long", "unheard-of"), 5, "BIGINT", ...),
    (logical("fixed", "duration", name="span", size=12), b"x" * 12, "BINARY", ...),
    (["null", "int"], None, "INT", ...),
    (["int", "null"], 1, "INT", ...),
    (["string"], "a", "STRING", ...),
    (["int", "long"], 2**40, "BIGINT", ...),
    (["null", "float", "double"], 0.5, "DOUBLE", ...),
    (["null", "int", "string"], "a", "STRUCT<member0: INT, member1: STRING>", {"member0": None, "member1": "a"}),
    (["null", "int", "string"], None, "STRUCT<member0: INT, member1: STRING>", None),
    (
        ["null", "string", logical("long", "timestamp-micros")],
        UTC_NOW,
        "STRUCT<member0: STRING, member1: TIMESTAMP>",
        {"member0": None, "member1": UTC_NOW},
    ),
    (
        ["string", RECORD, OTHER],
        ("other", {"b": {"k": 1}}),
        "STRUCT<member0: STRING, member1: STRUCT<a: INT>, member2: STRUCT<b: MAP<STRING, INT>>>",
        {"member0": None, "member1": None, "member2": {"b": [("k", 1)]}},
    ),
    (RECORD, {"a": 1}, "STRUCT<a: INT>", ...),
    ({"type": "array", "items": ["null", "int"]}, [1, None], "ARRAY<INT>", ...),
    ({"type": "map", "values": "int"}, {"a": 1}, "MAP<STRING, INT>", [("a", 1)]),
    (
        {"type": "map", "values": {"type": "array", "items": logical("string", "uuid")}},
        {"a": [UUID(UUID_TEXT)]},
        "MAP<STRING, ARRAY<STRING>>",
        [("a", [UUID_TEXT])],
    ),
]


@pytest.mark.parametrize(("avro", "value", "spark_type", "expected"), TYPES)
def test_types_and_values_are_those_of_sparks_reader(
    write: Write, avro: Any, value: Any, spark_type: str, expected: Any
) -> None:
    file = write({"x": avro}, [{"x": value}])
    schema = StructType.fromDDL(f"x {spark_type}")
    assert AvroFormat().infer([file], InferRequest()) == schema
    [rows] = read([file], schema)
    assert rows.batch["x"].to_pylist() == [value if expected is ... else expected]
    assert rows.rescued is None


def test_named_types_may_be_used_again(write: Write) -> None:
    file = write(
        {"a": RECORD, "b": ["null", "inner"], "c": {"type": "array", "items": "inner"}}, [{"a": {"a": 1}, "c": []}]
    )
    expected = "a STRUCT<a: INT>, b STRUCT<a: INT>, c ARRAY<STRUCT<a: INT>>"
    assert AvroFormat().infer([file], InferRequest()) == StructType.fromDDL(expected)
    [rows] = read([file], expected)
    assert rows.batch.to_pylist() == [{"a": {"a": 1}, "b": None, "c": []}]


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_compressed_files_are_read(write: Write, codec: str) -> None:
    [rows] = read([write({"x": "int"}, [{"x": number} for number in range(100)], codec=codec)], "x INT")
    assert rows.batch["x"].to_pylist() == list(range(100))


@pytest.mark.parametrize("codec", ["snappy", "zstandard"])
def test_codecs_that_fastavro_needs_packages_for_are_read(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "a.avro"
    plain = b"".join(_long(number) for number in range(100))
    block = pa.compress(plain, codec={"zstandard": "zstd"}.get(codec, codec), asbytes=True)
    if codec == "snappy":
        block += struct.pack(">I", zlib.crc32(plain))
    schema = {"type": "record", "name": "top", "fields": [{"name": "x", "type": "int"}]}
    meta = {"avro.schema": json.dumps(schema).encode(), "avro.codec": codec.encode()}
    header = {"magic": b"Obj\x01", "meta": meta, "sync": b"s" * 16}
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.schema.parse_schema(_HEADER), header)
    path.write_bytes(out.getvalue() + _long(100) + _long(len(block)) + block + b"s" * 16)
    [rows] = read([SourceFile(f"file:{path}", 1, 1)], "x INT")
    assert rows.batch["x"].to_pylist() == list(range(100))


_HEADER = {
    "type": "record",
    "name": "org.apache.avro.file.Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}


def _long(number: int) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, {"type": "long"}, number)
    return out.getvalue()


def test_what_does_not_fit_is_rescued_or_an_error(write: Write) -> None:
    file = write({"x": "int", "Y": "string", "z": logical("int", "date")}, [{"x": 1, "Y": "a", "z": NOW.date()}])
    [rows] = read([file], "x STRING, y STRING, missing INT")
    assert rows.batch.to_pylist() == [{"x": None, "y": None, "missing": None}]
    expected = {"x": 1, "Y": "a", "z": "2020-01-01", "_file_path": file.url}
    assert json.loads(rows.rescued[0].as_py()) == expected
    [rows] = read([file], "x BIGINT, y STRING, z DATE", case_sensitive=False)
    assert rows.batch.to_pylist() == [{"x": 1, "y": "a", "z": NOW.date()}]
    with pytest.raises(UnknownFields, match=r"\[z\]"):
        read([file], "x INT, Y STRING", on_unknown="error")
    with pytest.raises(UnreadableFile, match="column x is INT"):
        read([file], "x STRING", rescue=False, on_unknown="ignore")


def test_schemas_are_merged(write: Write) -> None:
    files = [write({"a": "int"}, [{"a": 1}]), write({"b": "string", "a": "int"}, [{"b": "x", "a": 2}])]
    schema = AvroFormat().infer(files, InferRequest())
    assert schema == StructType.fromDDL("a INT, b STRING")
    [rows] = read(files, schema)
    assert rows.batch.to_pylist() == [{"a": 1, "b": None}, {"a": 2, "b": "x"}]
    with pytest.raises(InferenceFailed, match=r"column a is STRING.* INT in another file.*schemaHints"):
        AvroFormat().infer([files[0], write({"a": "string"}, [])], InferRequest())


def test_a_schema_may_be_given(write: Write) -> None:
    fields = [{"name": "a", "type": "long"}, {"name": "b", "type": "string", "default": "?"}]
    text = json.dumps({"type": "record", "name": "top", "fields": fields})
    file = write({"a": "int"}, [{"a": 1}])
    options = {"avroschema": text}
    schema = AvroFormat().infer([file], InferRequest(options=options))
    assert schema == StructType.fromDDL("a BIGINT, b STRING")
    [rows] = read([file], schema, options=options)
    assert rows.batch.to_pylist() == [{"a": 1, "b": "?"}]
    for broken in ("{", '"int"', '{"type": "record"}'):
        with pytest.raises(InvalidOption, match="avroSchema"):
            AvroFormat().infer([file], InferRequest(options={"avroschema": broken}))


def test_types_that_spark_does_not_have_are_named(write: Write) -> None:
    tree = {"type": "record", "name": "tree", "fields": [{"name": "child", "type": ["null", "tree"]}]}
    for avro in (tree, logical("bytes", "decimal", precision=50, scale=2)):
        file = write({"x": avro}, [])
        with pytest.raises(InferenceFailed, match=r"contains itself|50 digits"):
            AvroFormat().infer([file], InferRequest())


def test_a_large_file_is_read_in_pieces(write: Write) -> None:
    file = write({"x": "string", "n": "int"}, [{"x": "y" * 1000, "n": number} for number in range(20_000)])
    found = read([file], "x STRING, n INT")
    assert len(found) >= 2
    assert [value for rows in found for value in rows.batch["n"].to_pylist()] == list(range(20_000))
    [rows] = read([file], StructType([]), rescue=False, on_unknown="ignore")
    assert rows.counts == [(file, 20_000)]
