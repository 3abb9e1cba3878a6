"""Parquet, compared with Spark's own reader over the same files."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InferenceFailed, UnknownFields, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.columnar import ParquetFormat

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")

Write = Callable[..., SourceFile]
NOW = dt.datetime(2020, 1, 1, 10, 0, 0, 123456)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes a table to a new file."""
    written: list[SourceFile] = []

    def put(table: pa.Table | dict[str, Any], **options: Any) -> SourceFile:
        path = tmp_path / f"{len(written)}.parquet"
        pq.write_table(pa.table(table) if isinstance(table, dict) else table, path, **options)
        written.append(SourceFile(f"file:{path}", path.stat().st_size, path.stat().st_mtime_ns // 1000))
        return written[-1]

    return put


def column(values: list[Any], arrow: pa.DataType | None = None, name: str = "x") -> pa.Table:
    return pa.table({name: pa.array(values, arrow)})


def read(files: list[SourceFile], schema: str | StructType, **request: Any) -> list[Rows]:
    struct = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    found = list(ParquetFormat().read(files, ReadRequest(struct, **request)))
    for rows in found:
        assert rows.batch.schema == to_arrow_schema(struct, timezone="UTC")
        assert sum(count for _, count in rows.counts) == rows.batch.num_rows
        assert rows.rescued is None or len(rows.rescued) == rows.batch.num_rows
    return found


def values(found: list[Rows], name: str = "x") -> list[Any]:
    return [value for rows in found for value in rows.batch[name].to_pylist()]


def rescued(found: list[Rows]) -> list[Any]:
    """Return the rescued objects, without the path."""
    objects: list[Any] = []
    for rows in found:
        texts = [None] * rows.batch.num_rows if rows.rescued is None else rows.rescued.to_pylist()
        for text, file in zip(texts, [file for file, count in rows.counts for _ in range(count)], strict=True):
            parsed = None if text is None else json.loads(text)
            assert parsed is None or parsed.pop("_file_path") == file.url
            objects.append(parsed)
    return objects


TYPES: list[tuple[pa.DataType, Any]] = [
    (pa.bool_(), True),
    (pa.int8(), -1),
    (pa.int16(), 1),
    (pa.int32(), 1),
    (pa.int64(), 2**62),
    (pa.uint8(), 255),
    (pa.uint16(), 65535),
    (pa.uint32(), 2**32 - 1),
    (pa.uint64(), 2**64 - 1),
    (pa.float32(), 0.1),
    (pa.float64(), 0.1),
    (pa.string(), "é"),
    (pa.large_string(), "é"),
    (pa.binary(), b"\xff"),
    (pa.large_binary(), b"a"),
    (pa.binary(2), b"ab"),
    (pa.date32(), NOW.date()),
    (pa.date64(), NOW.date()),
    (pa.timestamp("s"), NOW.replace(microsecond=0)),
    (pa.timestamp("ms"), NOW.replace(microsecond=123000)),
    (pa.timestamp("us"), NOW),
    (pa.timestamp("us", "UTC"), NOW),
    (pa.timestamp("ms", "Europe/Berlin"), NOW.replace(microsecond=0)),
    (pa.decimal128(5, 2), Decimal("1.50")),
    (pa.decimal128(38, 10), Decimal("-1.5")),
    (pa.list_(pa.int32()), [1, None]),
    (pa.large_list(pa.string()), ["a"]),
    (pa.list_(pa.int32(), 2), [1, 2]),
    (pa.map_(pa.string(), pa.int32()), [("a", 1), ("b", None)]),
    (pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.large_string())]))]), {"a": 1, "b": {"c": "x"}}),
    (pa.list_(pa.struct([("a", pa.timestamp("ms", "UTC"))])), [{"a": NOW.replace(microsecond=0)}, None]),
    (pa.duration("us"), dt.timedelta(1)),
    (pa.null(), None),
    (pa.dictionary(pa.int32(), pa.string()), "a"),
]


def test_types_and_values_are_sparks(spark: SparkSession, write: Write) -> None:
    arrays = [pa.array([value, None], arrow) for arrow, value in TYPES]
    file = write(pa.table(arrays, names=[f"x{index}" for index in range(len(arrays))]))
    frame = spark.read.parquet(file.url)
    schema = ParquetFormat().infer([file], InferRequest())
    assert schema == frame.schema
    [rows] = read([file], schema)
    theirs = frame.toArrow()
    for name in theirs.schema.names:
        assert rows.batch[name].to_pylist() == theirs[name].to_pylist(), name
    assert rows.rescued is None


def test_int96_is_a_timestamp_also_in_nested_columns(spark: SparkSession, write: Write) -> None:
    far = dt.datetime(9999, 12, 31, 23, 59, 59)
    table = pa.table(
        {
            "a": pa.array([1, 2]),
            "s": pa.array([{"t": NOW}, None], pa.struct([("t", pa.timestamp("ns"))])),
            "x": pa.array([NOW, far], pa.timestamp("us")),
        }
    )
    file = write(table, use_deprecated_int96_timestamps=True)
    schema = ParquetFormat().infer([file], InferRequest())
    assert (
        schema
        == spark.read.parquet(file.url).schema
        == StructType.fromDDL("a LONG, s STRUCT<t: TIMESTAMP>, x TIMESTAMP")
    )
    assert values(read([file], schema)) == [moment.replace(tzinfo=dt.UTC) for moment in (NOW, far)]


def test_nanoseconds_are_cut_where_spark_fails(write: Write) -> None:
    file = write(column([1_001_999], pa.timestamp("ns")))
    assert ParquetFormat().infer([file], InferRequest()) == StructType.fromDDL("x TIMESTAMP_NTZ")
    assert values(read([file], "x TIMESTAMP")) == [dt.datetime(1970, 1, 1, 0, 0, 0, 1001, dt.UTC)]


def test_types_that_spark_does_not_have_are_named(write: Write) -> None:
    for arrow in (pa.time64("us"), pa.decimal256(50, 10)):
        file = write(column([None], arrow))
        with pytest.raises(InferenceFailed, match=r"has a column of type"):
            ParquetFormat().infer([file], InferRequest())


# File type, values, and the type that they are read as.  Spark's own reader answers, or fails.
READ_AS = [
    (pa.int32(), [5, -1, 300], ["smallint", "bigint", "double", "decimal(10,0)", "decimal(12,2)", "decimal(3,0)"]),
    (pa.int32(), [5, -1, 300], ["string", "float", "array<int>"]),
    (pa.int64(), [5, 2**40], ["int", "double", "decimal(22,2)", "decimal(10,0)"]),
    (pa.float32(), [1.5, None], ["double", "int"]),
    (pa.float64(), [1.5, 1e300], ["float"]),
    (pa.string(), ["1", "a"], ["int", "binary", "date"]),
    (pa.binary(), [b"1", "é".encode()], ["string"]),
    (pa.date32(), [NOW.date()], ["timestamp_ntz", "timestamp", "string"]),
    (pa.timestamp("us"), [NOW], ["timestamp", "date", "string"]),
    (pa.timestamp("us", "UTC"), [NOW], ["timestamp_ntz", "date"]),
    (pa.decimal128(5, 2), [Decimal("1.50"), Decimal("999.99")], ["decimal(10,2)", "decimal(10,4)", "decimal(5,1)"]),
    (pa.decimal128(5, 2), [Decimal("1.50")], ["decimal(5,3)", "decimal(4,2)", "double"]),
    (pa.bool_(), [True], ["int"]),
]


@pytest.mark.parametrize(("arrow", "given", "read_as"), READ_AS)
def test_a_type_fits_where_it_fits_spark(
    spark: SparkSession, write: Write, arrow: pa.DataType, given: list[Any], read_as: list[str]
) -> None:
    file = write(column(given, arrow))
    for data_type in read_as:
        found = read([file], f"x {data_type}")
        try:
            theirs = spark.read.schema(f"x {data_type}").parquet(file.url).toArrow()["x"].to_pylist()
        except Exception as error:
            assert "PARQUET_COLUMN_DATA_TYPE_MISMATCH" in str(error) or "struct" in data_type or "array" in data_type
            assert values(found) == [None] * len(given)
            assert [bool(rest) for rest in rescued(found)] == [value is not None for value in given]
            with pytest.raises(UnreadableFile, match=r"column x is"):
                read([file], f"x {data_type}", rescue=False)
        else:
            assert values(found) == theirs, data_type
            assert rescued(found) == [None] * len(given)


def test_numbers_that_are_too_large_are_rescued_one_by_one(write: Write) -> None:
    file = write(column([5, 300, None], pa.int32()))
    found = read([file], "x TINYINT")
    assert values(found) == [5, None, None]
    assert rescued(found) == [None, {"x": 300}, None]


def test_bytes_that_are_no_text_stay_what_they_are(spark: SparkSession, write: Write) -> None:
    file = write(column([b"a\xff"]))
    [rows] = read([file], "x STRING")
    theirs = spark.read.schema("x STRING").parquet(file.url).selectExpr("CAST(x AS BINARY) AS x").first()
    assert rows.batch["x"].cast(pa.binary()).to_pylist() == [theirs.x] == [b"a\xff"]


def test_unknown_columns_are_rescued_dropped_or_an_error(write: Write) -> None:
    file = write({"x": [1, 2], "y": ["a", None], "Z": [1.5, None]})
    assert rescued(read([file], "x LONG")) == [{"y": "a", "Z": 1.5}, None]
    assert rescued(read([file], "x LONG", on_unknown="ignore")) == [None, None]
    with pytest.raises(UnknownFields, match=r"NEW_FIELDS_IN_FILE\] Encountered unknown fields during parsing: \[y,Z\]"):
        read([file], "x LONG", on_unknown="error")


def test_columns_in_another_case_are_rescued_unless_case_does_not_matter(write: Write) -> None:
    file = write({"X": [1], "s": [{"A": 1}]})
    schema = "x LONG, s STRUCT<a: LONG>"
    for on_unknown in ("error", "rescue", "ignore"):
        found = read([file], schema, on_unknown=on_unknown)
        assert (values(found), rescued(found)) == ([None], [{"X": 1, "s": {"A": 1}}])
    found = read([file], schema, case_sensitive=False)
    assert (values(found), values(found, "s"), rescued(found)) == ([1], [{"a": 1}], [None])
    assert rescued(read([file], schema, rescue=False, on_unknown="ignore")) == [None]


def test_missing_columns_are_null(write: Write) -> None:
    file = write({"x": [1, 2]})
    found = read([file], "y STRING, x LONG, s STRUCT<a: INT>")
    assert (values(found), values(found, "y"), values(found, "s")) == ([1, 2], [None, None], [None, None])


def test_without_columns_there_are_still_rows(write: Write) -> None:
    [rows] = read([write({"x": [1, 2]}), write({"x": [3]})], StructType([]), rescue=False, on_unknown="ignore")
    assert [count for _, count in rows.counts] == [2, 1]


def test_fields_of_structs_are_matched_by_name(write: Write) -> None:
    given = [{"a": 1, "b": "x", "c": [{"d": 1, "e": 2}]}, {"a": None, "b": None, "c": None}, None]
    file = write(column(given))
    found = read([file], "x STRUCT<b: STRING, n: INT, a: STRING, c: ARRAY<STRUCT<d: LONG>>>")
    assert values(found) == [
        {"b": "x", "n": None, "a": None, "c": [{"d": 1}]},
        {"b": None, "n": None, "a": None, "c": None},
        None,
    ]
    assert rescued(found) == [{"x": {"a": 1, "c": [{"e": 2}]}}, None, None]
    with pytest.raises(UnknownFields, match=r"\[x\.c\.element\.e\]"):
        read([file], "x STRUCT<b: STRING, a: LONG, c: ARRAY<STRUCT<d: LONG>>>", on_unknown="error")


def test_maps_are_read(write: Write) -> None:
    file = write(
        column(
            [[("a", {"v": 1, "w": 2})], None], pa.map_(pa.string(), pa.struct([("v", pa.int32()), ("w", pa.int32())]))
        )
    )
    found = read([file], "x MAP<STRING, STRUCT<v: BIGINT>>")
    assert values(found) == [[("a", {"v": 1})], None]
    assert rescued(found) == [{"x": {"a": {"w": 2}}}, None]


def test_rescued_values_are_json(write: Write) -> None:
    given = {
        "decimal": pa.array([Decimal("1.10")]),
        "big": pa.array([2**63 - 1]),
        "day": pa.array([NOW.date()]),
        "time": pa.array([NOW], pa.timestamp("us", "UTC")),
        "bytes": pa.array([b"\xff\x00"]),
        "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())),
        "nan": pa.array([float("nan")]),
    }
    [rows] = read([write(pa.table(given))], "x INT")
    [text] = rows.rescued.to_pylist()
    assert '"decimal":1.10,"big":9223372036854775807' in text
    assert json.loads(text)["map"] == {"a": 1}
    assert json.loads(text)["day"] == "2020-01-01"


MERGES = [
    (pa.int32(), pa.int64()),
    (pa.float32(), pa.float64()),
    (pa.int32(), pa.string()),
    (pa.date32(), pa.timestamp("us")),
]
MERGES += [
    (pa.decimal128(5, 2), pa.decimal128(10, 2)),
    (pa.decimal128(10, 2), pa.decimal128(10, 4)),
    (pa.int32(), pa.int32()),
]
MERGES += [
    (pa.struct([("a", pa.int32())]), pa.struct([("b", pa.int32())])),
    (pa.list_(pa.int32()), pa.list_(pa.int64())),
]
MERGES += [(pa.list_(pa.struct([("a", pa.int32())])), pa.list_(pa.struct([("b", pa.int32())])))]


@pytest.mark.slow
def test_schemas_are_merged_as_spark_merges_them(spark: SparkSession, write: Write) -> None:
    for one, other in MERGES:
        files = [write(column([None], one)), write(column([None], other))]
        try:
            theirs = spark.read.option("mergeSchema", True).parquet(*(file.url for file in files)).schema
        except Exception as error:
            assert "CANNOT_MERGE_SCHEMA" in str(error)
            with pytest.raises(InferenceFailed, match=r"column x.* cloudFiles.schemaHints"):
                ParquetFormat().infer(files, InferRequest())
        else:
            assert ParquetFormat().infer(files, InferRequest()) == theirs


def test_columns_with_a_hint_may_disagree(write: Write) -> None:
    files = [write({"X": [1], "s": [{"a": 1}]}), write({"x": ["a"], "s": [{"a": "b"}]})]
    schema = ParquetFormat().infer(files, InferRequest(hinted=frozenset(["x", "s"])))
    assert schema == StructType.fromDDL("X LONG, s STRUCT<a: LONG>")
    with pytest.raises(InferenceFailed, match=r"column s\.a"):
        ParquetFormat().infer(files, InferRequest(hinted=frozenset(["x"])))


def test_names_that_differ_in_case_are_one_column(write: Write) -> None:
    files = [write({"Id": [1]}), write({"ID": [1], "s": [{"A": 1}]}), write({"S": [{"a": 1}]})]
    assert ParquetFormat().infer(files, InferRequest()) == StructType.fromDDL("Id LONG, s STRUCT<A: LONG>")
    assert ParquetFormat().infer(files[:2], InferRequest(case_sensitive=True)).names == ["Id", "ID", "s"]


def test_small_files_share_a_batch_and_large_ones_are_cut(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "BATCH_BYTES", 1000)
    small = [write({"x": [number]}) for number in range(5)]
    large = write({"x": list(range(1000))}, row_group_size=300)
    found = read([*small, large, small[0]], "x LONG")
    assert values(found) == [*range(5), *range(1000), 0]
    assert all(rows.batch.nbytes <= 1100 for rows in found)
    assert [file for file, _ in found[0].counts][:5] == small
    assert len(found) < 15


def test_a_file_with_rescued_rows_shares_a_batch_with_others(write: Write) -> None:
    files = [write({"x": [1]}), write({"x": [2], "y": [2]}), write({"x": [3]})]
    [rows] = found = read(files, "x LONG")
    assert rescued(found) == [None, {"y": 2}, None]
    assert rows.counts == [(file, 1) for file in files]


def test_a_large_file_is_read_in_pieces(write: Write) -> None:
    file = write({"x": ["y" * 1000 + str(number) for number in range(30_000)]}, compression="none")
    found = read([file], "x STRING")
    assert len(found) >= 3
    assert all(rows.batch.nbytes < 1.2 * base.BATCH_BYTES for rows in found)
