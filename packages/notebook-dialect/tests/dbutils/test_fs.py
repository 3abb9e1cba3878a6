from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from notebook_dialect.dbutils.execution_errors import (
    FileCommandFailed,
    FileExists,
    NotSupported,
    PathNotFound,
)
from notebook_dialect.dbutils.fs import FileInfo, FileSystemUtils, MountInfo
from notebook_dialect.dbutils.utilities import SecretUtils
from notebook_dialect.dbutils.widgets import Widgets
from streaming_classroom.files.directories import classroom_files


def everything(folder: Path) -> dict[str, str]:
    """Return each path below a folder with what is in it."""
    paths = sorted(folder.rglob("*"))
    return {str(p): p.read_text() if p.is_file() else "" for p in paths} | {"mode": oct(folder.stat().st_mode)}


def entries(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return sorted(path.name for path in folder.iterdir())


def names(listing: list[FileInfo]) -> list[str]:
    return [info.name for info in listing]


# ls


def test_a_listing_is_sorted_and_says_what_is_a_folder(fs: FileSystemUtils, root: Path) -> None:
    (root / "mnt/a/z").mkdir(parents=True)
    (root / "mnt/a/b.txt").write_bytes(b"12345")
    os.utime(root / "mnt/a/b.txt", ns=(0, 1_700_000_000_123_999_999))
    file, folder = fs.ls("/mnt/a")
    assert file == ("dbfs:/mnt/a/b.txt", "b.txt", 5, 1_700_000_000_123)
    assert (folder.path, folder.name, folder.size) == ("dbfs:/mnt/a/z/", "z/", 0)
    assert (file.isFile(), file.isDir()) == (True, False)
    assert (folder.isFile(), folder.isDir()) == (False, True)


def test_checksums_are_not_listed_and_commit_files_are(fs: FileSystemUtils, root: Path) -> None:
    for name in (".a.txt.crc", "a.txt", "00000.crc", "_SUCCESS", ".hidden"):
        (root / "mnt" / name).touch()
    assert names(fs.ls("/mnt")) == [".hidden", "00000.crc", "_SUCCESS", "a.txt"]


@pytest.mark.parametrize("command", [("ls",), ("head",), ("cp", "/tmp/x"), ("mv", "/tmp/x")])
def test_a_missing_path_is_the_error_that_lessons_look_for(fs: FileSystemUtils, command: tuple[str, ...]) -> None:
    name, *more = command
    with pytest.raises(PathNotFound) as caught:
        getattr(fs, name)("/mnt/missing/a", *more)
    assert "java.io.FileNotFoundException: No such file or directory dbfs:/mnt/missing/a\n" in str(caught.value)
    assert 'dbutils.fs.ls("dbfs:/mnt/missing/")' in str(caught.value)


# head and put


def test_put_writes_and_head_reads(fs: FileSystemUtils, capsys: pytest.CaptureFixture[str]) -> None:
    assert fs.put("/mnt/new/folder/a.txt", "größe\n") is True
    assert capsys.readouterr().out == "Wrote 8 bytes.\n"
    assert fs.head("/mnt/new/folder/a.txt") == "größe\n"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("limit", "text", "note"), [(3, "abc", ""), (2, "ab", "[Truncated to first 2 bytes]\n")])
def test_head_says_when_there_is_more(
    fs: FileSystemUtils, root: Path, capsys: pytest.CaptureFixture[str], limit: int, text: str, note: str
) -> None:
    (root / "mnt/a").write_text("abc")
    assert fs.head("/mnt/a", limit) == text
    assert capsys.readouterr().out == note


def test_put_replaces_only_when_told_to(fs: FileSystemUtils) -> None:
    fs.put("/mnt/a", "old")
    with pytest.raises(FileExists, match=r"FileAlreadyExistsException: File already exists: dbfs:/mnt/a\n.*overwrite"):
        fs.put("/mnt/a", "new")
    assert fs.head("/mnt/a") == "old"
    fs.put("/mnt/a", "new", overwrite=True)
    assert fs.head("/mnt/a") == "new"


# mkdirs and rm


def test_mkdirs_makes_what_is_missing_and_nothing_else(fs: FileSystemUtils, root: Path) -> None:
    assert fs.mkdirs("/mnt/a/b") and fs.mkdirs("/mnt/a/b")
    assert (root / "mnt/a/b").is_dir()


def test_rm_says_whether_something_was_there(fs: FileSystemUtils, root: Path) -> None:
    fs.put("/mnt/a", "x")
    assert (fs.rm("/mnt/a"), fs.rm("/mnt/a"), fs.rm("/mnt/a", True)) == (True, False, False)
    assert entries(root / "mnt") == []


def test_rm_of_a_folder_with_files_needs_recurse(fs: FileSystemUtils, root: Path) -> None:
    fs.put("/mnt/a/b/c", "x")
    with pytest.raises(FileCommandFailed, match=r'not empty\n.*dbutils.fs.rm\("dbfs:/mnt/a", True\)'):
        fs.rm("/mnt/a")
    assert (root / "mnt/a/b/c").exists()
    assert fs.rm("/mnt/a", recurse=True) is True
    assert not (root / "mnt/a").exists()


@pytest.mark.parametrize("name", ["folder", "file", "relative", "top", "nowhere", "round"])
@pytest.mark.parametrize("recurse", [True, False])
def test_rm_of_a_link_removes_the_link(
    fs: FileSystemUtils, links: Path, outside: Path, root: Path, name: str, recurse: bool
) -> None:
    before = everything(outside)
    assert fs.rm(f"/mnt/links/{name}", recurse) is True
    assert name not in entries(links) and links.exists()
    assert everything(outside) == before


def test_rm_of_a_folder_with_links_removes_only_the_links(fs: FileSystemUtils, links: Path, outside: Path) -> None:
    before = everything(outside)
    assert fs.rm("/mnt/links", True)
    assert not links.exists()
    assert everything(outside) == before


# cp and mv


@pytest.mark.parametrize("command", ["cp", "mv"])
@pytest.mark.parametrize(
    ("to", "arrives"), [("/tmp/new/b.txt", "tmp/new/b.txt"), ("/tmp", "tmp/a.txt"), ("/tmp/old.txt", "tmp/old.txt")]
)
def test_a_file_goes_to_a_new_name_into_a_folder_or_over_a_file(
    fs: FileSystemUtils, root: Path, command: str, to: str, arrives: str
) -> None:
    fs.put("/mnt/a.txt", "new")
    fs.put("/tmp/old.txt", "old")
    assert getattr(fs, command)("/mnt/a.txt", to) is True
    assert (root / arrives).read_text() == "new"
    assert (root / "mnt/a.txt").exists() is (command == "cp")


@pytest.mark.parametrize("command", ["cp", "mv"])
@pytest.mark.parametrize(("to", "arrives"), [("/tmp/new/b", "tmp/new/b"), ("/tmp", "tmp/a")])
def test_a_folder_goes_to_a_new_name_or_into_a_folder(
    fs: FileSystemUtils, root: Path, command: str, to: str, arrives: str
) -> None:
    fs.put("/mnt/a/b/c.txt", "x")
    assert getattr(fs, command)("/mnt/a", to, recurse=True) is True
    assert (root / arrives / "b/c.txt").read_text() == "x"
    assert (root / "mnt/a").exists() is (command == "cp")


@pytest.mark.parametrize("command", ["cp", "mv"])
def test_a_folder_joins_the_one_of_its_name(fs: FileSystemUtils, root: Path, command: str) -> None:
    fs.put("/mnt/a/both", "new")
    fs.put("/mnt/a/new", "new")
    fs.put("/tmp/a/both", "old")
    fs.put("/tmp/a/old", "old")
    getattr(fs, command)("/mnt/a", "/tmp", True)
    there = {path.name: path.read_text() for path in (root / "tmp/a").iterdir()}
    assert there == {"both": "new", "new": "new", "old": "old"}
    assert (root / "mnt/a").exists() is (command == "cp")


@pytest.mark.parametrize("command", ["cp", "mv"])
def test_a_folder_needs_recurse(fs: FileSystemUtils, root: Path, command: str) -> None:
    fs.put("/mnt/a/b", "x")
    with pytest.raises(FileCommandFailed, match="recurse=True"):
        getattr(fs, command)("/mnt/a", "/tmp/a")
    assert (root / "mnt/a/b").exists() and not (root / "tmp/a").exists()


@pytest.mark.parametrize("command", ["cp", "mv"])
@pytest.mark.parametrize("to", ["/mnt/a", "/mnt/a/b/c", "/mnt", "/dbfs/mnt/a/"])
def test_nothing_goes_into_itself(fs: FileSystemUtils, root: Path, command: str, to: str) -> None:
    fs.put("/mnt/a/b/d", "x")
    before = everything(root)
    with pytest.raises(FileCommandFailed, match="itself or in it"):
        getattr(fs, command)("/mnt/a", to, True)
    assert everything(root) == before


@pytest.mark.parametrize("command", ["cp", "mv"])
def test_a_folder_does_not_replace_a_file(fs: FileSystemUtils, command: str) -> None:
    fs.put("/mnt/a/b", "x")
    fs.put("/tmp/a", "kept")
    with pytest.raises(FileCommandFailed, match="is a file"):
        getattr(fs, command)("/mnt/a", "/tmp/a", True)
    with pytest.raises(FileCommandFailed, match="is a file"):
        getattr(fs, command)("/mnt/a", "/tmp", True)
    assert (fs.head("/tmp/a"), fs.head("/mnt/a/b")) == ("kept", "x")


def test_the_machines_own_files_are_copied_in(fs: FileSystemUtils, root: Path, outside: Path) -> None:
    before = everything(outside)
    fs.cp(f"file:{outside}", "/mnt/copied", True)
    assert (root / "mnt/copied/sub/kept.txt").read_text() == "kept"
    assert everything(outside) == before


# checksums, with Spark


def _spark_file(spark: SparkSession, name: str, text: str) -> Path:
    """Write a file and its checksum through Hadoop, and return where Python finds it."""
    path = f"dbfs:/mnt/test-fs/{name}"
    jvm = spark.sparkContext._jvm
    hadoop_path = jvm.org.apache.hadoop.fs.Path(path)
    stream = hadoop_path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).create(hadoop_path, True)
    stream.write(bytearray(text.encode()))
    stream.close()
    local = classroom_files().local_path(path)
    assert local.with_name(f".{name}.crc").exists()
    return local


def _lines(spark: SparkSession, path: str) -> list[str]:
    return [row[0] for row in spark.read.text(path).collect()]


def test_spark_reads_what_put_has_replaced(spark: SparkSession) -> None:
    _spark_file(spark, "put.txt", "old")
    FileSystemUtils(classroom_files()).put("/mnt/test-fs/put.txt", "new", overwrite=True)
    assert _lines(spark, "/mnt/test-fs/put.txt") == ["new"]


@pytest.mark.parametrize("command", ["cp", "mv"])
@pytest.mark.parametrize("source_has_one", [True, False])
def test_spark_reads_what_cp_and_mv_have_replaced(spark: SparkSession, command: str, source_has_one: bool) -> None:
    fs = FileSystemUtils(classroom_files())
    source, target = f"{command}-from.txt", f"{command}-to.txt"
    if source_has_one:
        _spark_file(spark, source, "new")
    else:
        fs.put(f"/mnt/test-fs/{source}", "new", True)
    _spark_file(spark, target, "old")
    getattr(fs, command)(f"/mnt/test-fs/{source}", f"/mnt/test-fs/{target}")
    assert _lines(spark, f"/mnt/test-fs/{target}") == ["new"]


# mounts


def test_a_folder_of_mnt_counts_as_mounted(fs: FileSystemUtils, root: Path) -> None:
    fs.mkdirs("/mnt/training")
    fs.put("/mnt/file", "x")
    assert fs.mounts() == [
        MountInfo("/", root.as_uri(), ""),
        MountInfo("/mnt/training", (root / "mnt/training").as_uri(), ""),
    ]
    assert fs.refreshMounts() is True


def test_mounting_is_refused_with_what_to_do_instead(fs: FileSystemUtils) -> None:
    for mount in (fs.mount, fs.updateMount):
        with pytest.raises(NotSupported, match=r'mkdirs\("/mnt/x"\)'):
            mount("wasbs://c@a.blob.core.windows.net", "/mnt/x", extra_configs={})
    with pytest.raises(NotSupported, match=r'rm\("/mnt/x", True\)'):
        fs.unmount("/mnt/x")


UTILITIES = [FileSystemUtils(classroom_files()), SecretUtils(), Widgets(dict)]


@pytest.mark.parametrize("utility", UTILITIES, ids=lambda utility: type(utility).__name__)
def test_help_names_every_method_with_a_sentence(utility: object, capsys: pytest.CaptureFixture[str]) -> None:
    utility.help()
    title, empty, *lines = capsys.readouterr().out.splitlines()
    public = [name for name in (*vars(type(utility)), "help") if not name.startswith("_")]
    assert title.endswith(".") and empty == ""
    assert [line.strip().partition("(")[0] for line in lines] == public
    assert all(line.partition(" -> ")[2].endswith(".") for line in lines)
