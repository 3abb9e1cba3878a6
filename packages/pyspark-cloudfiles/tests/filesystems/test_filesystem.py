"""Files by URL: spelling, mounts, reading, atomic writing, locks."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import pytest

from pyspark_cloudfiles.errors import InvalidOption, StateInUse
from pyspark_cloudfiles.filesystems import filesystem, local
from pyspark_cloudfiles.filesystems.filesystem import MOUNTS_VARIABLE, iterate_mounted, mounted

DEMO = "file:/a/b"


@pytest.fixture(autouse=True)
def no_mounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_CLOUDFILES_MOUNTS", raising=False)


@pytest.fixture
def dbfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Mount a directory as the classroom does."""
    root = tmp_path / "dbfs"
    root.mkdir()
    prefixes = ("dbfs:/", "/", "/dbfs/", "dbfs:/dbfs/")
    monkeypatch.setenv("PYSPARK_CLOUDFILES_MOUNTS", json.dumps(dict.fromkeys(prefixes, str(root))))
    return root


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/a/b", DEMO),
        ("/a//b/", DEMO),
        ("/a/./x/../b", DEMO),
        ("/../../a/b", DEMO),
        ("file:/a/b", DEMO),
        ("file:///a/b/", DEMO),
        ("FILE:/a/b", DEMO),
        ("file://localhost/a/b", DEMO),
        ("/", "file:/"),
        ("file:///", "file:/"),
        ("/a%20b/ü#?[x]", "file:/a%20b/ü#?[x]"),
        ("file:/a%2Fb", "file:/a%2Fb"),
        ("/a:b/c", "file:/a:b/c"),
        ("/a\nb", "file:/a\nb"),
        ("/.hidden/", "file:/.hidden"),
        ("dbfs:/a/b", "dbfs:/a/b"),
        ("s3://bucket/a//b/", "s3://bucket/a/b"),
        ("s3a://bucket/a", "s3://bucket/a"),
        ("s3://bucket", "s3://bucket"),
        ("s3://bucket/", "s3://bucket"),
        ("s3://bucket/../../a", "s3://bucket/a"),
        ("abfss://box@account.dfs.core.windows.net/a", "abfss://box@account.dfs.core.windows.net/a"),
        ("memory:///a", "memory:///a"),
        ("hdfs://host:8020/a", "hdfs://host:8020/a"),
    ],
)
def test_a_place_has_one_spelling(url: str, expected: str) -> None:
    assert filesystem.canonical(url) == expected
    assert filesystem.canonical(expected) == expected


def test_a_relative_path_is_below_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert filesystem.canonical("a/b") == f"file:{tmp_path.resolve()}/a/b"
    assert filesystem.canonical("../x") == f"file:{tmp_path.resolve().parent}/x"


@pytest.mark.parametrize("url", ["", "file://host/a", "file://a/b/c"])
def test_what_has_no_place_is_refused(url: str) -> None:
    with pytest.raises(InvalidOption):
        filesystem.canonical(url)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/a/b", "dbfs:/a/b"),
        ("dbfs:/a/b", "dbfs:/a/b"),
        ("dbfs:///a/b", "dbfs:/a/b"),
        ("dbfs:/", "dbfs:/"),
        ("/", "dbfs:/"),
        ("/dbfs/a", "dbfs:/a"),
        ("dbfs:/dbfs/a", "dbfs:/a"),
        ("/dbfsx/a", "dbfs:/dbfsx/a"),
        ("/../../etc/passwd", "dbfs:/etc/passwd"),
        ("dbfs:/../etc/passwd", "dbfs:/etc/passwd"),
        ("/dbfs/../etc", "dbfs:/etc"),
        ("file:/a", "file:/a"),
    ],
)
def test_mounted_paths_are_spelled_with_the_mounts_scheme(dbfs: Path, url: str, expected: str) -> None:
    assert filesystem.canonical(url) == expected


def test_mounted_files_are_in_the_mounts_directory(dbfs: Path) -> None:
    filesystem.write_atomically("/mnt/x/a.txt", b"1")
    assert (dbfs / "mnt/x/a.txt").read_bytes() == b"1"
    assert filesystem.read_bytes("dbfs:/mnt/x/a.txt") == b"1"
    assert [url for url, _, _ in filesystem.list_files("/mnt")] == ["dbfs:/mnt/x/a.txt"]
    assert [url for url, _, _ in filesystem.list_files("dbfs:/")] == ["dbfs:/mnt/x/a.txt"]
    assert [url for url, _, _ in filesystem.list_files(f"file:{dbfs}")] == [f"file:{dbfs}/mnt/x/a.txt"]


def test_a_relative_path_in_a_mounted_root_is_below_the_users_home(dbfs: Path) -> None:
    with patch("getpass.getuser", return_value="ada"):
        assert filesystem.canonical("x") == "dbfs:/user/ada/x"


def test_the_longest_mount_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = {"s3://bucket/": str(tmp_path / "all"), "s3://bucket/deep/er": str(tmp_path / "deeper")}
    monkeypatch.setenv("PYSPARK_CLOUDFILES_MOUNTS", json.dumps(mounts))
    assert filesystem.local_path("s3a://bucket/deep/er/x") == str(tmp_path / "deeper/x")
    assert filesystem.local_path("s3://bucket/deep/erx") == str(tmp_path / "all/deep/erx")
    assert filesystem.canonical("s3a://bucket/deep/er/x") == "s3://bucket/deep/er/x"
    assert filesystem.local_path("s3://other/x") is None


def test_mounts_that_are_no_json_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_CLOUDFILES_MOUNTS", "dbfs")
    with pytest.raises(InvalidOption, match="PYSPARK_CLOUDFILES_MOUNTS"):
        filesystem.canonical("dbfs:/a")


def test_files_are_read_whole_and_in_parts(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/ü %41#?\n.bin"
    filesystem.write_atomically(url, b"0123456789")
    assert filesystem.read_bytes(url) == b"0123456789"
    with filesystem.open_binary(url) as file:
        file.seek(5)
        assert file.read(2) == b"56"
    assert filesystem.file_status(url)[0] == 10
    assert filesystem.names(f"file:{tmp_path}") == ["ü %41#?\n.bin"]


def test_what_is_gone_is_not_found(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/none"
    for function in (filesystem.read_bytes, filesystem.open_binary, filesystem.file_status):
        with pytest.raises(FileNotFoundError):
            function(url)
    assert not filesystem.exists(url)
    assert not filesystem.is_directory(url)
    assert filesystem.names(url) == []
    filesystem.delete(url)


def test_writing_makes_directories_and_leaves_nothing_else(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/a/b/c"
    filesystem.write_atomically(url, b"1")
    filesystem.write_atomically(url, b"22")
    assert filesystem.read_bytes(url) == b"22"
    assert filesystem.names(f"file:{tmp_path}/a/b") == ["c"]


def test_a_name_as_long_as_can_be_is_written(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/{'x' * 255}"
    filesystem.write_atomically(url, b"1")
    assert filesystem.read_bytes(url) == b"1"


def test_of_many_writers_one_is_first(tmp_path: Path, one_of_many_writes: Callable[[str, int], None]) -> None:
    one_of_many_writes(f"file:{tmp_path}/a/once", 8)
    assert filesystem.names(f"file:{tmp_path}/a") == ["once"]


def test_without_hard_links_one_writer_is_first_too(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/once"
    with patch.object(Path, "hardlink_to", side_effect=OSError(errno.EPERM, "no links")):
        filesystem.write_atomically(url, b"1", overwrite=False)
        with pytest.raises(FileExistsError):
            filesystem.write_atomically(url, b"2", overwrite=False)
    assert filesystem.read_bytes(url) == b"1"


def test_a_writer_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/a"
    filesystem.write_atomically(url, b"old")
    with patch.object(local.os, "fsync", side_effect=OSError(errno.ENOSPC, "full")), pytest.raises(OSError):
        filesystem.write_atomically(url, b"new")
    assert filesystem.read_bytes(url) == b"old"
    assert filesystem.names(f"file:{tmp_path}") == ["a"]


def test_files_are_moved_into_directories_that_are_made(tmp_path: Path) -> None:
    filesystem.write_atomically(f"file:{tmp_path}/a", b"1")
    filesystem.move(f"file:{tmp_path}/a", f"file:{tmp_path}/x/y/b")
    assert filesystem.read_bytes(f"file:{tmp_path}/x/y/b") == b"1"
    assert not filesystem.exists(f"file:{tmp_path}/a")
    with pytest.raises(FileNotFoundError):
        filesystem.move(f"file:{tmp_path}/a", f"file:{tmp_path}/c")


def test_files_are_moved_to_another_device(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(b"1")
    os.utime(source, ns=(10**18, 10**18))
    replace = Path.replace

    def refuse(self: Path, other: Path) -> Path:
        if self == source:
            raise OSError(errno.EXDEV, "another device")
        return replace(self, other)

    with patch.object(Path, "replace", refuse):
        filesystem.move(f"file:{source}", f"file:{target}")
    assert filesystem.file_status(f"file:{target}") == (1, 10**15)
    assert not source.exists()


def test_a_lock_is_exclusive_and_given_back(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/deep/state"
    with (
        filesystem.lock(url),
        pytest.raises(StateInUse, match=f"in use by process {os.getpid()}"),
        filesystem.lock(url, timeout=0.1),
    ):
        raise AssertionError
    with filesystem.lock(url, timeout=0):
        pass
    assert filesystem.names(f"file:{tmp_path}/deep") == [".state.lock"]


def test_a_killed_process_gives_its_lock_back(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/state"
    code = (
        "import sys; from pyspark_cloudfiles.filesystems import filesystem\n"
        f"with filesystem.lock({url!r}): print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == "held\n"
        with pytest.raises(StateInUse, match=f"process {child.pid}"), filesystem.lock(url, timeout=0.1):
            raise AssertionError
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=120)
    with filesystem.lock(url, timeout=120):
        pass


def test_a_remote_lock_does_nothing() -> None:
    with filesystem.lock("s3://bucket/a"), filesystem.lock("s3://bucket/a"):
        pass


A, B = (json.dumps({"dbfs:/": directory}) for directory in ("/a", "/b"))


def where() -> str | None:
    return filesystem.local_path("dbfs:/x")


def test_mounts_hold_until_the_block_ends():
    with mounted(A):
        with mounted(B):
            assert where() == "/b/x"
        assert where() == "/a/x"
    assert where() is None and MOUNTS_VARIABLE not in os.environ


def test_a_source_without_mounts_has_those_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(MOUNTS_VARIABLE, A)
    with mounted(None):
        assert where() == "/a/x"
    with mounted(B):
        assert where() == "/b/x"


def test_another_thread_has_none_of_them():
    with mounted(A), ThreadPoolExecutor(1) as threads:
        assert threads.submit(where).result(10) is None


def test_two_iterators_that_take_turns_have_their_own():
    def places() -> Iterator[str | None]:
        for _ in range(2):
            yield where()

    pairs = zip(iterate_mounted(A, places()), iterate_mounted(B, places()), strict=True)
    assert [(*pair, where()) for pair in pairs] == [("/a/x", "/b/x", None)] * 2
