"""What a task does beside the rows of its format: columns of files, new columns, and one version for all tasks."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.datasource import ReadMaxFiles
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from pyspark_cloudfiles import layout
from pyspark_cloudfiles.errors import StateInUse
from pyspark_cloudfiles.file_log import files_between
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.base import Rows
from pyspark_cloudfiles.layout import Layout
from pyspark_cloudfiles.options import parse
from pyspark_cloudfiles.source import task
from pyspark_cloudfiles.source.data_source import CloudFilesDataSource
from pyspark_cloudfiles.source.plan import FilePartition, Plan
from pyspark_cloudfiles.source.task import assemble, has_known_names

FILES = [SourceFile(f"file:/in/day={day}/a b.json", 10 * day, day * 1_000_000_123) for day in (1, 2, 3)]
DATA = StructType([StructField("id", LongType())])
PARTITIONS = StructType([StructField("day", IntegerType())])


def assembled(counts: list[tuple[SourceFile, int]]) -> list[dict]:
    columns = layout.inferred_layout(DATA, PARTITIONS, None, metadata=True)
    rows = sum(count for _, count in counts)
    data = pa.RecordBatch.from_arrays([pa.array(range(rows), pa.int64())], ["id"])
    options = parse({"cloudfiles.format": "json", "path": "file:/in"})
    return assemble(Rows(data, counts), columns, to_arrow_schema(columns.schema, timezone="UTC"), options).to_pylist()


@pytest.mark.parametrize("counts", [[2, 0, 3], [1, 1, 1], [0, 0, 0], [0, 4, 0]])
def test_each_row_has_what_its_file_has(counts: list[int]):
    rows = assembled(list(zip(FILES, counts, strict=True)))
    expected = [file for file, count in zip(FILES, counts, strict=True) for _ in range(count)]
    assert [row["day"] for row in rows] == [file.size // 10 for file in expected]
    metadata = [row["_metadata"] for row in rows]
    assert [some["file_path"] for some in metadata] == [file.url.replace(" ", "%20") for file in expected]
    assert {some["file_name"] for some in metadata} <= {"a%20b.json"}
    assert [some["file_size"] for some in metadata] == [file.size for file in expected]
    # Spark has milliseconds there.
    assert [some["file_modification_time"].microsecond for some in metadata] == [0] * len(expected)


def test_a_part_of_a_file_is_its_block():
    [row] = assembled([(FILES[2].part(10, 20), 1)])
    [last] = assembled([(FILES[2].part(20, 30), 1)])
    blocks = [(some["_metadata"]["file_block_start"], some["_metadata"]["file_block_length"]) for some in (row, last)]
    assert blocks == [(10, 10), (20, 10)] and row["_metadata"]["file_size"] == 30


def test_a_column_of_the_path_that_has_another_type_is_null():
    file = SourceFile("file:/in/day=x/a.json", 1, 0)
    assert assembled([(file, 1)])[0]["day"] is None


AB = T.StructType([T.StructField("a", T.LongType()), T.StructField("b", T.StringType())])
NESTED = T.StructType([T.StructField("a", T.StructType([T.StructField("x", T.LongType())]))])


def known(
    path: Path, content: str, schema: T.StructType = AB, evolution: str = "addNewColumns", **options: str
) -> bool:
    """Look at a batch of one file."""
    path.write_text(content)
    settings = {"path": f"file:{path.parent}", "cloudfiles.format": path.suffix[1:]} | options
    plan = Plan(parse(settings), Layout(schema), evolution, inferred=True)
    file = SourceFile(f"file:{path}", path.stat().st_size, 0)
    return has_known_names(FilePartition([file], plan.layout, "", 0, 1), plan)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("f.json", '{"a":1}\n{"b":"x","A":2}\n', True),
        ("f.json", '{"a":1}\n{"u":null}\n', False),
        ("f.json", 'nonsense\n{"a":1}\n', True),
        ("f.csv", "b,a\n1,2\n", True),
        ("f.csv", "b,c\n1,2\n", False),
    ],
)
def test_names_tell_whether_there_is_something_new(tmp_path: Path, name: str, content: str, expected: bool) -> None:
    assert known(tmp_path / name, content) is expected


def test_where_more_than_a_name_at_the_top_could_end_the_query_names_say_nothing(tmp_path: Path) -> None:
    line = '{"a":{"x":1}}\n'
    assert not known(tmp_path / "f.json", line, NESTED)
    assert not known(tmp_path / "f.json", '{"a":1}\n', evolution="addNewColumnsWithTypeWidening")
    assert not known(tmp_path / "f.json", '{"a":1}\n', mode="FAILFAST")


def test_of_a_file_that_cannot_be_read_names_say_nothing(tmp_path: Path) -> None:
    assert not known(tmp_path / "f.parquet", "no parquet")


@pytest.fixture
def inferred(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note each time that a batch is looked at, which takes a moment."""
    calls: list[int] = []
    original = task.infer

    def infer(files, options):
        calls.append(len(files))
        time.sleep(0.2)
        return original(files, options)

    monkeypatch.setattr(task, "infer", infer)
    return calls


def planned(root: Path, **options: str) -> tuple[FilePartition, Plan]:
    """Plan a batch of two files, of which the stream knew only the first."""
    (root / "in").mkdir()
    (root / "in" / "a.json").write_text(json.dumps({"id": 1}))
    given = {
        "cloudfiles.format": "json",
        "cloudfiles.schemalocation": f"file:{root}/checkpoint",
        "path": f"file:{root}/in",
    }
    source = CloudFilesDataSource(given | options)
    reader = source.streamReader(source.schema())
    (root / "in" / "b.json").write_text(json.dumps({"id": 2, "new": 3}))
    start = reader.initialOffset()
    end = reader.latestOffset(start, ReadMaxFiles(10))
    reader.stop()
    files = files_between(reader._log_url, 0, 2)
    return FilePartition(files, reader._plan.layout, reader._log_url, 0, end["seqNum"]), reader._plan


def at_once(partition: FilePartition, plan: Plan, tasks: int = 6) -> set[bool]:
    with ThreadPoolExecutor(tasks) as pool:
        return set(pool.map(lambda _: task.evolve(partition, plan), range(tasks)))


def test_one_task_looks_at_the_batch_and_all_know_of_the_new_column(tmp_path: Path, inferred: list[int]):
    assert at_once(*planned(tmp_path)) == {True}
    assert inferred == [2]
    # Learners look into this directory: nothing but versions is there.
    assert sorted(path.name for path in (tmp_path / "checkpoint" / "_schemas").iterdir()) == ["0", "1"]


def test_that_there_is_nothing_new_is_found_once_as_well(tmp_path: Path, inferred: list[int]):
    partition, plan = planned(tmp_path)
    partition.end = 1  # the first file, as if a value of it did not fit
    assert at_once(partition, plan) == {False}
    assert inferred == [1]


def test_another_batch_is_looked_at_again(tmp_path: Path, inferred: list[int]):
    partition, plan = planned(tmp_path)
    partition.end = 1
    assert task.evolve(partition, plan) is False
    partition.end = 2
    assert task.evolve(partition, plan) is True
    assert inferred == [1, 2]


def test_who_has_waited_too_long_looks_for_himself(
    tmp_path: Path, inferred: list[int], monkeypatch: pytest.MonkeyPatch
):
    def held(url: str, timeout: float):
        raise StateInUse("held by another")

    partition, plan = planned(tmp_path)
    monkeypatch.setattr(task.filesystem, "lock", held)
    assert task.evolve(partition, plan) is True
