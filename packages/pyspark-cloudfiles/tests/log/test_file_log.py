"""The log of files: each once, in order, within the limits of a batch; and when batches were done."""

from __future__ import annotations

import json
import os
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.file_log import VARIABLE, FileLog, files_between, log_of, new_log
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.history import Offset, committed_batches, newest_offsets


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


@pytest.fixture
def no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (VARIABLE, "PYSPARK_CLOUDFILES_MOUNTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_places")
def test_a_home_with_blanks_and_percents_is_taken_literally(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "Ada L%20 née"
    monkeypatch.setenv("HOME", str(home))
    assert new_log(None).rsplit("/", 1)[0] == f"file:{home}/.pyspark_cloudfiles/_cloudfiles"


@pytest.mark.usefixtures("no_places")
def test_the_environment_names_another_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    assert new_log(None).startswith(f"file:{tmp_path}/state/_cloudfiles/")


@pytest.mark.usefixtures("no_places")
def test_a_log_that_was_moved_with_its_schema_location_is_found(tmp_path: Path) -> None:
    (tmp_path / "new/_cloudfiles/abc").mkdir(parents=True)
    recorded = f"file:{tmp_path}/old/_cloudfiles/abc"
    assert log_of(f"file:{tmp_path}/new", recorded) == f"file:{tmp_path}/new/_cloudfiles/abc"
    assert log_of(f"file:{tmp_path}/none", recorded) == recorded


BEGAN, COMMITTED = 1_700_000_000, 1_700_000_050


def checkpoint(root: Path, *batches: tuple[int, int | None, int]) -> str:
    """Write the checkpoint of a query with another source and ours: of each batch number, end and commit."""
    for kind in ("offsets", "commits"):
        (root / kind).mkdir()
    (root / "offsets" / ".tmp").write_text("")
    for number, end, time in batches:
        ours = json.dumps(Offset(end, 10 * end, "file:/log", "file:/in", 0).to_json())
        (root / "offsets" / str(number)).write_text(
            f'v1\n{json.dumps({"batchTimestampMs": (BEGAN + number) * 1000})}\n{{"other": 1}}\n{ours}'
        )
        if time:
            (root / "commits" / str(number)).write_text("v1\n{}")
            os.utime(root / "commits" / str(number), (time, time))
    return f"file:{root}"


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def test_a_file_was_processed_and_committed_with_its_batch(tmp_path: Path):
    place = checkpoint(tmp_path, (0, 2, COMMITTED), (1, 3, COMMITTED + 7), (2, 9, 0))
    [(source, found)] = committed_batches(place).items()
    assert source == "1"
    assert found.times_of(0) == found.times_of(1) == (moment(BEGAN), moment(COMMITTED))
    assert found.times_of(2) == (moment(BEGAN + 1), moment(COMMITTED + 7))
    assert found.times_of(3) is None  # of a batch that is not done
    assert newest_offsets(place)["1"].seq_num == 9


def test_of_batches_before_the_first_that_is_kept_nothing_is_known(tmp_path: Path):
    found = committed_batches(checkpoint(tmp_path, (7, 20, COMMITTED), (8, 30, COMMITTED + 1)))["1"]
    assert found.times_of(19) is None
    assert found.times_of(20) == (moment(BEGAN + 8), moment(COMMITTED + 1))


def test_a_checkpoint_without_batches_tells_nothing(tmp_path: Path):
    assert committed_batches(f"file:{tmp_path}") == newest_offsets(f"file:{tmp_path}") == {}
