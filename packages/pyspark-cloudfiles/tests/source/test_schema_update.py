"""Several tasks that meet something new: one looks at the batch, and all know what it has found."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql.streaming.datasource import ReadMaxFiles

from pyspark_cloudfiles.errors import StateInUse
from pyspark_cloudfiles.file_log import files_between
from pyspark_cloudfiles.source import task
from pyspark_cloudfiles.source.data_source import CloudFilesDataSource
from pyspark_cloudfiles.source.plan import FilePartition, Plan


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
