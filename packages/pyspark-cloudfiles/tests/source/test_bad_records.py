"""What cannot be read is kept in files of its own, and everything else is read."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadMaxFiles
from pyspark.sql.types import IntegerType, StructField, StructType

from pyspark_cloudfiles.errors import InvalidOption, UnknownFields
from pyspark_cloudfiles.formats import base
from pyspark_cloudfiles.source import task
from pyspark_cloudfiles.source.data_source import CloudFilesDataSource
from pyspark_cloudfiles.source.task import BadRecords

INTS = StructType([StructField("a", IntegerType()), StructField("b", IntegerType())])


def reader(root: Path, schema: StructType | None = None, **options: str) -> Any:
    given = {
        "cloudfiles.format": "json",
        "cloudfiles.schemalocation": f"file:{root}/checkpoint",
        "path": f"file:{root}/in",
        "badrecordspath": f"file:{root}/bad",
    }
    source = CloudFilesDataSource(given | {key.replace("__", ".").lower(): value for key, value in options.items()})
    return source.streamReader(schema or source.schema())


def run(made: Any) -> list[dict]:
    """Plan and read all that is there."""
    try:
        start = made.initialOffset()
        partitions = made.partitions(start, made.latestOffset(start, ReadMaxFiles(1000)))
        batches = [batch for partition in partitions for batch in made.read(partition)]
    finally:
        made.stop()
    return pa.Table.from_batches(batches).to_pylist() if batches else []


def put(root: Path, name: str, content: str | bytes) -> Path:
    path = root / "in" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def kept(root: Path, kind: str) -> list[dict]:
    files = sorted((root / "bad").glob(f"*/{kind}/*"))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def test_malformed_json_is_kept_with_its_path_and_the_reason(tmp_path: Path):
    path = put(tmp_path, "a.json", '{"a":1,"b":2}\n{bad-record\n{"a":3,"b":4}\n')
    assert [row["a"] for row in run(reader(tmp_path, INTS))] == [1, 3]
    [record] = kept(tmp_path, "bad_records")
    assert (record["path"], record["record"]) == (f"file:{path}", "{bad-record") and record["reason"]
    [directory] = (tmp_path / "bad").iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}", directory.name)


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])
def test_the_mode_does_not_matter(tmp_path: Path, mode: str):
    put(tmp_path, "a.json", '{"a":1}\n{bad\n')
    assert [row["a"] for row in run(reader(tmp_path, INTS, mode=mode))] == [1]
    assert len(kept(tmp_path, "bad_records")) == 1


@pytest.mark.parametrize(
    ("name", "content", "bad"),
    [
        ("a.json", '{"a":1}\n{"a":"x"}\n', '{"a":"x"}'),
        ("a.csv", "1,2\nx,2\n", "x,2"),
        ("a.csv", "1,2\n1,2,3\n", "1,2,3"),
        ("a.xml", "<x><r><a>1</a></r><r><a>x</a></r></x>", "<r><a>x</a></r>"),
    ],
)
def test_without_a_rescued_column_values_that_do_not_fit_make_a_bad_record(
    tmp_path: Path, name: str, content: str, bad: str
):
    put(tmp_path, name, content)
    rows = run(reader(tmp_path, INTS, cloudFiles__format=name[2:], rowTag="r"))
    assert [row["a"] for row in rows] == [1]
    assert [record["record"] for record in kept(tmp_path, "bad_records")] == [bad]


@pytest.mark.parametrize(
    ("name", "content", "bad"),
    [("a.json", '{"a":1}\n{"a":"x"}\n{bad\n', "{bad"), ("a.csv", "a,b\n1,2\nx,2\n1,2,3\n", "1,2,3")],
)
def test_with_a_rescued_column_only_what_is_malformed_is_bad(tmp_path: Path, name: str, content: str, bad: str):
    put(tmp_path, name, content)
    made = reader(tmp_path, cloudFiles__format=name[2:], cloudFiles__schemaHints="a INT")
    assert [row["a"] for row in run(made)] == [1, None]
    assert [record["record"] for record in kept(tmp_path, "bad_records")] == [bad]


def test_files_that_are_gone_or_cannot_be_read_are_kept_by_name(tmp_path: Path):
    put(tmp_path, "a.json", '{"a":1}\n')
    broken, gone = put(tmp_path, "b.json.gz", b"no gzip"), put(tmp_path, "c.json", '{"a":2}\n')
    made = reader(tmp_path, INTS)
    start = made.initialOffset()
    end = made.latestOffset(start, ReadMaxFiles(1000))
    gone.unlink()
    rows = [row for part in made.partitions(start, end) for batch in made.read(part) for row in batch.to_pylist()]
    made.stop()
    assert [row["a"] for row in rows] == [1]
    assert {record["path"] for record in kept(tmp_path, "bad_files")} == {f"file:{broken}", f"file:{gone}"}
    assert all(record["reason"] for record in kept(tmp_path, "bad_files"))


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_files_that_nobody_may_read_are_bad(tmp_path: Path):
    put(tmp_path, "a.json", '{"a":1}\n').chmod(0)
    assert run(reader(tmp_path, INTS)) == []
    assert len(kept(tmp_path, "bad_files")) == 1


def test_a_record_is_kept_once_though_its_file_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(base, "BATCH_BYTES", 5)  # so that some are read before the broken one is opened
    for name in "abcde":
        put(tmp_path, f"{name}.json", f'{{"a":1}}\n{{bad {name}\n')
    put(tmp_path, "f.json.gz", b"no gzip")
    run(reader(tmp_path, INTS))
    assert sorted(record["record"] for record in kept(tmp_path, "bad_records")) == [f"{{bad {name}" for name in "abcde"]


def test_a_record_is_kept_once_though_the_batch_is_looked_at_before(tmp_path: Path):
    put(tmp_path, "a.json", '{"a":{"x":1}}\n{bad\n')
    run(reader(tmp_path, cloudFiles__inferColumnTypes="true"))
    assert len(kept(tmp_path, "bad_records")) == 1


def test_nothing_is_kept_of_a_batch_that_ends_the_query(tmp_path: Path):
    put(tmp_path, "a.json", '{"a":1}\n')
    made = reader(tmp_path)
    put(tmp_path, "b.json", '{bad\n{"a":1,"new":2}\n')
    with pytest.raises(UnknownFields):
        run(made)
    assert not (tmp_path / "bad").exists()


def test_a_place_in_the_source_is_refused(tmp_path: Path):
    put(tmp_path, "a.json", '{"a":1}\n')
    with pytest.raises(InvalidOption, match="badRecordsPath"):
        reader(tmp_path, badRecordsPath=f"{tmp_path}/in/bad")


def test_much_that_is_bad_does_not_wait_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(task, "_BAD_RECORDS_LIMIT", 100)
    notes = BadRecords(f"file:{tmp_path}/bad/now")
    for number in range(10):
        notes.record("file:/a", f"record {number} " + "x" * 50, "reason")
    assert len(kept(tmp_path, "bad_records")) >= 8
    notes.write()
    assert [record["record"][:8] for record in sorted(kept(tmp_path, "bad_records"), key=str)] == [
        f"record {number}" for number in range(10)
    ]
