"""Fast path or row reader, same rows: both read the same bytes, however odd.

The row reader is what agrees with Spark's own readers (``test_agreement``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as T

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.csv.blocks import CsvBlock
from pyspark_cloudfiles.formats.csv.cutters import ArrowCutter
from pyspark_cloudfiles.formats.csv.dialect import Dialect
from pyspark_cloudfiles.formats.csv.header import Header

thorough = settings(
    max_examples=100,
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
QUOTED += [
    "#",
    "#b",
    " #",
    "\\",
    'a\\"',
    '"X"',
    '"1"',
    ' "a"',
    '"a\tb"',
    "\\n",
    '"é"',
    '"a"""',
    '"\\""',
    '"a" "b"',
    "'a'",
    "'",
]
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
OPTIONS += [
    {"comment": "#"},
    {"comment": "a", "header": "false"},
    {"linesep": "|"},
    {"linesep": "\n"},
    {"linesep": "\r\n"},
]
OPTIONS += [{"multiline": "true"}, {"emptyvalue": "X"}, {"ignoreleadingwhitespace": "true"}, {"sep": "||"}]
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
    ends = ENDS + [options["linesep"].encode()] * 30 if "linesep" in options else ENDS
    header = draw(st.sampled_from([["a", "b", "c"]] * 4 + [["b", "A", "d"], ["a", "a", "b"], ["c", "é", ""], ["a"]]))
    files = []
    for _ in range(draw(st.integers(1, 3))):
        rows = draw(st.lists(st.tuples(cells(separator), st.sampled_from(ends)).map(b"".join), max_size=8))
        start = draw(st.sampled_from([b"", b"", b"", b"\n", b" \n", b"#x\n", b"\n#\n", b"\xef\xbb\xbf"]))
        files.append(start + separator.join(header).encode() + draw(st.sampled_from(ends)) + b"".join(rows))
    return files, options


requests = st.fixed_dictionaries(
    {
        "unknown": st.sampled_from([("rescue", True), ("rescue", False), ("ignore", False), ("error", True)]),
        "case_sensitive": st.booleans(),
        "mode": st.sampled_from(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]),
        "corrupt_column": st.sampled_from([None, "_corrupt"]),
        "timezone": st.sampled_from(["UTC", "America/New_York"]),
    }
)


def asked(types: list[T.DataType], request: dict[str, Any], options: dict[str, str]) -> ReadRequest:
    on_unknown, rescue = request["unknown"]
    fields = [T.StructField(name, data_type) for name, data_type in zip("abc", types, strict=True)]
    corrupt = request["corrupt_column"]
    schema = T.StructType([*fields, T.StructField(corrupt, T.StringType())] if corrupt else fields)
    others = {name: value for name, value in request.items() if name != "unknown"}
    return ReadRequest(schema, on_unknown=on_unknown, rescue=rescue, options=options, **others)


def put(directory: Path, contents: list[bytes]) -> list[SourceFile]:
    files = []
    for number, content in enumerate(contents):
        (directory / f"{number}").write_bytes(content)
        files.append(SourceFile(f"file:{directory / str(number)}", len(content), 0))
    return files


SCALARS = [
    "1",
    "-0",
    "0",
    "1.5",
    "1.50",
    "-0.0",
    "1e3",
    "1e400",
    "NaN",
    "-Infinity",
    "01",
    "99999999999999999999",
    "300",
]
SCALARS += [
    "true",
    "false",
    "null",
    '"a"',
    '""',
    '"é"',
    '"a\\nb"',
    '"\\u0061"',
    '"\\ud800"',
    '"\\/"',
    '"NaN"',
    '"1"',
    "'a'",
]
SCALARS += [
    '"2024-01-02"',
    '"2024-01-02T03:04:05Z"',
    '"2024-01-02 03:04:05"',
    '"2024-02-30"',
    '"1.555"',
    '"1,0"',
    '" 1"',
]
SCALARS += [
    "12.345",
    "1e-2",
    '"a"b',
    '"',
    "[1]",
    '{"x":1}',
    "{}",
    "[]",
    '"\\q"',
    '"a\tb"',
    '"u"',
    '"b"',
    "1 ",
    " 1",
    "--1",
]
NAMES = ["a", "b", "c"] * 4 + ["u", "A", "v w", "\\u0061", "", "é", '\\"']
ODD_LINES = [
    b"",
    b" ",
    b"null",
    b"1",
    b"[]",
    b'[{"a":1},{"b":"x"}]',
    b'{"a":1}{"a":2}',
    b'{"a":1}null',
    b'{"a":1} x',
    b" {}",
]
ODD_LINES += [
    b'{"a":1}}',
    b'{"a"',
    b"}{",
    b'{"a":"\xff"}',
    b"\xef\xbb\xbf{}",
    b'{"u":null}',
    b'{"a":1,}',
    b"{'a':1}",
    b"{}",
]
ODD_LINES += [b'{"a":' + b"[" * 600 + b"]" * 600 + b"}", b'{"z":' + b'{"z":' * 1100 + b"1" + b"}" * 1101, b'{"a":1}\t']
JSON_TYPES: list[T.DataType] = [
    *TYPES,
    T.StringType(),
    T.VariantType(),
    T.ArrayType(T.LongType()),
    T.MapType(T.StringType(), T.LongType()),
]
JSON_TYPES += [T.StructType([T.StructField("x", T.LongType()), T.StructField("y", T.StringType())])]
JSON_TYPES += [T.ArrayType(T.StructType([T.StructField("x", T.TimestampType())])), T.ArrayType(T.StringType())]
JSON_TYPES += [T.StructType([T.StructField("x", T.ArrayType(T.DateType()))])]


@st.composite
def json_files(draw: Any) -> list[bytes]:
    """Files whose fields mostly have one kind of value, as files have."""
    nested = st.recursive(
        st.sampled_from(SCALARS),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
            st.lists(st.tuples(st.sampled_from("xyz"), inner), max_size=3, unique_by=lambda item: item[0]).map(
                lambda items: "{" + ",".join(f'"{name}": {value}' for name, value in items) + "}"
            ),
        ),
        max_leaves=5,
    )
    usual = {name: draw(st.lists(nested, min_size=1, max_size=2)) for name in set(NAMES)}
    lines = []
    for _ in range(draw(st.integers(0, 12))):
        if draw(st.integers(0, 9)) == 0:
            lines.append(draw(st.sampled_from(ODD_LINES)))
            continue
        names = draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=draw(st.integers(0, 9)) > 0))
        values = [draw(nested if draw(st.integers(0, 7)) == 0 else st.sampled_from(usual[name])) for name in names]
        lines.append(("{" + ", ".join(f'"{n}":{v}' for n, v in zip(names, values, strict=True)) + "}").encode())
    files = [b""] * draw(st.integers(1, 3))
    for line in lines:
        files[draw(st.integers(0, len(files) - 1))] += line + draw(st.sampled_from(ENDS))
    return files


PLAIN: dict[str, Any] = {"unknown": ("rescue", False), "case_sensitive": False, "mode": "PERMISSIVE"}
PLAIN |= {"corrupt_column": None, "timezone": "UTC"}
RESCUING = PLAIN | {"unknown": ("rescue", True), "case_sensitive": True}


@pytest.mark.slow
@thorough
@example(files=([b"a,b,c|1,x\ry,2|3,z\nz,4"], {"linesep": "|"}), request_=PLAIN, types=[T.StringType()] * 3)
@example(files=([b"#x\n\n#\na,b,c\n#1\n1,#,2\n #,1,2"], {"comment": "#"}), request_=PLAIN, types=[T.StringType()] * 3)
@example(files=([b'a,b,c\n"",null,N"a"\n'], {"escape": ""}), request_=PLAIN, types=[T.StringType()] * 3)
@given(files=csv_files(), request_=requests, types=st.lists(st.sampled_from(TYPES), min_size=3, max_size=3))
def test_csv_rows(
    assert_paths_agree: Any, tmp_path: Path, files: Any, request_: dict[str, Any], types: list[T.DataType]
) -> None:
    contents, options = files
    there = put(tmp_path, contents)
    request = asked(types, request_, options)
    assert_paths_agree("csv", there, request)


@thorough
@given(files=csv_files(), infer_types=st.booleans())
def test_csv_types(assert_paths_agree: Any, tmp_path: Path, files: Any, infer_types: bool) -> None:
    contents, options = files
    there = put(tmp_path, contents)
    request = InferRequest(infer_types=infer_types, options=options)
    assert_paths_agree("csv", there, request)


@pytest.mark.parametrize("odd", ['1,"x""y",z', "1,2", '1,"x"y,z', "1,2,3,4"])
def test_one_odd_line_of_csv_leaves_the_others_to_arrow(odd: str) -> None:
    data = "".join(f'{number},"a, b",c\n' for number in range(100)) + odd + "\n1,2,3\n"
    block = CsvBlock([(SourceFile("file:/f", 1, 0), 102)], data.encode(), Header(["a", "b", "c"], [], []))
    assert ArrowCutter(Dialect.of({})).cells(block, [0]).refused == [100]


@pytest.mark.slow
@thorough
@example(files=[b'{"a":1000}\n{"a":1.5}\n{"a":[99.99]}'], request_=PLAIN, types=[T.DecimalType(5, 2)] * 3)
@example(files=[b'{"a":[1000]}\n{"a":[9.5]}'], request_=PLAIN, types=[T.ArrayType(T.DecimalType(5, 2))] * 3)
@given(files=json_files(), request_=requests, types=st.lists(st.sampled_from(JSON_TYPES), min_size=3, max_size=3))
def test_json_rows(
    assert_paths_agree: Any, tmp_path: Path, files: list[bytes], request_: dict[str, Any], types: list[T.DataType]
) -> None:
    there = put(tmp_path, files)
    request = asked(types, request_, {})
    assert_paths_agree("json", there, request)


@thorough
@given(files=json_files(), request_=requests)
def test_json_texts(assert_paths_agree: Any, tmp_path: Path, files: list[bytes], request_: dict[str, Any]) -> None:
    there = put(tmp_path, files)
    request = asked([T.StringType()] * 3, request_, {})
    assert_paths_agree("json", there, request)


@thorough
@given(
    files=json_files(),
    request_=requests,
    types=st.lists(st.sampled_from(JSON_TYPES), min_size=3, max_size=3),
    separator=st.sampled_from(["|", "\n", "}{", "\r\n"]),
)
def test_json_lines_with_an_end_of_their_own(
    assert_paths_agree: Any,
    tmp_path: Path,
    files: list[bytes],
    request_: dict[str, Any],
    types: list[T.DataType],
    separator: str,
) -> None:
    there = put(tmp_path, [content.replace(b"\n", separator.encode()) for content in files])
    request = asked(types, request_, {"linesep": separator})
    assert_paths_agree("json", there, request)


@thorough
@example(files=[b'{"a":{"x": 1}, "b": 1.5}'], request_=PLAIN, types=[T.StringType()] * 3, form="pretty documents")
@example(files=[b'{"a":1, "d":{"x": 1}}'], request_=RESCUING, types=[T.LongType()] * 3, form="pretty array")
@example(files=[b'{"a":"x, y"}'], request_=PLAIN, types=[T.StringType()] * 3, form="pretty documents")
@example(files=[b'{"a":1e3}'], request_=PLAIN, types=[T.DecimalType(5, 2)] * 3, form="array")
@given(
    files=json_files(),
    request_=requests,
    types=st.lists(st.sampled_from(JSON_TYPES), min_size=3, max_size=3) | st.just([T.StringType()] * 3),
    form=st.sampled_from(["array", "pretty array", "pretty documents"]),
)
def test_json_over_several_lines(
    assert_paths_agree: Any,
    tmp_path: Path,
    files: list[bytes],
    request_: dict[str, Any],
    types: list[T.DataType],
    form: str,
) -> None:
    there = put(tmp_path, list(documents(files, form)))
    request = asked(types, request_, {"multiline": "true"})
    assert_paths_agree("json", there, request)


def is_object(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=dict)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True


def documents(files: list[bytes], form: str) -> Iterator[bytes]:
    """Make documents of lines: an array of them in each file, or a file for each."""
    for content in files:
        lines = [line for line in content.splitlines() if line.strip()]
        if "pretty" in form:
            lines = [line.replace(b", ", b",\r\n  ").replace(b": ", b":\n") for line in lines]
        if form.endswith("array"):
            # Where one is no JSON the whole file is malformed, which says little.
            lines = [line for line in lines if is_object(line)]
            yield b"[" + b",\n".join(lines) + b"]"
        else:
            yield from lines
