"""The log of files: each once, in order, within the limits of a batch, in little memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.log.file_log import FileLog, files_between


@pytest.fixture
def place(tmp_path: Path) -> str:
    return f"file:{tmp_path}/log"


def file(name: str, size: int = 10, modified: int = 0) -> SourceFile:
    return SourceFile(f"file:/data/{name}", size, modified)


def test_a_file_enters_once(place: str):
    log = FileLog(place)
    assert log.add([file("a"), file("b")]) == 2
    assert log.add([file("b"), file("c")]) == 1
    assert [found.name for found in FileLog(place).files(0, 3)] == ["a", "b", "c"]


def test_what_is_known_survives_the_process(place: str):
    FileLog(place).add([file("a")])
    assert FileLog(place).add([file("a")]) == 0


def test_a_changed_file_is_known_unless_changes_are_tracked(place: str):
    log = FileLog(place)
    log.add([file("a", modified=1)])
    assert log.add([file("a", modified=2)]) == 0
    tracking = FileLog(place, tracks_changes=True)
    assert tracking.add([file("a", modified=1), file("a", modified=2)]) == 1


def test_older_files_come_first(place: str):
    log = FileLog(place)
    log.add([file("new", modified=9), file("old", modified=1), file("b", modified=5), file("a", modified=5)])
    assert [found.name for found in log.files(0, 4)] == ["old", "a", "b", "new"]


def test_a_listing_that_gives_a_file_twice_gives_it_once(place: str):
    log = FileLog(place)
    assert log.add([file("a"), file("a")]) == 1


def test_another_process_reads_a_range(place: str):
    FileLog(place).add([file(str(number)) for number in range(5)])
    assert [found.name for found in files_between(place, 1, 3)] == ["1", "2"]


def test_the_lower_of_both_limits_ends_a_batch(place: str):
    log = FileLog(place)
    log.add([file(str(number), size=10) for number in range(10)])
    assert log.end_of_batch(0, 4, None) == 4
    assert log.end_of_batch(0, 4, 25) == 3  # the file that crosses the limit is taken
    assert log.end_of_batch(0, 4, 20) == 2
    assert log.end_of_batch(0, None, None) == 10
    assert log.end_of_batch(8, 4, 1000) == 10
    assert log.end_of_batch(10, 4, 1) == 10


def test_a_file_above_the_limit_is_taken_alone(place: str):
    log = FileLog(place)
    log.add([file("big", size=1000), file("small", size=1, modified=1)])
    assert log.end_of_batch(0, None, 10) == 1


def test_a_log_shorter_than_its_checkpoint_is_an_error(place: str):
    log = FileLog(place)
    log.add([file("a")])
    with pytest.raises(StateLost, match="ingested twice"):
        log.require(2)


def test_a_known_file_costs_less_than_150_bytes(place: str):
    FileLog(place).add([file(f"2026/01/01/part-{number:08d}-some-rather-long-name.json") for number in range(50_000)])
    tracemalloc.start()
    log = FileLog(place)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used / len(log) < 150


def test_the_sizes_are_added_up(place: str):
    FileLog(place).add([file("a", size=3), file("b", size=4)])
    assert FileLog(place).total_bytes == 7
