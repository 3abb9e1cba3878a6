"""The quick lane is the slow lane wherever it answers: both read the same bytes, however odd, and must give the same.

The slow lane is what agrees with Spark's own readers (``test_agreement``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as T

from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.formats import csv_format, format_named
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.csv_arrow import Cutter

lanes = settings(
    max_examples=3000 if os.environ.get("CLASSROOM_LONG_TESTS") else 100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

CELLS = [
    "",
    "a",
    "b c",
    "é",
    "1",
    "-0",
    "007",
    "1.5",
    "nan",
    "NaN",
    "0x1F",
    "99999999999999999999",
    "true",
    "2024-02-30",
]
CELLS += ["2024-01-02", "2024-01-02T03:04:05Z", "2024-01-02 03:04:05", " x ", "X", "N", "null"]
QUOTED = [
    '"a"',
    '""',
    '"a,b"',
    '"a""b"',
    '"a\\"b"',
    '"a\\\\"',
    '"a\\n"',
    '"a" ',
    '"a"x',
    'a"b',
    '"',
    '"a',
    '""""',
    '"\\"',
]
QUOTED += ["\\", 'a\\"', '"X"', '"1"', ' "a"', '"a\tb"', "\\n", '"é"', '"a"""', '"\\""', '"a" "b"', "'a'", "'"]
BYTES = [b"\xff", b"\xc3", b"\x00", b"\t", b"\xe2\x80\xa8", b"\x85", b"\x1c", b"\x0b", b"\xef\xbb\xbf", b"\xed\xa0\x80"]
ENDS = [b"\n"] * 12 + [b"\r\n", b"\r", b"\n\n", b"\n \n", b"\n\x00\n", b"\r\r\n"]
OPTIONS: list[dict[str, str]] = [
    {},
    {},
    {"escape": '"'},
    {"nullvalue": "X"},
    {"quote": "'"},
    {"quote": ""},
    {"sep": "\t"},
]
OPTIONS += [{"header": "false"}, {"escape": ""}, {"sep": "|", "nullvalue": "N"}, {"quote": '"', "escape": "'"}]
OPTIONS += [{"escape": '"', "nullvalue": "X"}, {"chartoescapequoteescaping": "#"}, {"nanvalue": "N"}]
TYPES: list[T.DataType] = [T.StringType(), T.StringType(), T.IntegerType(), T.LongType(), T.ByteType(), T.DoubleType()]
TYPES += [T.FloatType(), T.DecimalType(5, 2), T.BooleanType(), T.DateType(), T.TimestampType(), T.TimestampNTZType()]


def cells(separator: str) -> st.SearchStrategy[bytes]:
    plain = st.sampled_from(CELLS).map(str.encode)
    odd = st.one_of(st.sampled_from(QUOTED).map(str.encode), st.sampled_from(BYTES))
    cell = st.one_of(plain, plain, plain, odd, st.tuples(plain, odd).map(b"".join))
    row = st.one_of(st.lists(cell, min_size=3, max_size=3), st.lists(cell, min_size=3, max_size=3), st.lists(cell))
    return row.map(separator.encode().join)


@st.composite
def csv_files(draw: Any) -> tuple[list[bytes], dict[str, str]]:
    options = draw(st.sampled_from(OPTIONS))
    separator = options.get("sep", ",")
    header = draw(st.sampled_from([["a", "b", "c"]] * 4 + [["b", "A", "d"], ["a", "a", "b"], ["c", "é", ""], ["a"]]))
    files = []
    for _ in range(draw(st.integers(1, 3))):
        rows = draw(st.lists(st.tuples(cells(separator), st.sampled_from(ENDS)).map(b"".join), max_size=8))
        start = draw(st.sampled_from([b"", b"", b"", b"\n", b" \n", b"\xef\xbb\xbf"]))
        files.append(start + separator.join(header).encode() + draw(st.sampled_from(ENDS)) + b"".join(rows))
    return files, options


requests = st.fixed_dictionaries(
    {
        "on_unknown": st.sampled_from(["rescue", "ignore"]),
        "rescue": st.booleans(),
        "case_sensitive": st.booleans(),
        "mode": st.sampled_from(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]),
        "corrupt_column": st.sampled_from([None, "_corrupt"]),
        "timezone": st.sampled_from(["UTC", "America/New_York"]),
    }
)


def schema(types: list[T.DataType], corrupt: str | None) -> T.StructType:
    fields = [T.StructField(name, data_type) for name, data_type in zip("abc", types, strict=True)]
    return T.StructType([*fields, T.StructField(corrupt, T.StringType())] if corrupt else fields)


def put(directory: Path, contents: list[bytes]) -> list[SourceFile]:
    files = []
    for number, content in enumerate(contents):
        (directory / f"{number}").write_bytes(content)
        files.append(SourceFile(f"file:{directory / str(number)}", len(content), 0))
    return files


def outcome(name: str, files: list[SourceFile], request: ReadRequest) -> Any:
    """Return all rows with what was rescued, and how many each file gave; or the error."""
    rows, per_file = [], dict.fromkeys(files, 0)
    try:
        for part in format_named(name).read(files, request):
            assert sum(count for _, count in part.counts) == part.batch.num_rows
            rescued = part.rescued.to_pylist() if part.rescued is not None else [None] * part.batch.num_rows
            rows += [(*row, left) for row, left in zip(comparable(part.batch), rescued, strict=True)]
            for file, count in part.counts:
                per_file[file] += count
    except CloudFilesError as error:
        return type(error), str(error)
    return rows, list(per_file.values())


def comparable(batch: pa.RecordBatch) -> list[tuple[str, ...]]:
    columns = []
    for column in batch.columns:
        if pa.types.is_temporal(column.type):
            column = column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64())
        columns.append([repr(value) for value in column.to_pylist()])
    return list(zip(*columns, strict=True))


@contextmanager
def slow_csv() -> Iterator[None]:
    with patch.object(csv_format, "is_plain", lambda dialect: False):
        yield


@lanes
@given(files=csv_files(), request_=requests, types=st.lists(st.sampled_from(TYPES), min_size=3, max_size=3))
def test_csv_rows(tmp_path: Path, files: Any, request_: dict[str, Any], types: list[T.DataType]) -> None:
    contents, options = files
    there = put(tmp_path, contents)
    request = ReadRequest(schema(types, request_["corrupt_column"]), options=options, **request_)
    with slow_csv():
        slow = outcome("csv", there, request)
    assert outcome("csv", there, request) == slow


@lanes
@given(files=csv_files(), infer_types=st.booleans())
def test_csv_types(tmp_path: Path, files: Any, infer_types: bool) -> None:
    contents, options = files
    there = put(tmp_path, contents)
    request = InferRequest(infer_types=infer_types, options=options)
    with slow_csv():
        slow = format_named("csv").infer(there, request)
    assert format_named("csv").infer(there, request) == slow


@pytest.mark.parametrize("odd", ['1,"x""y",z', "1,2", '1,"x"y,z', "1,2,3,4"])
def test_one_odd_line_of_csv_leaves_the_others_to_arrow(odd: str) -> None:
    data = "".join(f'{number},"a, b",c\n' for number in range(100)) + odd + "\n1,2,3\n"
    dialect = csv_format.Dialect.of({})
    assert Cutter(dialect).cells(data.encode(), 3, [0]).refused == [100]
