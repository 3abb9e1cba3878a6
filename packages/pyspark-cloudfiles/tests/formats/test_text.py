"""Text, compared byte for byte with Spark's own reader."""

from __future__ import annotations

import bz2
import gzip
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from pyspark_cloudfiles.errors import InvalidOption, MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.plain_files import TextFormat

# A schema is only parsed where there is a session.
pytestmark = pytest.mark.usefixtures("spark")


def put(path: Path, content: bytes) -> SourceFile:
    path.write_bytes(content)
    return SourceFile(f"file:{path}", len(content), 0)


def read(files: list[SourceFile], schema: str = "value STRING", **options: str) -> list[bytes]:
    request = ReadRequest(StructType.fromDDL(schema), options={key.lower(): value for key, value in options.items()})
    found: list[bytes] = []
    for rows in TextFormat().read(files, request):
        assert sum(count for _, count in rows.counts) == rows.batch.num_rows
        found += rows.batch[0].cast(pa.binary()).to_pylist()
    return found


CONTENTS = [b"", b"\n", b"a", b"a\n", b"a\nb", b"a\r\nb\rc\n\nd", b"a\r", b"\xef\xbb\xbfa\nb", b"\xffx\n", b"a\0b\n"]
CONTENTS += ["é\n".encode("utf-16"), b"a\n\r\nb", b"a\r\r\nb", b"\r", b"\r\n", b"\xef\xbb\xbf", b"a;b;c||d||", b"||||"]
OPTIONS: list[dict[str, str]] = [{}, {"lineSep": ";"}, {"lineSep": "||"}, {"lineSep": "\n"}, {"wholetext": "true"}]
OPTIONS += [{"lineSep": "\n", "encoding": "UTF-16LE"}, {"encoding": "latin1"}]


def test_lines_are_sparks(spark: SparkSession, tmp_path: Path) -> None:
    files = [put(tmp_path / f"{number:02}.txt", content) for number, content in enumerate(CONTENTS)]
    for options in OPTIONS:
        whole = options.get("wholetext") == "true"
        frame = spark.read.options(**options).text(f"file:{tmp_path}", wholetext=whole)
        theirs: dict[str, list[bytes]] = {file.name: [] for file in files}
        for row in frame.selectExpr("_metadata.file_name AS name", "CAST(value AS BINARY) AS value").collect():
            theirs[row.name].append(bytes(row.value))
        for file in files:
            assert read([file], **options) == theirs[file.name], (file.read_bytes(), options)


def test_compressed_files_are_read(tmp_path: Path) -> None:
    compressed = {
        "a.gz": gzip.compress(b"a\n") + gzip.compress(b"b"),
        "b.GZ": gzip.compress(b"a\nb"),
        "c.txt.bz2": bz2.compress(b"a\nb"),
        "d.deflate": zlib.compress(b"a\nb"),
        "e.zst": pa.compress(b"a\nb", codec="zstd", asbytes=True),
    }
    for name, content in compressed.items():
        file = put(tmp_path / name, content)
        assert read([file]) == [b"a", b"b"]
        assert read([file], wholetext="true") == [b"a\nb"]
    large = bytes(range(48, 58)) * 500_000
    assert read([put(tmp_path / "large.deflate", zlib.compress(large))]) == [large]


def test_broken_files_are_named(tmp_path: Path) -> None:
    broken = {
        "a.gz": b"plain",
        "b.gz": gzip.compress(b"a\n" * 1000)[:-9],
        "c.bz2": b"plain",
        "d.deflate": zlib.compress(b"a")[:-5],
        "e.zst": b"plain",
        "f.lz4": b"",
    }
    for name, content in broken.items():
        with pytest.raises(UnreadableFile, match=name):
            read([put(tmp_path / name, content)])
    with pytest.raises(MissingFile):
        read([SourceFile(f"file:{tmp_path}/none", 1, 1)])


def test_the_only_column_takes_the_lines_whatever_its_name(tmp_path: Path) -> None:
    file = put(tmp_path / "a", b"x\ny")
    assert read([file], "line STRING") == [b"x", b"y"]
    assert read([file], "value STRING, later INT") == [b"x", b"y"]
    for schema in ("value INT", "a STRING, b STRING"):
        with pytest.raises(InvalidOption, match="value STRING"):
            read([file], schema)
    [rows] = TextFormat().read([file], ReadRequest(StructType([])))
    assert rows.counts == [(file, 2)]


def test_options_that_cannot_be(tmp_path: Path) -> None:
    for options in ({"lineSep": ""}, {"lineSep": ";", "encoding": "none"}):
        with pytest.raises(InvalidOption):
            read([put(tmp_path / "a", b"x")], **options)


def test_files_share_batches_and_large_ones_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "BATCH_BYTES", 1000)
    files = [put(tmp_path / str(number), b"x\n" * (500 if number == 2 else 2)) for number in range(4)]
    found = list(TextFormat().read(files, ReadRequest(TextFormat().fixed_schema())))
    assert [file for file, _ in found[0].counts] == files[:2] or [file for file, _ in found[0].counts] == files[:3]
    assert sum(rows.batch.num_rows for rows in found) == 506
    assert all(rows.batch.nbytes <= 1100 for rows in found)
