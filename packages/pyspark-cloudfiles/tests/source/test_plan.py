"""Groups of files: all of a batch, each byte once, about the same work for each task."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyspark_cloudfiles.filesystems.files import SMALLEST_PART, SourceFile
from pyspark_cloudfiles.source.plan import FILE_OVERHEAD, group_files

MB = 1024**2


def files(*sizes: int) -> list[SourceFile]:
    return [SourceFile(f"file:/{number}", size, 0) for number, size in enumerate(sizes)]


def work(group: list[SourceFile]) -> int:
    return sum(file.end - file.start + FILE_OVERHEAD for file in group)


@given(sizes=st.lists(st.integers(0, 300 * MB), max_size=30), cores=st.integers(1, 16), parted=st.booleans())
def test_each_byte_is_read_once_and_in_order(sizes: list[int], cores: int, parted: bool):
    batch = files(*sizes)
    parts = [part for group in group_files(batch, cores, lambda file: parted) for part in group]
    for file in batch:
        of_file = [part for part in parts if part.url == file.url]
        assert of_file[0].start == 0 and of_file[-1].end == file.size and of_file[-1].last is None
        assert all(one.end == other.start for one, other in pairwise(of_file))
        assert parted or len(of_file) == 1
        if len(of_file) > 1:
            assert min(part.end - part.start for part in of_file) >= SMALLEST_PART
    assert [part.url for part in parts] == sorted((part.url for part in parts), key=lambda url: int(url[6:]))


@given(sizes=st.lists(st.integers(0, 300 * MB), min_size=1, max_size=30), cores=st.integers(1, 16))
def test_files_with_parts_are_divided_evenly(sizes: list[int], cores: int):
    groups = group_files(files(*sizes), cores, lambda file: True)
    assert max(map(work, groups)) - min(map(work, groups[:-1] or groups)) <= 2 * SMALLEST_PART + 40 * FILE_OVERHEAD


def test_one_large_file_uses_all_cores():
    groups = group_files(files(100 * MB), 4, lambda file: True)
    assert [[(part.start // MB, part.end // MB) for part in group] for group in groups] == [
        [(0, 25)], [(25, 50)], [(50, 75)], [(75, 100)]
    ]  # fmt: skip


@pytest.mark.parametrize(("size", "count"), [(1, 1), (7 * MB, 1), (15 * MB, 2), (1000 * MB, 8)])
def test_a_small_file_is_not_cut_and_a_huge_one_into_more_parts_than_cores(size: int, count: int):
    assert len(group_files(files(size), 4 if size < 1000 * MB else 2, lambda file: True)) == count
