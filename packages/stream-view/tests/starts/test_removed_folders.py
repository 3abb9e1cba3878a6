"""Folders that go while a stream uses them."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from IPython.core.events import EventManager, available_events
from pyspark.sql import SparkSession

from stream_view import starts
from stream_view.starts import checkpoints
from streaming_base import front_end
from streaming_base.waiting import wait_until_processed


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> list[str]:
    starts.install(spark)
    lines: list[str] = []
    shell = SimpleNamespace(events=EventManager(None, available_events), parent_header={}, kernel=None)
    monkeypatch.setattr(front_end, "ipython", lambda: shell)
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(front_end, "print_below", lambda _cell, text: lines.append(text))
    monkeypatch.setattr(checkpoints, "_watched", [])
    return lines


@pytest.fixture
def copy(spark: SparkSession, tmp_path: Path, told: list):
    """Have a stream from files to files, which has written one."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"id": 1}\n')
    writer = spark.readStream.schema("id INT").json((tmp_path / "in").as_uri()).writeStream.queryName("copy")
    query = writer.option("checkpointLocation", (tmp_path / "c").as_uri()).start((tmp_path / "out").as_uri(), "parquet")
    wait_until_processed([query], 60)
    checkpoints.check_folders()
    return query


def test_a_folder_that_is_read_and_one_that_is_written_are_told_once(copy, tmp_path: Path, told: list) -> None:
    assert told == []
    shutil.rmtree(tmp_path / "in")
    checkpoints.check_folders()
    assert len(told) == 1 and "/in is gone, which the stream copy reads: it finds no more rows" in told[0]
    shutil.rmtree(tmp_path / "out")
    checkpoints.check_folders()
    checkpoints.check_folders()
    assert len(told) == 2 and "/out is gone, where the stream copy writes" in told[1]


def test_of_a_stream_that_was_stopped_nothing_is_told(copy, tmp_path: Path, told: list) -> None:
    copy.stop()
    shutil.rmtree(tmp_path / "in")
    checkpoints.check_folders()
    assert told == [] and checkpoints._watched == []
