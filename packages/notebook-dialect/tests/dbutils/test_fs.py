from __future__ import annotations

import inspect
import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from notebook_dialect.dbutils import fs as files
from notebook_dialect.dbutils.execution_errors import (
    FileCommandFailed,
    FileExists,
    NotSupported,
    PathInvalid,
    PathNotFound,
)
from notebook_dialect.dbutils.fs import FileInfo, FileSystemUtils, MountInfo
from notebook_dialect.files import filesystem
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


def test_a_file_info_looks_as_on_databricks() -> None:
    info = FileInfo("dbfs:/mnt/a/", "a/", 0, 1)
    assert repr(info) == "FileInfo(path='dbfs:/mnt/a/', name='a/', size=0, modificationTime=1)"


@pytest.mark.parametrize("path", ["dbfs:/mnt/a", "dbfs:///mnt/a/", "/mnt/a", "/dbfs/mnt/a", "//mnt//a/."])
def test_each_spelling_of_a_path_is_one_place(fs: FileSystemUtils, root: Path, path: str) -> None:
    (root / "mnt/a/b").mkdir(parents=True)
    assert fs.ls(path)[0].path == "dbfs:/mnt/a/b/"


def test_a_path_without_a_scheme_is_never_the_machines(fs: FileSystemUtils, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost:15002")
    fs.mkdirs("/mnt/over-connect")
    assert names(fs.ls("dbfs:/mnt")) == ["over-connect/"]


def test_the_root_lists_the_folders_of_a_workspace(fs: FileSystemUtils) -> None:
    assert names(fs.ls("/")) == sorted(f"{folder}/" for folder in filesystem.FOLDERS)


def test_ls_of_a_file_is_that_file(fs: FileSystemUtils, root: Path) -> None:
    (root / "mnt/a.txt").write_text("x")
    assert [(i.path, i.size) for i in fs.ls("/mnt/a.txt")] == [("dbfs:/mnt/a.txt", 1)]


def test_checksums_are_not_listed_and_commit_files_are(fs: FileSystemUtils, root: Path) -> None:
    for name in (".a.txt.crc", "a.txt", "00000.crc", "_SUCCESS", ".hidden"):
        (root / "mnt" / name).touch()
    assert names(fs.ls("/mnt")) == [".hidden", "00000.crc", "_SUCCESS", "a.txt"]


def test_a_link_that_leads_nowhere_is_listed(fs: FileSystemUtils, links: Path) -> None:
    assert {"nowhere", "round", "folder/"} <= set(names(fs.ls("/mnt/links")))


@pytest.mark.parametrize("name", ["a b.txt", "50 %.txt", "what?.txt", "#1.txt", "%41.txt", "größe.txt"])
def test_the_machines_own_files_are_found_again_by_the_listed_path(
    fs: FileSystemUtils, outside: Path, name: str
) -> None:
    (outside / "odd").mkdir()
    (outside / "odd" / name).write_text("odd")
    [info] = fs.ls(f"file:{outside}/odd")
    assert (info.name, fs.head(info.path)) == (name, "odd")
    assert fs.ls(info.path) == [info]


@pytest.mark.parametrize("command", [("ls",), ("head",), ("cp", "/tmp/x"), ("mv", "/tmp/x")])
def test_a_missing_path_is_the_error_that_lessons_look_for(fs: FileSystemUtils, command: tuple[str, ...]) -> None:
    name, *more = command
    with pytest.raises(PathNotFound) as caught:
        getattr(fs, name)("/mnt/missing/a", *more)
    assert "java.io.FileNotFoundException: No such file or directory dbfs:/mnt/missing/a\n" in str(caught.value)
    assert 'dbutils.fs.ls("dbfs:/mnt/missing/")' in str(caught.value)


def test_spark_makes_a_frame_of_a_listing(spark: SparkSession) -> None:
    spark.range(1).write.mode("overwrite").json("dbfs:/mnt/test-fs-frame")
    frame = spark.createDataFrame(FileSystemUtils(classroom_files()).ls("/mnt/test-fs-frame"))
    assert frame.columns == ["path", "name", "size", "modificationTime"]
    assert frame.where("name = '_SUCCESS'").first().path == "dbfs:/mnt/test-fs-frame/_SUCCESS"


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


def test_head_shows_what_is_no_text_and_a_character_cut_in_two(fs: FileSystemUtils, root: Path) -> None:
    (root / "mnt/a").write_bytes(b"\xffa\xc3\xb6")
    assert fs.head("/mnt/a", 3) == "\ufffda\ufffd"


@pytest.mark.parametrize("path", ["/mnt", "file:/dev/zero"])
def test_head_of_what_is_no_file_is_refused(fs: FileSystemUtils, path: str) -> None:
    with pytest.raises(FileCommandFailed, match="is a d"):
        fs.head(path)


def test_head_of_a_negative_size_is_refused(fs: FileSystemUtils) -> None:
    fs.put("/mnt/a", "x")
    with pytest.raises(PathInvalid, match="negative"):
        fs.head("/mnt/a", -1)


def test_put_replaces_only_when_told_to(fs: FileSystemUtils) -> None:
    fs.put("/mnt/a", "old")
    with pytest.raises(FileExists, match=r"FileAlreadyExistsException: File already exists: dbfs:/mnt/a\n.*overwrite"):
        fs.put("/mnt/a", "new")
    assert fs.head("/mnt/a") == "old"
    fs.put("/mnt/a", "new", overwrite=True)
    assert fs.head("/mnt/a") == "new"


def test_put_never_replaces_a_folder(fs: FileSystemUtils, root: Path) -> None:
    fs.mkdirs("/mnt/a")
    with pytest.raises(FileCommandFailed, match="is a directory"):
        fs.put("/mnt/a", "x", overwrite=True)


def test_put_takes_text_only(fs: FileSystemUtils, root: Path) -> None:
    with pytest.raises(PathInvalid, match="not a string but dict"):
        fs.put("/mnt/a", {"id": 1})
    assert not (root / "mnt/a").exists()


def test_a_file_appears_when_it_is_complete(fs: FileSystemUtils, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {}
    whole = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", lambda p, data: (whole(p, data), seen.update({p.name: data}))[0])
    fs.put("/mnt/a.txt", "text")
    assert [name[0] for name in seen] == ["."] and entries(root / "mnt") == ["a.txt"]


def test_a_failed_put_leaves_nothing(fs: FileSystemUtils, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(FileCommandFailed, match="No space left on device"):
        fs.put("/mnt/a.txt", "text")
    assert entries(root / "mnt") == []


# mkdirs and rm


def test_mkdirs_makes_what_is_missing_and_nothing_else(fs: FileSystemUtils, root: Path) -> None:
    assert fs.mkdirs("/mnt/a/b") and fs.mkdirs("/mnt/a/b")
    assert (root / "mnt/a/b").is_dir()


def test_mkdirs_over_a_file_is_an_error(fs: FileSystemUtils) -> None:
    fs.put("/mnt/a", "x")
    with pytest.raises(FileCommandFailed):
        fs.mkdirs("/mnt/a")
    with pytest.raises(FileCommandFailed):
        fs.mkdirs("/mnt/a/b")


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


def test_rm_of_an_empty_folder_needs_no_recurse(fs: FileSystemUtils, root: Path) -> None:
    fs.mkdirs("/mnt/a")
    (root / "mnt/a/.left.crc").touch()  # invisible, so the folder looks empty
    assert fs.rm("/mnt/a") is True
    assert not (root / "mnt/a").exists()


def test_rm_takes_the_checksum_along(fs: FileSystemUtils, root: Path) -> None:
    (root / "mnt/a.txt").touch()
    (root / "mnt/.a.txt.crc").touch()
    fs.rm("/mnt/a.txt")
    assert entries(root / "mnt") == []


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
def test_a_file_over_itself_is_refused_and_kept(fs: FileSystemUtils, command: str) -> None:
    fs.put("/mnt/a", "x")
    with pytest.raises(FileCommandFailed, match="itself"):
        getattr(fs, command)("/mnt/a", "/mnt")
    assert fs.head("/mnt/a") == "x"


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


def test_a_device_is_not_copied(fs: FileSystemUtils) -> None:
    with pytest.raises(FileCommandFailed, match="device"):
        fs.cp("file:/dev/zero", "/mnt/zero")


def test_a_folder_with_a_link_that_leads_round_is_not_copied_for_ever(fs: FileSystemUtils, root: Path) -> None:
    fs.mkdirs("/mnt/a")
    (root / "mnt/a/up").symlink_to(root / "mnt")
    with pytest.raises(FileCommandFailed, match="link to a folder"):
        fs.cp("/mnt/a", "/tmp/b", True)


def test_a_move_between_disks_is_a_copy_and_a_removal(
    fs: FileSystemUtils, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fs.put("/mnt/a/b", "x")
    fs.put("/mnt/c", "y")
    monkeypatch.setattr(files, "_try_rename", lambda source, target: False)
    fs.mv("/mnt/a", "/tmp/a", True)
    fs.mv("/mnt/c", "/tmp/a/c")
    assert (fs.head("/tmp/a/b"), fs.head("/tmp/a/c")) == ("x", "y")
    assert entries(root / "mnt") == []


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


def test_spark_minds_a_stale_checksum(spark: SparkSession) -> None:
    _spark_file(spark, "stale.txt", "old").write_text("new")
    with pytest.raises(Exception, match="Checksum"):
        _lines(spark, "/mnt/test-fs/stale.txt")


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


def test_spark_reads_a_folder_that_was_copied_over_another(spark: SparkSession) -> None:
    fs = FileSystemUtils(classroom_files())
    for folder, text in (("tree-a", "new"), ("tree-b/tree-a", "old")):
        fs.mkdirs(f"/mnt/test-fs/{folder}")
        _spark_file(spark, f"{folder}.txt".replace("/", "-"), text).replace(
            classroom_files().local_path(f"/mnt/test-fs/{folder}/f.txt")
        )
        crc = classroom_files().local_path(f"/mnt/test-fs/.{folder.replace('/', '-')}.txt.crc")
        crc.replace(classroom_files().local_path(f"/mnt/test-fs/{folder}/.f.txt.crc"))
    fs.cp("/mnt/test-fs/tree-a", "/mnt/test-fs/tree-b", True)
    assert _lines(spark, "/mnt/test-fs/tree-b/tree-a") == ["new"]


def test_a_moved_file_leaves_no_checksum_behind(spark: SparkSession) -> None:
    source = _spark_file(spark, "gone.txt", "x")
    FileSystemUtils(classroom_files()).mv("/mnt/test-fs/gone.txt", "/mnt/test-fs/there.txt")
    assert not list(source.parent.glob(".*gone*"))


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


@pytest.mark.parametrize("name", [name for name in vars(FileSystemUtils) if not name.startswith("_")])
def test_each_method_explains_itself(name: str) -> None:
    assert inspect.getdoc(getattr(FileSystemUtils, name))
