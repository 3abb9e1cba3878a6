"""The log of files: each once, in order, within the limits of a batch, in little memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from pyspark_cloudfiles.errors import StateLost
from pyspark_cloudfiles.file_log import VARIABLE, FileLog, files_between, log_of, new_log
from pyspark_cloudfiles.filesystems.files import SourceFile


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
def test_a_schema_location_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    assert new_log("file:/a").startswith("file:/a/_cloudfiles/")


@pytest.mark.usefixtures("no_places")
def test_a_log_that_was_moved_with_its_schema_location_is_found(tmp_path: Path) -> None:
    (tmp_path / "new/_cloudfiles/abc").mkdir(parents=True)
    recorded = f"file:{tmp_path}/old/_cloudfiles/abc"
    assert log_of(f"file:{tmp_path}/new", recorded) == f"file:{tmp_path}/new/_cloudfiles/abc"
    assert log_of(f"file:{tmp_path}/none", recorded) == recorded
