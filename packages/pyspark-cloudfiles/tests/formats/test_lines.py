"""Parts of files: together they have each line once, wherever the cuts are, as the whole file has them."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql.types import LongType, StringType, StructField, StructType

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base, csv_blocks, find_format, lines
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.lines import has_lines
from pyspark_cloudfiles.options import parse

on_files = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SCHEMA = StructType([StructField("a", LongType()), StructField("b", StringType())])
JSON = ['{"a":1,"b":"x"}', '{"a":22,"b":"é😀"}', "{bad", "", " ", '{"b":null}', '{"a":3,"c":4}', '{"a":"misfit"}']
CSV = ["1,x", "22,é😀", '3,"a,b"', "4", "5,6,7", "", "  ", "x,y", '"', "#no"]
ENDS = ["\n", "\r\n", "\r"]


def source(path: Path) -> SourceFile:
    return SourceFile(path.as_uri().replace("///", "/"), path.stat().st_size, 0)


def read(name: str, files: list[SourceFile], **options: str) -> list[dict[str, Any]]:
    schema = StructType([StructField("value", StringType())]) if name == "text" else SCHEMA
    request = ReadRequest(schema, options={key.lower(): value for key, value in options.items()})
    rows = []
    for part in find_format(name).read(files, request):
        rescued = part.rescued if part.rescued is not None else pa.nulls(part.batch.num_rows)
        rows += [
            {**row, "rescued": text}
            for row, text in zip(part.batch.to_pylist(), rescued.to_pylist(), strict=True)
        ]  # fmt: skip
    return rows


def agree(name: str, path: Path, cuts: list[int], **options: str) -> None:
    """Read a file whole, and in parts that end at the cuts, and compare."""
    whole = source(path)
    places = sorted({0, whole.size, *(cut % max(whole.size, 1) for cut in cuts)})
    parts = [whole.part(start, end) for start, end in pairwise(places)] or [whole]
    expected = read(name, [whole], **options)
    assert [row for part in parts for row in read(name, [part], **options)] == expected, (cuts, path.read_bytes())


@on_files
@given(
    lines=st.lists(st.sampled_from(JSON), max_size=8),
    end=st.sampled_from(ENDS),
    last=st.booleans(),
    mark=st.booleans(),
    cuts=st.lists(st.integers(0, 300), max_size=6),
)
@pytest.mark.parametrize("name", ["json", "text"])
def test_lines_are_read_once(
    tmp_path: Path, name: str, lines: list[str], end: str, last: bool, mark: bool, cuts: list[int]
):
    path = tmp_path / "f"
    text = end.join(lines) + (end if last else "")
    path.write_bytes(("\ufeff" * mark + text).encode())
    agree(name, path, cuts)


@on_files
@given(
    lines=st.lists(st.sampled_from(CSV), max_size=8),
    end=st.sampled_from(ENDS),
    mark=st.booleans(),
    header=st.booleans(),
    comment=st.sampled_from(["", "#"]),
    cuts=st.lists(st.integers(0, 100), max_size=6),
)
def test_rows_of_csv_are_read_once_by_the_header_of_the_file(
    tmp_path: Path, lines: list[str], end: str, mark: bool, header: bool, comment: str, cuts: list[int]
):
    path = tmp_path / "f"
    path.write_bytes(("\ufeff" * mark + end.join(["a,b", *lines])).encode())
    agree("csv", path, cuts, header=str(header).lower(), comment=comment)


@on_files
@given(
    separator=st.sampled_from(["|", "ab", "\r\n", "é", "\n"]),
    lines=st.lists(st.text("ab|é\r\n1", max_size=6), max_size=8),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
@pytest.mark.parametrize("name", ["json", "text"])
def test_lines_with_an_end_of_their_own(tmp_path: Path, name: str, separator: str, lines: list[str], cuts: list[int]):
    path = tmp_path / "f"
    path.write_bytes(separator.join(lines).encode())
    agree(name, path, cuts, lineSep=separator)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
@pytest.mark.parametrize("name", ["json", "csv"])
def test_other_encodings_are_read_by_whoever_has_the_first_part(tmp_path: Path, name: str, encoding: str):
    path = tmp_path / "f"
    text = '{"a":1,"b":"é"}\n' * 20 if name == "json" else "a,b\n" + "1,é\n" * 20
    path.write_bytes(text.encode(encoding))
    agree(name, path, [30, 60], encoding=encoding)
    assert len(read(name, [source(path).part(0, 30)], encoding=encoding)) == 20


@pytest.mark.slow
def test_lines_that_lie_across_chunks_and_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lines, "_CHUNK", 7)
    monkeypatch.setattr(base, "BATCH_BYTES", 11)
    path, draw = tmp_path / "f", random.Random(5)
    for end in ENDS:
        path.write_bytes(end.join('{"a":%d}' % draw.randrange(10**6) for _ in range(30)).encode())  # noqa: UP031
        for cut in range(0, 100, 3):
            agree("json", path, [cut, cut + 50])
            agree("text", path, [cut, cut + 50])
    path.write_bytes(b"<>".join(b'{"a":%d}' % number for number in range(30)))
    for cut in range(60):
        agree("json", path, [cut], lineSep="<>")


def test_a_header_far_from_the_beginning_is_found_by_whoever_reads_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(csv_blocks, "SMALLEST_PART", 10)
    path = tmp_path / "f"
    path.write_text("\n" * 50 + "a,b\n" + "1,x\n" * 10)
    agree("csv", path, [20, 40, 70])


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("json", {}, True),
        ("json", {"multiline": "true"}, False),
        ("csv", {"multiline": "TRUE"}, False),
        ("csv", {"skiprows": "2"}, False),
        ("text", {"wholetext": "true"}, False),
        ("json", {"linesep": "ab"}, True),
        ("json", {"linesep": "aa"}, False),
        ("json", {"linesep": "aba"}, False),
        ("text", {"linesep": "a", "encoding": "utf-16"}, False),
        ("xml", {}, False),
        ("parquet", {}, False),
    ],
)
def test_which_files_have_parts(name: str, options: dict[str, str], expected: bool):
    assert has_lines(parse({"cloudfiles.format": name, "path": "/x"} | options)) is expected
