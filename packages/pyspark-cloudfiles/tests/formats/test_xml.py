"""XML, compared with Spark's own reader over the same files."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructType

from pyspark_cloudfiles.errors import (
    InvalidOption,
    MalformedRecord,
    MissingFile,
    UnknownFields,
    UnreadableFile,
    UnsupportedOption,
)
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import xml
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest, Rows
from pyspark_cloudfiles.formats.xml import XmlFormat

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")

Write = Callable[..., SourceFile]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes records, inside a root, to a new file."""

    def put(content: str, name: str = "") -> SourceFile:
        path = tmp_path / (name or f"{len(list(tmp_path.iterdir()))}.xml")
        path.write_text(f"<x>{content}</x>" if not content.startswith(("<x", "<?")) and content else content)
        return SourceFile(f"file:{path}", path.stat().st_size, 0)

    return put


def read(files: list[SourceFile], schema: str | StructType, **request: object) -> list[Rows]:
    wanted = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    options = {"rowtag": "r"} | {key.lower(): str(value) for key, value in request.pop("options", {}).items()}  # type: ignore[attr-defined]
    return list(XmlFormat().read(files, ReadRequest(wanted, options=options, **request)))  # type: ignore[arg-type]


@pytest.mark.parametrize("ignore", ["true", "false"])
@pytest.mark.parametrize("row_tag", ["r", "m:r"])
@pytest.mark.parametrize(
    "content",
    [
        "<m:r m:k='7'><m:a>1</m:a><b>x</b></m:r><r><a>2</a><b>y</b></r><m:r><a>3</a></m:r>",
        "<r><a>1</a></r><r><a>2</a></r>",
        "<m:r><a>1</a></m:r><m:r><a>2</a></m:r>",
        "<r><a>1</a></r><m:r><a>2</a><r><a>3</a></r></m:r>",
    ],
)
def test_row_tags_are_compared_as_spark_does(
    spark: SparkSession, write: Write, content: str, row_tag: str, ignore: str
) -> None:
    for root in ("<x xmlns:m='urn:m'>", "<x>"):
        file = write(f"{root}{content}</x>")
        options = {"rowTag": row_tag, "ignoreNamespace": ignore}
        schema = "a INT, b STRING, `m:a` INT, _k STRING, `_m:k` STRING"
        theirs = [tuple(row) for row in spark.read.options(**options).schema(schema).xml(file.url).collect()]
        found = read([file], schema, options=options, on_unknown="ignore")
        assert [tuple(row.values()) for rows in found for row in rows.batch.to_pylist()] == theirs


def test_the_column_of_all_other_elements_is_refused(write: Write) -> None:
    with pytest.raises(UnsupportedOption, match="The column xs_any of XML"):
        read([write("<r><a>1</a></r>")], "a INT, xs_any STRING")


CONTENTS = [
    "<r><a>1</a><b>x</b></r><r><a>2</a></r>", "<r id='7' n='y'><a>1</a></r><r>text</r>",
    "<r><a k='1'>v</a><a>w</a></r>", "<r><a><b>1</b><c>2.5</c></a><a><b>3</b></a></r>",
    "<r><a/><b></b><c> </c><d>null</d><e>  x </e></r>",
    "<r><a>1</a><b>true</b><c>2020-01-01</c><d>2020-01-01T10:00:00</d><e>1.5</e><g>+1</g><h>1e3</h><i>NaN</i></r>",
    "<r><f>99999999999999999999</f><j>01</j><k>2020-01-01 10:00:00</k><l>1.0</l><m>2020-13-01</m><n>1d</n></r>",
    "<r><a><b>1</b>t</a></r>", "<r>t1<a>1</a>t2</r>", "<r><a>t1<b>1</b>t2</a></r>", "<r><n:a n:k='1'>1</n:a></r>",
    "<r><a>1</a></r><r/><r></r>", "<r><r><a>1</a></r></r>", "<!-- <r><a>9</a></r> --><r><a><![CDATA[<r>&]]></a></r>",
    "<r><a>&lt;&amp;&#233;</a></r>", "<rr><a>1</a></rr><r\n k='1'><a>2</a></r>", "<r><a b='&gt;>'>1</a></r>",
    "<r><a>1</a></r><r><a><b>1</b></a></r>", "<r><a>1</a></r><r><a>x</a></r>", "<r><a k='1'/></r>",
    "<r><z>1</z><b>1</b><a>1</a></r>", "<r><a>1</a><a><b k='2'>2</b></a></r>",
    "<r><c>true</c><c>1</c><d>1</d><d>1.5</d><e>2020-01-01</e><e>2020-01-01T00:00:00</e></r>",
    "<r><a>1</a><A>2</A></r>", "",
]  # fmt: skip
OPTIONS = [{"ignoreSurroundingSpaces": "false"}, {"ignoreNamespace": "true"}, {"excludeAttribute": "true"}]
OPTIONS += [{"attributePrefix": "@", "valueTag": "v"}, {"nullValue": "1"}]


VARIOUS = "<r id='1'> t <n:a n:k='1'>1</n:a><b> 1 </b><c/><d> </d></r><r><b>2</b></r>"
CASES: list[tuple[str, dict[str, str]]] = [(content, {}) for content in CONTENTS]
CASES += [(VARIOUS, options) for options in OPTIONS]


@pytest.mark.slow
def test_types_and_values_are_sparks(spark: SparkSession, write: Write) -> None:
    for content, options in CASES:
        file = write(content)
        frame = spark.read.format("xml").options(rowTag="r", **options).load(file.url)
        request = {"rowtag": "r"} | {key.lower(): value for key, value in options.items()}
        schema = XmlFormat().infer([file], InferRequest(infer_types=True, options=request))
        assert schema == frame.schema, (content, options)
        found = read([file], schema, options=options, case_sensitive=False)
        rows = [row for rows in found for row in rows.batch.to_pylist()]
        assert rows == frame.toArrow().to_pylist(), (content, options)


def test_a_schema_that_is_given_is_used(spark: SparkSession, write: Write) -> None:
    file = write(
        "<r id='1'><a>1</a><a>2</a><b>5</b><c><d>1</d><e k='1'>z</e></c><m><p>1</p><q>2</q></m><f>1</f><g/></r>"
    )
    schema = (
        "b STRUCT<_VALUE: INT, _k: INT>, a ARRAY<TINYINT>, c STRING, m MAP<STRING, INT>, f BOOLEAN, g INT, _id STRING"
    )
    theirs = spark.read.format("xml").options(rowTag="r").schema(schema).load(file.url)
    [rows] = read([file], schema)
    assert rows.batch.to_pylist() == theirs.toArrow().to_pylist()
    assert rows.rescued is None


def test_without_types_all_columns_are_strings(write: Write) -> None:
    file = write("<r id='1'><b>2</b><a><c>x</c><d k='1'/></a></r>")
    schema = XmlFormat().infer([file], InferRequest(options={"rowtag": "r"}))
    assert (schema.names, {type(field.dataType) for field in schema}) == (["_id", "a", "b"], {StringType})
    [rows] = read([file], schema)
    assert rows.batch.to_pylist() == [{"_id": "1", "a": '<c>x</c><d k="1"></d>', "b": "2"}]


def test_what_does_not_fit_is_rescued(write: Write) -> None:
    file = write("<r><a>x</a><B>1</B><n k='1'><m>2</m><m>3</m></n><s><t>1</t><u>2</u></s></r><r><a>1</a></r>")
    [rows] = read([file], "a INT, b INT, s STRUCT<t: INT>")
    assert rows.batch.to_pylist() == [{"a": None, "b": None, "s": {"t": 1}}, {"a": 1, "b": None, "s": None}]
    first, second = rows.rescued.to_pylist()
    expected = {"a": "x", "B": "1", "n": {"_k": "1", "m": ["2", "3"]}, "s": {"u": "2"}, "_file_path": file.url}
    assert (json.loads(first), second) == (expected, None)
    with pytest.raises(UnknownFields, match=r"NEW_FIELDS_IN_RECORD_WITH_FILE_PATH.*\"n\":") as caught:
        read([file], "a INT, b INT, s STRUCT<t: INT>", on_unknown="error")
    assert caught.value.columns == ["n", "s.u"]


def test_repeated_elements_of_a_plain_column_are_not_lost(write: Write) -> None:
    [rows] = read([write("<r><a>1</a><a>2</a></r>")], "a INT")
    assert rows.batch.to_pylist() == [{"a": 2}]
    assert json.loads(rows.rescued[0].as_py())["a"] == ["1", "2"]


def test_values_that_do_not_fit_follow_the_mode(write: Write) -> None:
    file = write("<r><a>1</a></r><r><a>x</a><b>2</b></r><r><a>3</a></r>")
    schema, plain = "a INT, b INT, _bad STRING", {"rescue": False, "on_unknown": "ignore"}
    [rows] = read([file], schema, corrupt_column="_bad", **plain)
    assert rows.batch["_bad"].to_pylist() == [None, "<r><a>x</a><b>2</b></r>", None]
    assert rows.batch["b"].to_pylist() == [None, 2, None]
    [rows] = read([file], schema, mode="DROPMALFORMED", **plain)
    assert rows.batch["a"].to_pylist() == [1, 3]
    with pytest.raises(MalformedRecord, match="<a>x</a>"):
        read([file], schema, mode="FAILFAST", **plain)


@pytest.mark.parametrize(
    "content", ["<x><r><a>1</a></r><r><a>2</b></r><r><a>3</a></r></x>", "<x><r><a>1</a></r><r><a>2</a>"]
)
def test_what_is_no_xml_is_one_corrupt_record_as_in_spark(spark: SparkSession, write: Write, content: str) -> None:
    file = write(content)
    schema = "a INT, _bad STRING"
    reader = spark.read.format("xml").options(rowTag="r", columnNameOfCorruptRecord="_bad")
    theirs = reader.schema(schema).load(file.url).toArrow().to_pylist()
    [rows] = read([file], schema, corrupt_column="_bad")
    assert rows.batch.to_pylist() == theirs == [{"a": 1, "_bad": None}, {"a": None, "_bad": content}]
    [rows] = read([file], "a INT", mode="DROPMALFORMED")
    assert rows.batch["a"].to_pylist() == [1]
    [rows] = read([file], "a INT")
    assert json.loads(rows.rescued[1].as_py())["_corrupt_record"] == content
    with pytest.raises(MalformedRecord):
        read([file], "a INT", mode="FAILFAST")
    assert XmlFormat().infer([file], InferRequest(options={"rowtag": "r"})).names == ["a"]


def test_encodings_compression_and_options(write: Write, tmp_path: Path) -> None:
    latin = tmp_path / "latin.xml"
    latin.write_bytes("<?xml version='1.0' encoding='ISO-8859-1'?><x><r><a>é</a></r></x>".encode("latin1"))
    packed = tmp_path / "a.xml.gz"
    packed.write_bytes(gzip.compress("\ufeff<x><r><a>é</a></r></x>".encode()))
    for path, options in ((latin, {"encoding": "ISO-8859-1"}), (packed, {})):
        [rows] = read([SourceFile(f"file:{path}", 1, 1)], "a STRING", options=options)
        assert rows.batch["a"].to_pylist() == ["é"]
    for options in ({"rowtag": ""}, {"rowtag": "r", "encoding": "none"}):
        with pytest.raises(InvalidOption, match=r"rowTag|encoding"):
            XmlFormat().infer([], InferRequest(options=options))


def test_where_chunks_end_does_not_matter(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [write("<r><a>é&amp;b</a></r><r><a>2</a></r>") for _ in range(2)]
    [expected] = read(files, "a STRING")
    monkeypatch.setattr(xml, "_CHUNK", 1)
    [rows] = read(files, "a STRING")
    assert rows.batch == expected.batch
    assert rows.counts == expected.counts == [(file, 2) for file in files]


def test_files_that_are_gone_or_broken(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"plain")
    with pytest.raises(UnreadableFile):
        read([SourceFile(f"file:{tmp_path}/a.gz", 1, 1)], "a STRING")
    with pytest.raises(MissingFile):
        read([SourceFile(f"file:{tmp_path}/none", 1, 1)], "a STRING")


@pytest.mark.slow
@pytest.mark.parametrize("start", ["<x>", "<x><r><a>"])
def test_a_large_file_that_is_cut_off_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    monkeypatch.setattr(xml, "_RECORD_LIMIT", 100_000)
    monkeypatch.setattr(xml, "_TEXT_LIMIT", 1000)
    (tmp_path / "f.xml").write_text(f"{start}{'<r><a>text &amp; text</a></r>' * 30_000}")
    (tmp_path / "small.xml").write_text("<x/>")
    file, small = (SourceFile(f"file:{tmp_path}/{name}.xml", 1, 1) for name in ("f", "small"))
    read([small], "a STRING, _corrupt STRING", corrupt_column="_corrupt")  # imports take memory as well
    tracemalloc.start()
    try:
        parts = [part.batch for part in read([file], "a STRING, _corrupt STRING", corrupt_column="_corrupt")]
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert sum(part.num_rows for part in parts) == (30_001 if start == "<x>" else 1)
    assert len(parts[-1].column("_corrupt")[-1].as_py()) == 1000
