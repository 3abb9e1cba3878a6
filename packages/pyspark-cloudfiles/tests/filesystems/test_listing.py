"""Listings: everything once, links and strange names included, nothing in vain; and where a store's may begin."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from pyspark_cloudfiles.errors import PathNotFound
from pyspark_cloudfiles.filesystems import filesystem, listing
from pyspark_cloudfiles.filesystems.listing import (
    COARSEST_CLOCK,
    SHORT_LISTINGS_LIMIT,
    TRUST_LIMIT,
    IncrementalListing,
    ListingCache,
)


@pytest.fixture(autouse=True)
def no_mounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_CLOUDFILES_MOUNTS", raising=False)


def below(path: Path) -> list[str]:
    """Return what a listing finds, relative to where it began."""
    root = f"file:{path}/"
    return sorted(url.removeprefix(root) for url, _, _ in filesystem.list_files(root))


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def test_a_listing_finds_everything_with_size_and_time(tmp_path: Path) -> None:
    file = put(tmp_path / "a/b/c/d.json")
    os.utime(file, ns=(0, 1_700_000_000_123_456_789))
    assert list(filesystem.list_files(str(tmp_path))) == [(f"file:{file}", 1, 1_700_000_000_123_456)]


def test_unusual_names_are_found(tmp_path: Path) -> None:
    names = ["a b", "a\nb", "%41", "a%2Fb", "#x", "ü", "日本語", "🙂", "a:b", "a'b\"", "{x}[y]*?", "back\\slash", " "]
    for name in names:
        put(tmp_path / name / name)
    assert below(tmp_path) == sorted(f"{name}/{name}" for name in names)
    assert all(filesystem.read_bytes(url) == b"x" for url, _, _ in filesystem.list_files(str(tmp_path)))


def test_names_that_are_not_valid_utf8_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "good")
    try:
        put(tmp_path / os.fsdecode(b"bad\xff"))
        put(tmp_path / os.fsdecode(b"\xffdir") / "x")
    except OSError:
        pytest.skip("this file system refuses such names")
    assert below(tmp_path) == ["good"]


def test_pipes_are_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert below(tmp_path) == []


def test_a_deep_tree_needs_no_recursion(tmp_path: Path) -> None:
    directories = [tmp_path]
    try:
        for _ in range(1200):
            directories.append(directories[-1] / "d")
            directories[-1].mkdir()
        file = put(directories[-1] / "x")
        assert len(below(tmp_path)) == 1
        file.unlink()
    finally:
        for directory in reversed(directories[1:]):  # pytest's own cleaning is recursive
            directory.rmdir()


def test_a_directory_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    put(tmp_path / "shut/x")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    with (
        patch.object(listing.os, "scandir", refuse),
        pytest.raises(PathNotFound, match=r"shut cannot be listed: Permission denied. Make it readable"),
    ):
        below(tmp_path)


def test_what_vanishes_during_a_listing_is_passed_over(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        put(tmp_path / name / "x")
    files = filesystem.list_files(str(tmp_path))
    first, _, _ = next(files)
    for name in ("a", "b", "c"):
        (tmp_path / name / "x").unlink()
        (tmp_path / name).rmdir()
    assert first.endswith("/x")
    assert list(files) == []


def test_a_listing_of_nothing_is_empty(tmp_path: Path) -> None:
    assert below(tmp_path / "none") == []
    assert below(put(tmp_path / "file")) == []


def test_a_directory_that_links_lead_to_is_entered_once_without_circles(tmp_path: Path) -> None:
    put(tmp_path / "a/x")
    put(tmp_path / "b/y")
    (tmp_path / "a/up").symlink_to(tmp_path)
    (tmp_path / "a/self").symlink_to(tmp_path / "a")
    (tmp_path / "a/other").symlink_to(tmp_path / "b")
    (tmp_path / "b/back").symlink_to(tmp_path / "a")
    (tmp_path / "file").symlink_to(tmp_path / "a/x")
    (tmp_path / "dangling").symlink_to(tmp_path / "none")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert below(tmp_path) == ["a/x", "b/y", "file"]


def test_what_is_only_behind_links_has_the_url_of_the_first_of_them(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere/deep/x")
    source = tmp_path / "source"
    source.mkdir()
    for name in ("z", "b", "c"):
        (source / name).symlink_to(tmp_path / "elsewhere")
    (source / "a").symlink_to(tmp_path / "elsewhere/deep")
    assert below(source) == ["a/x"]


def test_directories_that_a_file_system_numbers_alike_are_all_entered(tmp_path: Path) -> None:
    put(tmp_path / "a/x")
    put(tmp_path / "b/y")
    stat = os.stat

    def alike(path: str) -> SimpleNamespace:
        return SimpleNamespace(st_dev=7, st_ino=7, st_mtime_ns=stat(path).st_mtime_ns, st_size=1)

    with patch.object(listing.os, "stat", alike):
        assert below(tmp_path) == ["a/x", "b/y"]


class Follower:
    """One who lists again and again, keeps what he is told, and has a clock of his own."""

    def __init__(self, root: Path) -> None:
        self.root, self.seconds, self.kept = root, 1000.0, set()
        self.listings = ListingCache(lambda: self.seconds)

    def look(self) -> list[str]:
        found = list(filesystem.list_files(str(self.root), wanted=self._new, listings=self.listings))
        self.kept.update(url for url, _, _ in found)
        return sorted(url.rsplit("/", 1)[1] for url, _, _ in found)

    def settle(self) -> None:
        self.look()
        self.seconds += COARSEST_CLOCK
        self.look()

    def _new(self, urls: list[str]) -> list[str]:
        return [url for url in urls if url not in self.kept]


@contextmanager
def counted(name: str) -> Iterator[list[str]]:
    """Note the paths that one of the system's functions is asked for."""
    original, asked = getattr(os, name), []

    def noting(path: str) -> object:
        asked.append(Path(path).name)
        return original(path)

    with patch.object(listing.os, name, noting):
        yield asked


def test_only_files_that_are_wanted_are_looked_at(tmp_path: Path) -> None:
    put(tmp_path / "old")
    follower = Follower(tmp_path)
    assert follower.look() == ["old"]
    put(tmp_path / "new")
    with counted("stat") as asked:
        assert follower.look() == ["new"]
    assert asked == [tmp_path.name, "new"]


def test_a_directory_that_has_not_changed_is_not_listed_again(tmp_path: Path) -> None:
    put(tmp_path / "a/x")
    put(tmp_path / "b/y")
    follower = Follower(tmp_path)
    follower.settle()
    put(tmp_path / "b/z")
    with counted("scandir") as listed:
        assert follower.look() == ["z"]
    assert listed == ["b"]


def test_what_comes_within_the_same_tick_of_the_clock_is_found(tmp_path: Path) -> None:
    put(tmp_path / "a")
    time = tmp_path.stat().st_mtime_ns
    follower = Follower(tmp_path)
    follower.look()
    follower.seconds += COARSEST_CLOCK / 2
    assert follower.look() == []
    put(tmp_path / "b")
    os.utime(tmp_path, ns=(time, time))
    follower.seconds += COARSEST_CLOCK / 2
    assert follower.look() == ["b"]


def test_a_time_that_goes_back_is_a_change(tmp_path: Path) -> None:
    put(tmp_path / "a")
    follower = Follower(tmp_path)
    follower.settle()
    put(tmp_path / "b")
    os.utime(tmp_path, ns=(0, 0))
    assert follower.look() == ["b"]


def test_where_directories_have_no_times_a_file_is_found_a_while_later(tmp_path: Path) -> None:
    time = tmp_path.stat().st_mtime_ns
    follower = Follower(tmp_path)
    follower.settle()
    put(tmp_path / "late")
    os.utime(tmp_path, ns=(time, time))
    assert follower.look() == []
    follower.seconds += TRUST_LIMIT + 1
    assert follower.look() == ["late"]


def test_what_was_found_and_not_kept_is_found_again(tmp_path: Path) -> None:
    put(tmp_path / "a")
    follower = Follower(tmp_path)
    for _ in range(3):
        follower.look()
        follower.kept.clear()  # as when writing it down has failed
        follower.seconds += COARSEST_CLOCK
    assert follower.look() == ["a"]


def test_a_link_that_leads_nowhere_yet_is_looked_at_again(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "file").symlink_to(tmp_path / "later")
    follower = Follower(source)
    follower.settle()
    put(tmp_path / "later")
    assert follower.look() == ["file"]


def test_another_directory_in_the_place_of_one_is_listed(tmp_path: Path) -> None:
    put(tmp_path / "source/a/x")
    put(tmp_path / "other/a/y")
    follower = Follower(tmp_path / "source")
    follower.settle()
    time = (tmp_path / "source").stat().st_mtime_ns
    (tmp_path / "source").rename(tmp_path / "gone")
    (tmp_path / "other").rename(tmp_path / "source")
    os.utime(tmp_path / "source", ns=(time, time))
    assert follower.look() == ["y"]


def test_a_directory_that_is_passed_over_leads_on_to_those_below(tmp_path: Path) -> None:
    put(tmp_path / "a/b/c/x")
    follower = Follower(tmp_path)
    follower.settle()
    put(tmp_path / "a/b/c/y")
    assert follower.look() == ["y"]


def test_automatically_only_where_all_that_was_new_came_last():
    names = IncrementalListing("auto")
    names.record("r", None, "r/2", "r/1")
    assert names.offset("r") is None
    names.record("r", None, "r/4", "r/3")
    assert names.offset("r") == "r/4"
    assert names.offset("other") is None


def test_one_name_in_between_and_everything_is_listed_again():
    names = IncrementalListing("auto")
    names.record("r", None, "r/2", "r/1")
    names.record("r", None, "r/4", "r/1b")
    assert names.offset("r") is None


def test_on_demand_always_and_never():
    wanted, refused = IncrementalListing("true"), IncrementalListing("false")
    for names in (wanted, refused):
        names.record("r", None, "r/2", "r/1")
        names.record("r", None, "r/4", "r/1b")
    assert wanted.offset("r") == "r/4"
    assert refused.offset("r") is None


def test_after_seven_short_listings_comes_one_of_everything():
    names = IncrementalListing("true")
    names.record("r", None, "r/2", "r/1")
    for _ in range(SHORT_LISTINGS_LIMIT):
        assert names.offset("r") == "r/2"
        names.record("r", "r/2", "r/2", None)
    assert names.offset("r") is None
    names.record("r", None, "r/2", None)
    assert names.offset("r") == "r/2"
