"""Records as VARIANT: byte for byte what Spark's readers and PySpark's builder make, and malformed ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import StringType, StructField, StructType, VariantType, VariantVal
from pyspark.sql.variant_utils import VariantBuilder

from pyspark_cloudfiles.errors import InvalidOption, MalformedRecord
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import stream_format, variant_encoding
from pyspark_cloudfiles.formats.base import ReadRequest, Rows
from pyspark_cloudfiles.formats.variant_encoding import Encoder, Variant, VariantTooLargeError
from pyspark_cloudfiles.options import parse

V = StructField("v", VariantType())
CORRUPT = StructField("_corrupt_record", StringType())
ONE, BOTH = StructType([V]), StructType([V, CORRUPT])
JSON_LINES = [
    '{"a":1,"b":[1.5,"x",null,true],"c":{"d":{}}}', '{"b" : 1, "a": "\\u00e9"}', "[1,2]", '"text"',
    "12345678901234567890123", "1e3", "null", "", "  ", '{"a":1} trailing', "{'a':'single'}",
    '{"n":NaN,"i":-Infinity}', '{"a":1,"a":2}', '{"a":1, "a" :2}', '{"a":"text with \\": in it"}', '{"a":', "nothing",
    '{"a":1.10,"b":-0,"c":-0.0,"d":100000000000000000000000000000000000000000}',
]  # fmt: skip
CSV_LINES = [
    "n,m,t",
    "1,2.50,2024-01-02",
    "-3,1e3,2024-01-02 03:04:05",
    "x,4,2024-01-03",
    "5,,true",
    '"6",+7,False',
    "1,2",
    "1,2,3,4",
    '"a,b","","1,000"',
    f"{2**63},{'9' * 39},2024",
]
XML = """<x><r id="7"><a>1</a><a>2.5</a><b>true</b></r><r>text</r><r/><r><a><b k="v">x</b>t</a></r>
<r><d>2024-01-01</d><e> padded </e><f></f><g>null</g></r><r>t1<a>1</a>t2</r><r><A>1</A><a>2</a></r></x>"""


def source(path: Path) -> SourceFile:
    return SourceFile(path.as_uri().replace("///", "/"), path.stat().st_size, 0)


def read(path: Path, schema: StructType = ONE, **request: object) -> list[Rows]:
    options = {key.lower(): str(value) for key, value in request.pop("options", {}).items()}  # type: ignore[attr-defined]
    name = path.suffix[1:]
    made = stream_format(parse({"cloudfiles.format": name, "path": "/x", "singlevariantcolumn": "v"}))
    return list(made.read([source(path)], ReadRequest(schema, options=options, **{"rescue": False, **request})))


def values(rows: list[Rows]) -> list[object]:
    return [
        None if cell is None else VariantVal(cell["value"], cell["metadata"]).toPython()
        for part in rows
        for cell in part.batch.column("v").to_pylist()
    ]


def as_bytes(row: Row) -> dict[str, object]:
    variant = None if row.v is None else {"value": row.v.value, "metadata": row.v.metadata}
    return {"v": variant, "_corrupt_record": row._corrupt_record}


def agrees(spark: SparkSession, path: Path, content: str, **options: str) -> None:
    """Compare both columns, bytes of the values included."""
    path.write_text(content)
    reader = spark.read.options(singleVariantColumn="v", **options).schema(BOTH)
    expected = [as_bytes(row) for row in reader.format(path.suffix[1:]).load(path.as_uri()).collect()]
    # The session's names have no case, which only XML knows.
    found = read(path, BOTH, corrupt_column="_corrupt_record", options=options, case_sensitive=False)
    rows = [row for part in found for row in part.batch.to_pylist()]
    for mine, theirs in zip(rows, expected, strict=True):
        assert mine == theirs


def test_json_lines(spark: SparkSession, tmp_path: Path):
    agrees(spark, tmp_path / "f.json", "\n".join(JSON_LINES))


@pytest.mark.parametrize("content", ['[{"a":1},\n {"a":2}]', '{"a":\n1}', "{", ""])
def test_json_documents(spark: SparkSession, tmp_path: Path, content: str):
    agrees(spark, tmp_path / "f.json", content, multiLine="true")


@pytest.mark.parametrize("prefers", ["true", "false"])
@pytest.mark.parametrize("header", ["true", "false"])
def test_csv(spark: SparkSession, tmp_path: Path, header: str, prefers: str):
    agrees(spark, tmp_path / "f.csv", "\n".join(CSV_LINES), header=header, preferDate=prefers)


@pytest.mark.parametrize("options", [{}, {"nullValue": "null"}, {"ignoreSurroundingSpaces": "false"}])
def test_xml(spark: SparkSession, tmp_path: Path, options: dict[str, str]):
    agrees(spark, tmp_path / "f.xml", XML, rowTag="r", **options)


def test_malformed_records_are_null_by_default_and_their_text_is_rescued_where_there_is_a_column(tmp_path: Path):
    path = tmp_path / "f.json"
    path.write_text('{"a":1}\n{broken\n')
    assert values(read(path)) == [{"a": 1}, None]
    [rows] = read(path, rescue=True)
    [nothing, text] = rows.rescued.to_pylist()
    assert nothing is None and json.loads(text) == {"_corrupt_record": "{broken", "_file_path": source(path).url}


def test_malformed_records_by_mode(tmp_path: Path):
    path = tmp_path / "f.json"
    path.write_text('{"a":1}\n{broken\n')
    assert values(read(path, mode="DROPMALFORMED")) == [{"a": 1}]
    with pytest.raises(MalformedRecord, match="broken"):
        read(path, mode="FAILFAST")


def test_records_nested_too_deep_are_malformed_not_a_crash(tmp_path: Path):
    path = tmp_path / "f.json"
    path.write_text("[" * 5000 + "]" * 5000)
    assert values(read(path)) == [None]


def test_other_columns_are_refused(tmp_path: Path):
    path = tmp_path / "f.json"
    path.write_text('{"a":1}\n')
    with pytest.raises(InvalidOption, match="singleVariantColumn is v"):
        read(path, StructType([V, StructField("a", StringType())]))


@pytest.mark.parametrize("name", ["parquet", "text", "avro"])
def test_only_formats_with_records_of_text_have_it(name: str):
    with pytest.raises(InvalidOption, match="json, csv, xml"):
        stream_format(parse({"cloudfiles.format": name, "path": "/x", "singlevariantcolumn": "v"}))


INTEGERS = [0, 127, 128, -128, -129, 2**15, -(2**31), 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**37, 10**38, -(10**40)]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.sampled_from(INTEGERS),
    st.integers(-(2**70), 2**70),
)
names = st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0xD7FF), max_size=5)
records = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(names, inner, max_size=5), max_leaves=30
)


def encoded(text: str) -> Variant:
    return Encoder().variant(msgspec.json.Decoder(float_hook=variant_encoding.encode_number).decode(text))


@given(records)
def test_any_record_is_encoded_as_pyspark_does(record: Any):
    text = json.dumps(record, ensure_ascii=False)
    assert encoded(text) == VariantBuilder().build(text)


@pytest.mark.slow
@pytest.mark.parametrize("count", [255, 256, 300, 70_000])
def test_large_objects_and_arrays(count: int):
    text = json.dumps({"a": list(range(count)), **{f"k{number}": "x" * 10 for number in range(count)}})
    assert encoded(text) == VariantBuilder().build(text)


def test_what_is_too_large_is_told():
    with pytest.raises(VariantTooLargeError):
        encoded(json.dumps("x" * (variant_encoding.VARIANT_LIMIT + 1)))
    with pytest.raises(VariantTooLargeError):
        encoded(json.dumps(["x" * 1000] * 20_000))
