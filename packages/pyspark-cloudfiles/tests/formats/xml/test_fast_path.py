"""Fast path or row reader, same rows: XML, over files whose records are alike, and odd ones."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as T

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import format_named
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.xml import elements, fast_path
from pyspark_cloudfiles.formats.xml.elements import XmlOptions
from pyspark_cloudfiles.formats.xml.fast_path import RecordCutter

thorough = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TEXTS = ["1", "x", "", " ", " y ", "2.5", "true", "0", "N", "2024-01-02", "é😀", "a\nb", "99999999999", 'q"', "it's"]
ODD_TEXTS = [
    "&lt;",
    "&#233;",
    "&",
    "<",
    "]]>",
    "\x00",
    "\x0b",
    "\x0c",
    "\r",
    "a\r\nb",
    "<![CDATA[<r>]]>",
    "<!-- x -->",
    "\ufffe",
]
ODD_TEXTS += ["<x>1</x>", "</r>", "<?pi?>", "\x85", "\u2028", ">"]
ODD_RECORDS = [
    "<r/>",
    "<r></r>",
    "<r>t</r>",
    "<r><a>1</a>t</r>",
    "<r><r>1</r></r>",
    "<r><a/></r>",
    "<r><a>1</a><a>2</a></r>",
]
ODD_RECORDS += [
    "<!-- <r><a>9</a></r> -->",
    "<o>1</o>",
    "text",
    "<r id='1'><a>2</a></r>",
    '<r id="1" id="2"><a>1</a></r>',
]
ODD_RECORDS += [
    '<r xmlns="u"><a>1</a></r>',
    "<r><n:a>1</n:a></r>",
    "<r ><a>1</a></r >",
    "<r\nid='1'></r>",
    "<r><a k='1'>1</a></r>",
]
ODD_RECORDS += [
    "<r><b>1</b><a>2</a></r>",
    "<r><A>1</A></r>",
    "<r><a>1</b></r>",
    "<rr><a>1</a></rr>",
    "<r><a>1</a>",
    "\x0c",
    "\r",
]
ROOTS = ["x"] * 6 + ["r", "n:x", 'x k="v"', 'x k="v" l="w"']
STARTS = [""] * 6 + [
    '<?xml version="1.0"?>',
    "<?xml version='1.0' encoding='UTF-8'?>\n",
    "\ufeff",
    " ",
    "<!-- c -->",
    "<!DOCTYPE x>",
]
ENDS = ["</x>"] * 8 + ["</x>\n", "", "</y>", "</x>junk", "</x><x/>", "<r>"]
TYPES: list[T.DataType] = [T.StringType(), T.StringType(), T.LongType(), T.DoubleType(), T.BooleanType(), T.DateType()]
TYPES += [
    T.DecimalType(5, 2),
    T.TimestampType(),
    T.ArrayType(T.StringType()),
    T.StructType([T.StructField("x", T.StringType())]),
]
OPTIONS: list[dict[str, str]] = [{}] * 4
OPTIONS += [
    {"nullvalue": "N"},
    {"ignoresurroundingspaces": "false"},
    {"excludeattribute": "true"},
    {"attributeprefix": "@"},
]


@st.composite
def documents(draw: Any) -> bytes:
    text = st.sampled_from(TEXTS)
    odd = draw(st.integers(0, 3)) == 0
    records = []
    for _ in range(draw(st.integers(0, 8))):
        if odd and draw(st.integers(0, 5)) == 0:
            records.append(draw(st.sampled_from(ODD_RECORDS)))
            continue
        fields = [name for name in ("a", "b", "new") if draw(st.integers(0, 9)) < {"a": 9, "b": 7, "new": 1}[name]]
        attribute = f' id="{draw(text)}"'.replace('q"', "q") if draw(st.integers(0, 9)) < 5 else ""
        odd_text = st.sampled_from(ODD_TEXTS) if odd and draw(st.integers(0, 5)) == 0 else text
        space = draw(st.sampled_from(["", "", "\n  ", "\r\n"]))
        body = "".join(f"{space}<{name}>{draw(odd_text)}</{name}>" for name in fields)
        records.append(f"<r{attribute}>{body}{space}</r>{space}")
    root = draw(st.sampled_from(ROOTS)) if odd else "x"
    start = draw(st.sampled_from(STARTS))
    end = draw(st.sampled_from(ENDS)) if odd else "</x>"
    return f"{start}<{root}>{''.join(records)}{end}".encode("utf-8", "surrogatepass") + draw(
        st.sampled_from([b""] * 9 + [b"\xff", b"\xc3"])
    )


requests = st.fixed_dictionaries(
    {
        "unknown": st.sampled_from([("rescue", True), ("rescue", False), ("ignore", False), ("error", True)]),
        "case_sensitive": st.booleans(),
        "mode": st.sampled_from(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]),
        "corrupt_column": st.sampled_from([None, "_corrupt"]),
    }
)
PLAIN = {"unknown": ("rescue", True), "case_sensitive": True, "mode": "PERMISSIVE", "corrupt_column": None}


def source(path: Path, content: bytes) -> SourceFile:
    path.write_bytes(content)
    return SourceFile(f"file:{path}", len(content), 0)


@thorough
@example(content=b"<x><r><a>1</a></r></x>\xc3", asked=PLAIN, types=TYPES[:3], options={}, chunk=1000)
@example(content=b"<x><r><a>1\x0c</a></r></x>", asked=PLAIN, types=TYPES[:3], options={}, chunk=1000)
@example(content=b"<x><r><a>1</a></r>\x0c</x>", asked=PLAIN, types=TYPES[:3], options={}, chunk=1000)
@example(content=b"<x><r><a>]]></a></r></x>", asked=PLAIN, types=TYPES[:3], options={}, chunk=1000)
@example(content=b'<x><r id="a\nb"><a>1</a></r></x>', asked=PLAIN, types=TYPES[:3], options={}, chunk=1000)
@example(content=b"<x><r><a>x\r\ny</a></r></x>", asked=PLAIN, types=TYPES[:3], options={}, chunk=13)
@given(
    content=documents(),
    asked=requests,
    types=st.lists(st.sampled_from(TYPES), min_size=3, max_size=3),
    options=st.sampled_from(OPTIONS),
    chunk=st.sampled_from([7, 40, 100, 10_000]),
)
def test_xml_rows(
    assert_paths_agree: Any,
    tmp_path: Path,
    content: bytes,
    asked: dict[str, Any],
    types: list[T.DataType],
    options: dict[str, str],
    chunk: int,
) -> None:
    names = [options.get("attributeprefix", "_") + "id", "a", "b"]
    fields = [T.StructField(name, data_type) for name, data_type in zip(names, types, strict=True)]
    if asked["corrupt_column"]:
        fields.append(T.StructField(asked["corrupt_column"], T.StringType()))
    file = source(tmp_path / "f.xml", content)
    on_unknown, rescue = asked["unknown"]
    others = {name: value for name, value in asked.items() if name != "unknown"}
    request = ReadRequest(
        T.StructType(fields), on_unknown=on_unknown, rescue=rescue, options={"rowtag": "r", **options}, **others
    )
    with patch.object(fast_path, "CHUNK", chunk):
        assert_paths_agree("xml", [file], request)


def test_records_that_are_alike_are_cut() -> None:
    options = XmlOptions.of({"rowtag": "r"})
    text = '<r id="1"><a>x</a><b>1</b></r>\n<r><b> 2 </b></r><r id="3"></r>'
    cut = RecordCutter.of(text, options).cut(text)
    assert cut.names == ["_id", "a", "b"]
    assert cut.rows == [("1", "x", "1"), (None, None, " 2 "), ("3", None, None)]


@pytest.mark.parametrize(
    "record", ["<r>t</r>", "<r><a>&lt;</a></r>", "<r><a><b>1</b></a></r>", "<r><a>1</a><a>2</a></r>"]
)
def test_other_records_are_not(record: str) -> None:
    text = f"<r><a>1</a></r>{record}"
    cutter = RecordCutter.of("<r><a>1</a></r>", XmlOptions.of({"rowtag": "r"}))
    assert cutter.cut(text) is None


@pytest.mark.slow
@pytest.mark.parametrize("start", ["<x>", "<x><r><a>"])
def test_a_large_file_that_is_cut_off_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    monkeypatch.setattr(elements, "_LARGEST_RECORD", 100_000)
    monkeypatch.setattr(elements, "_MOST_TEXT", 1000)
    file = source(tmp_path / "f.xml", f"{start}{'<r><a>text &amp; text</a></r>' * 30_000}".encode())
    schema = T.StructType([T.StructField(name, T.StringType()) for name in ("a", "_corrupt")])
    request = ReadRequest(schema, options={"rowtag": "r"}, corrupt_column="_corrupt")
    list(format_named("xml").read([source(tmp_path / "small.xml", b"<x/>")], request))  # imports take memory as well
    tracemalloc.start()
    try:
        parts = [part.batch for part in format_named("xml").read([file], request)]
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert sum(part.num_rows for part in parts) == (30_001 if start == "<x>" else 1)
    assert len(parts[-1].column("_corrupt")[-1].as_py()) == 1000
