"""JSON and CSV, value for value as Spark's own readers have them, over generated files.

A generated file has many records, for a Spark job costs more than a thousand of them.  Left out is where Spark's parser
continues in the middle of a record that it could not read: names that come twice, invalid base64 and broken values
inside of nested ones.
"""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import find_format
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest

ROWS = 1000
agreement = settings(
    max_examples=20,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

TIMES = ["2024-01-02", "2024-1-2", "2024", "2024-05", "2024-13-01", "2024-02-30", " 2024-01-02 ", "0001-01-01"]
TIMES += ["2024-01-02 03:04:05", "2024-01-02T03:04:05.123456789Z", "1999-12-31T23:59:59+05:30", "2024-01-02 3:4:5"]
TIMES += [
    "2024-01-02 03:04:05 America/New_York", "2024-01-02 03:04:05UTC+3", "2024-03-10 02:30:00",
    "2024-01-01 00:00:00 PST", "2024-01-02 25:00:00", "2024-01-02T",
]  # fmt: skip
TIMES += ["1883-01-01 00:00:00 America/New_York", "1582-10-10", "-1-01-01", "+2024-01-01", "2024-01-02 03:04:05."]
TEXTS = [
    "", "a", "b c", "é", "😀", "1", "-2", "3.5", "true", "null", "NaN", "Infinity", "-INF", "1,000.50", "it's", *TIMES,
]  # fmt: skip
NUMBERS = ["0", "-0", "127", "128", "-129", "32768", "2147483648", "9223372036854775807", "9223372036854775808"]
NUMBERS += [
    "123456789012345678901234567890", "1.50", "-0.0", "1e3", "1E-3", "1e400", "16777217", "3.4028236e38", "1e-50",
]  # fmt: skip
NUMBERS += [
    "99999.995", "99999.994", "0.005", "12345678901234567890.123", "1700000000", "4.9e-324", "100e-2",
]  # fmt: skip
BROKEN = [
    "01", "+1", ".5", "1.", "tru", "'s'", "INF", "NaN", "-Infinity", "1x", '"\\q"', '"a\tb"', "", "0x10", "1e", "'\"'",
]  # fmt: skip
ESCAPED = ["\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud800", '\\"q', "\\/", '{\\"a\\":1}']
JSON_TYPES = ["tinyint", "smallint", "int", "bigint", "double", "float"]
JSON_TYPES += ["boolean", "string", "timestamp", "date", "timestamp_ntz", "decimal(7,2)"]
CSV_TYPES = [*JSON_TYPES, "decimal(38,18)", "string", "binary"]
JSON_TYPES += [
    "decimal(38,18)", "decimal(20,0)", "array<int>", "array<string>", "struct<x:int,y:string>", "map<string,int>",
]  # fmt: skip
JSON_TYPES += [
    "array<struct<x:int,y:double>>",
    "struct<x:array<int>,y:struct<x:int,z:date>>",
    "map<string,array<double>>",
]
CSV_ODD = [
    '"a"', '"a,b"', '"a""b"', '"a\\"b"', '"a" ', '"a"x', 'a"b', '"a\\\\"', '""""', "\\", ' "a"', '"a" "b"',
]  # fmt: skip
CSV_ODD += [
    "1f", " 1", "1 ", "TRUE", "Inf", "-Inf", "+NaN", "1_000", "0x1p3", "1e-501700000000", '"1"', '"2024-01-02"', "\t",
    "#c",
]  # fmt: skip
CSV_OPTIONS = [
    {},
    {"escape": '"'},
    {"escape": "#"},
    {"sep": "|"},
    {"sep": "\t"},
    {"quote": "'"},
    {"quote": ""},
    {"unescapedQuoteHandling": "STOP_AT_CLOSING_QUOTE"},
    {"nullValue": "-2"},
    {"emptyValue": "E"},
    {"nanValue": "a", "positiveInf": "1"},
    {"comment": "#"},
    {"timeZone": "America/New_York"},
    {"ignoreLeadingWhiteSpace": "true"},
]


class JsonLines:
    """Makes lines of JSON, most of them sound."""

    def __init__(self, seed: int, numbers: list[str] = NUMBERS) -> None:
        self.random = random.Random(seed)
        self.numbers = numbers

    def line(self) -> str:
        names = self.random.sample("abcdu", self.random.randrange(1, 5))
        line = "{" + ",".join(f'"{name}":{self.value()}' for name in names) + "}"
        chance = self.random.random()
        if chance < 0.03:
            return line + self.random.choice([" x", "{}", "}", ","])
        if chance < 0.06:
            return self.random.choice(["null", "1", '"s"', "{}", "}{", '{"a"}', '{"a":}', "{'a':1}", "  {}", '{"a":1'])
        return line.replace(",", ",,", 1) if chance < 0.07 else line

    def value(self, depth: int = 0) -> str:
        chance = self.random.random()
        if chance < 0.3:
            return f'"{self.random.choice(TEXTS + ESCAPED)}"'
        if chance < 0.6:
            return self.random.choice(self.numbers)
        if chance < 0.7 or depth > 2:
            return self.random.choice(["true", "false", "null"])
        if chance < 0.78 and not depth:
            return self.random.choice(BROKEN)
        blank = self.random.choice(["", " "])
        count = self.random.randrange(4)
        if chance < 0.89:
            return "[" + ("," + blank).join(self.value(depth + 1) for _ in range(count)) + "]"
        names = self.random.sample("xyzk", count)
        return "{" + ("," + blank).join(f'"{name}":{blank}{self.value(depth + 1)}' for name in names) + "}"


def agree_on_values(spark: SparkSession, path: Path, text: str, ddl: str, options: dict[str, str]) -> None:
    """Read a file both ways and compare."""
    path.write_text(text)
    schema = StructType.fromDDL(ddl)
    request = ReadRequest(
        schema,
        on_unknown="ignore",
        rescue=False,
        corrupt_column="_corrupt_record",
        options={key.lower(): value for key, value in options.items()},
    )
    form = find_format(path.suffix[1:])
    ours = pa.Table.from_batches([part.batch for part in form.read([source(path)], request)])
    frame = spark.read.schema(schema).options(**options).format(path.suffix[1:]).load(path.as_uri())
    expected = comparable(frame.toArrow())
    for row, (mine, theirs) in enumerate(zip(comparable(ours), expected, strict=True)):
        assert mine == theirs, f"row {row} of {ddl} with {options}"


def comparable(table: pa.Table) -> list[tuple[str, ...]]:
    """Return rows as texts: NaN equals itself, -0.0 is not 0.0, and no year is too far away."""
    columns = []
    for column in table.columns:
        if pa.types.is_temporal(column.type):
            column = column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64())
        columns.append([repr(value) for value in column.to_pylist()])
    return list(zip(*columns, strict=True))


def agree_on_types(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    """Infer a file's schema both ways and compare."""
    frame = spark.read.options(**options).format(path.suffix[1:]).load(path.as_uri())
    lower = {key.lower(): value for key, value in options.items()}
    request = InferRequest(infer_types=True, case_sensitive=True, options=lower)
    assert find_format(path.suffix[1:]).infer([source(path)], request) == frame.schema, path.read_text()


def source(path: Path) -> SourceFile:
    return SourceFile(path.as_uri().replace("///", "/"), path.stat().st_size, 0)


@agreement
@given(seed=st.integers(0, 2**32), types=st.lists(st.sampled_from(JSON_TYPES), min_size=4, max_size=4))
def test_json_values(spark: SparkSession, tmp_path: Path, seed: int, types: list[str]) -> None:
    lines = JsonLines(seed)
    text = "\n".join(lines.line() for _ in range(ROWS))
    ddl = ", ".join(f"{name} {kind}" for name, kind in zip("abcd", types, strict=True)) + ", _corrupt_record STRING"
    agree_on_values(spark, tmp_path / "f.json", text, ddl, {})


@pytest.mark.parametrize("multi_line", ["false", "true"])
@pytest.mark.parametrize("options", CSV_OPTIONS)
def test_csv_values(spark: SparkSession, tmp_path: Path, options: dict[str, str], multi_line: str) -> None:
    chance = random.Random(CSV_OPTIONS.index(options))
    separator = options.get("sep", ",")
    lines = [separator.join(["p", "q", "r"])]
    while len(lines) < ROWS:
        width = 3 if chance.random() < 0.9 else chance.randrange(1, 6)
        line = separator.join(chance.choice(TEXTS + NUMBERS + CSV_ODD) for _ in range(width))
        lines += [line] if line.strip() else []
    types = chance.sample(CSV_TYPES, 2)
    ddl = f"p {types[0]}, q STRING, r {types[1]}, _corrupt_record STRING"
    options = {"header": "true", "multiLine": multi_line, **options}
    agree_on_values(spark, tmp_path / "f.csv", "\n".join(lines), ddl, options)


@agreement
@given(
    seed=st.integers(0, 2**32), option=st.sampled_from(["", "prefersDecimal", "inferTimestamp", "primitivesAsString"])
)
def test_json_types(spark: SparkSession, tmp_path: Path, seed: int, option: str) -> None:
    # Spark fails at decimals with a positive exponent.
    plain = [number for number in NUMBERS if "e" not in number.lower()]
    lines = JsonLines(seed, plain if option == "prefersDecimal" else NUMBERS)
    rows = []
    for _ in range(3):
        values = {name: lines.value(1) for name in "abcd"}
        rows.append("{" + ",".join(f'"{name}":{value}' for name, value in values.items()) + "}")
    (tmp_path / "f.json").write_text("\n".join(rows))
    agree_on_types(spark, tmp_path / "f.json", {option: "true"} if option else {})


@agreement
@given(seed=st.integers(0, 2**32), options=st.sampled_from([{}, {"preferDate": "false"}, {"nullValue": "1"}]))
def test_csv_types(spark: SparkSession, tmp_path: Path, seed: int, options: dict[str, str]) -> None:
    chance = random.Random(seed)
    pools: list[list[str]] = [
        TEXTS,
        NUMBERS,
        ["1", "3000000000", ""],
        ["2024-01-02", "2024-01-02 03:04", ""],
        ["true", ""],
    ]
    columns = [chance.choice(pools) for _ in range(3)]
    rows = [",".join(chance.choice(column).replace(",", "") or '""' for column in columns) for _ in range(4)]
    (tmp_path / "f.csv").write_text("p,q,r\n" + "\n".join(rows))
    agree_on_types(spark, tmp_path / "f.csv", {"header": "true", "inferSchema": "true", **options})


@pytest.mark.parametrize("timezone", ["America/New_York", "Asia/Kolkata", "+05:30"])
def test_times_without_a_zone_are_in_the_zone_that_is_asked_for(
    spark: SparkSession, tmp_path: Path, timezone: str
) -> None:
    lines = [
        f'{{"t":"{day} {hour:02}:30:00"}}' for day in ("2024-03-10", "2024-11-03", "1850-01-01") for hour in range(5)
    ]
    (tmp_path / "f.json").write_text("\n".join(lines))
    [part] = find_format("json").read(
        [source(tmp_path / "f.json")], ReadRequest(StructType.fromDDL("t timestamp"), timezone=timezone)
    )
    frame = spark.read.schema("t timestamp").option("timeZone", timezone).json((tmp_path / "f.json").as_uri())
    assert comparable(pa.Table.from_batches([part.batch])) == comparable(frame.toArrow())
