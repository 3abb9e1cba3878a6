"""The list of rows: what is appended stays, whatever a crash leaves behind."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from pyspark_cloudfiles.errors import StateInUse, StateLost
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.segments import MERGED, SEGMENT_ROWS, Segment, Segments


@pytest.fixture
def directory(tmp_path: Path) -> str:
    return f"file:{tmp_path}/log"


def numbers(start: int, end: int) -> pa.Table:
    return pa.table({"n": list(range(start, end))})


def grown(directory: str, *sizes: int) -> Segments:
    segments = Segments(directory)
    for size in sizes:
        segments.append(numbers(len(segments), len(segments) + size))
    return segments


def files(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "log").iterdir())


def test_rows_are_read_across_segments_by_another_reader(directory: str):
    grown(directory, 3, 5, 2)
    assert Segments(directory).rows(2, 9)["n"].to_pylist() == list(range(2, 9))


def test_a_reader_sees_what_was_appended_after_it_looked(directory: str):
    reader = Segments(directory)
    grown(directory, 4)
    assert reader.rows(0, 4)["n"].to_pylist() == [0, 1, 2, 3]


def test_rows_that_are_not_there_are_an_error(directory: str):
    with pytest.raises(StateLost, match="ends at 3, and the checkpoint is at 4"):
        grown(directory, 3).rows(0, 4)


@pytest.mark.slow
def test_the_number_of_segments_grows_with_the_logarithm(directory: str, tmp_path: Path):
    grown(directory, *[1] * 600)
    assert len(files(tmp_path)) <= 4 * MERGED


def test_large_appends_are_cut_into_segments(directory: str, tmp_path: Path):
    grown(directory, SEGMENT_ROWS + 1)
    assert files(tmp_path) == [Segment(0, SEGMENT_ROWS).name, Segment(SEGMENT_ROWS, 1).name]


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_torn_last_segment_that_nobody_was_given_is_written_anew(directory: str, tmp_path: Path, kept: int):
    grown(directory, 2, 3)
    torn = tmp_path / "log" / Segment(2, 3).name
    torn.write_bytes(torn.read_bytes()[:kept])
    segments = Segments(directory)
    segments.require(2)
    segments.remove_replaced()
    segments.append(numbers(10, 12))
    assert Segments(directory).rows(0, 4)["n"].to_pylist() == [0, 1, 10, 11]


def test_a_merged_segment_of_which_a_part_is_there_does_not_count(directory: str, tmp_path: Path):
    grown(directory, *[1] * 7)
    left = {path.name: path.read_bytes() for path in (tmp_path / "log").iterdir()}
    grown(directory, 1)
    merged = tmp_path / "log" / Segment(0, 8, is_counted=True).name
    merged.write_bytes(merged.read_bytes()[:-9])
    for name, content in left.items():
        (tmp_path / "log" / name).write_bytes(content)
    segments = Segments(directory)
    segments.require(7)
    segments.remove_replaced()
    segments.append(numbers(7, 8))
    assert Segments(directory).rows(0, 8)["n"].to_pylist() == list(range(8))


def test_a_merged_segment_that_a_store_has_not_kept_replaces_nothing(
    directory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    segments = grown(directory, *[1] * 7)
    write = filesystem.write_atomically
    monkeypatch.setattr(filesystem, "write_atomically", lambda url, data, *rest, **named: write(
        url, data[:-1] if "-8" in url else data, *rest, **named
    ))  # fmt: skip
    segments.append(numbers(7, 8))
    assert len(files(tmp_path)) == 9
    assert Segments(directory).rows(0, 8)["n"].to_pylist() == list(range(8))


def test_a_put_whose_answer_was_lost_is_ones_own(directory: str, monkeypatch: pytest.MonkeyPatch):
    write = filesystem.write_atomically

    def written_twice(url: str, data: bytes, overwrite: bool = True) -> None:
        write(url, data, overwrite)
        write(url, data, overwrite)  # as a client does that was told 503

    monkeypatch.setattr(filesystem, "write_atomically", written_twice)
    grown(directory, 2)
    assert len(Segments(directory)) == 2


@pytest.mark.slow
def test_any_changed_bit_is_noticed(directory: str, tmp_path: Path):
    grown(directory, 20)
    segment = tmp_path / "log" / Segment(0, 20).name
    sound = segment.read_bytes()
    for bit in range(len(sound) * 8):
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << bit % 8
        segment.write_bytes(damaged)
        with pytest.raises(StateLost, match="is damaged"):
            Segments(directory).rows(0, 20)
    segment.write_bytes(sound)
    assert Segments(directory).rows(0, 20).num_rows == 20


def test_of_two_that_append_the_second_is_refused_and_nothing_is_lost(directory: str):
    one, other = Segments(directory), Segments(directory)
    one.append(numbers(0, 3))
    with pytest.raises(StateInUse, match="was written by another stream"):
        other.append(numbers(100, 105))
    assert Segments(directory).rows(0, 3)["n"].to_pylist() == [0, 1, 2]


def test_columns_are_read_that_only_newer_segments_have(directory: str):
    grown(directory, 2).append(pa.table({"n": [2], "m": ["new"]}))
    tables = list(Segments(directory).tables(["m"]))
    assert pa.concat_tables(tables, promote_options="default")["m"].to_pylist() == [None, None, "new"]


def test_a_merge_that_was_not_finished_is_finished(directory: str, tmp_path: Path):
    grown(directory, *[1] * 7)
    left = {path.name: path.read_bytes() for path in (tmp_path / "log").iterdir()}
    grown(directory, 1)
    for name, content in left.items():
        (tmp_path / "log" / name).write_bytes(content)
    segments = Segments(directory)
    assert segments.rows(0, 8)["n"].to_pylist() == list(range(8))
    segments.remove_replaced()
    assert files(tmp_path) == [Segment(0, 8, is_counted=True).name]


def test_a_segment_that_somebody_removed_is_an_error_and_removes_nothing(directory: str, tmp_path: Path):
    grown(directory, 2, 3, 4)
    (tmp_path / "log" / Segment(2, 3).name).unlink()
    with pytest.raises(StateLost, match=r"has 2 rows in .*, where there should be 5"):
        list(Segments(directory).tables())
    assert len(files(tmp_path)) == 2


def test_other_files_in_the_directory_are_passed_over(directory: str, tmp_path: Path):
    grown(directory, 2)
    (tmp_path / "log" / ".00000000000000000002-9.parquet.tmp").write_bytes(b"")
    assert len(Segments(directory)) == 2
