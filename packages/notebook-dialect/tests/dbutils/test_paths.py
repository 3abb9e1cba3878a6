from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from notebook_dialect import filesystem
from notebook_dialect.dbutils import fs as files
from notebook_dialect.dbutils.execution_errors import ExecutionError, NotSupported, PathInvalid, PathProtected
from notebook_dialect.dbutils.fs import FileSystemUtils
from notebook_dialect.dbutils.paths import ResolvedPath, locate, locate_removable, locate_writable
from streaming_classroom.errors import ClassroomError
from streaming_classroom.files.directories import classroom_files


def everything(folder: Path) -> dict[str, str]:
    """Return each path below a folder with what is in it."""
    paths = sorted(folder.rglob("*"))
    return {str(p): p.read_text() if p.is_file() else "" for p in paths} | {"mode": oct(folder.stat().st_mode)}


def entries(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return sorted(path.name for path in folder.iterdir())


PROTECTED = ["/", "dbfs:/", "dbfs:///", "/dbfs", "/dbfs/", "//", "/.", *(f"/{name}" for name in filesystem.FOLDERS)]
PROTECTED += ["dbfs:/mnt/", "/dbfs/mnt", "/mnt/.", "/mnt/..", "/mnt/../", "/mnt/links/top/../"]


@pytest.mark.parametrize("path", PROTECTED)
@pytest.mark.parametrize("prepared", [True, False])
def test_the_root_and_the_folders_of_a_workspace_stay(
    fs: FileSystemUtils, root: Path, path: str, prepared: bool
) -> None:
    fs.put("/mnt/a/b", "x")
    if not prepared:
        (root / "Volumes").rmdir()
    before = everything(root)
    for remove in (lambda: fs.rm(path, True), lambda: fs.rm(path), lambda: fs.mv(path, "/tmp/new", True)):
        with pytest.raises((PathProtected, PathInvalid)):
            remove()
    assert everything(root) == before


def test_the_same_folder_under_another_name_stays_too(fs: FileSystemUtils, home: Path, root: Path) -> None:
    (home / "alias").symlink_to(root)
    for path in (f"file:{root}/mnt", f"file:{root}", f"file:{home}", f"file:{home.parent}", f"file:{home}/alias/mnt"):
        with pytest.raises(PathProtected):
            fs.rm(path, True)
    assert (root / "mnt").is_dir()


@pytest.mark.parametrize("path", ["s3://b/k", "s3a://b/k", "abfss://c@a/k", "wasbs://c@a/k", "gs://b/k", "hdfs:/k"])
def test_another_store_is_refused(fs: FileSystemUtils, path: str) -> None:
    for command in (fs.ls, fs.head, fs.rm, fs.mkdirs, lambda p: fs.put(p, ""), lambda p: fs.cp("/mnt", p, True)):
        with pytest.raises(NotSupported, match="No FileSystem for scheme"):
            command(path)


@pytest.mark.parametrize(
    "path", ["", "mnt/a", "a", ".", " /mnt", "dbfs:", "dbfs:mnt", "file:", "file:a", None, 5, b"/mnt"]
)
def test_a_path_is_an_absolute_one(fs: FileSystemUtils, path: object) -> None:
    with pytest.raises(PathInvalid, match="IllegalArgumentException"):
        fs.ls(path)


def hostile_paths(outside: Path, links: Path) -> list[object]:
    """Return paths that lead out of the home, or seem to."""
    o = str(outside)
    backslashed = o.replace("/", "\\")
    dotted = o.replace("/outside", "/home/dbfs/../../outside")
    return [
        *(f"file:{o}{tail}" for tail in ("", "/", "/kept.txt", "/new", "/sub", "/sub/kept.txt", "/new/new")),
        *(f"{prefix}{o}" for prefix in ("file://", "file:///", "file://localhost", "file:/%2e", "file:////")),
        *(f"{prefix}/../../../outside/kept.txt" for prefix in ("/mnt", "dbfs:/mnt", "/dbfs/mnt", "/mnt/a/..")),
        *(f"file:{links}/{name}/kept.txt" for name in ("folder", "relative", "folder/sub")),
        *(f"/mnt/links/{name}" for name in ("folder/kept.txt", "folder/sub", "folder/new", "relative/kept.txt")),
        *(f"/mnt/links/{name}" for name in ("folder/new/new", "nowhere/new", "nowhere/a/b", "round/new", "file/new")),
        *(f"file:{o.replace('/outside', tail)}" for tail in ("/home/%2e%2e/outside", "/home/..%2foutside/kept.txt")),
        f"file:{dotted}/kept.txt", f"dbfs:{dotted}", f"file:{o}/kept.txt?home", f"file:{o}/kept.txt#home",
        f"/mnt\\..\\..\\..\\outside{backslashed}", f"file:\\{o}", f"\\\\{o}", f"/mnt/a\0{o}", f"file:{o}\0/home",
        "", "dbfs:", "dbfs:/", "/", "//", "~", "~/x", "$HOME", ".", "..", "/..",
        f"/mnt/{'n' * 300}", f"file:{o}/{'n' * 300}", "/mnt/" + "long/" * 2000, "/mnt/\ud800", f"DBFS:{o}", f"FILE:{o}",
    ]  # fmt: skip


def commands(fs: FileSystemUtils, path: object) -> list:
    """Return every way to write to a path or to take it away."""
    return [
        lambda: fs.put(path, "changed"),
        lambda: fs.put(path, "changed", True),
        lambda: fs.mkdirs(path),
        lambda: fs.rm(path),
        lambda: fs.rm(path, True),
        lambda: fs.cp("/mnt/file", path),
        lambda: fs.cp("/mnt/tree", path, True),
        lambda: fs.mv("/mnt/file", path),
        lambda: fs.mv("/mnt/tree", path, True),
        lambda: fs.mv(path, "/tmp/taken", True),
    ]


@pytest.mark.slow
def test_nothing_outside_the_home_changes(fs: FileSystemUtils, root: Path, outside: Path, links: Path) -> None:
    before, beside = everything(outside), sorted(entries(outside.parent))
    refused = 0
    for path in hostile_paths(outside, links):
        for number in range(len(commands(fs, path))):
            for name in ("/mnt/file", "/mnt/tree/kept.txt", "/mnt/tree/sub/kept.txt"):
                fs.put(name, "changed", True)
            try:
                commands(fs, path)[number]()
            except ClassroomError:
                refused += 1
            assert everything(outside) == before, (path, number)
            assert sorted(entries(outside.parent)) == beside, (path, number)
            assert set(filesystem.FOLDERS) <= set(entries(root)), (path, number)
    assert refused > 300


def test_a_tree_does_not_flow_out_through_a_link_in_the_target(fs: FileSystemUtils, root: Path, outside: Path) -> None:
    fs.put("/mnt/tree/sub/kept.txt", "changed")
    fs.mkdirs("/tmp/tree")
    (root / "tmp/tree/sub").symlink_to(outside / "sub")
    for command in (fs.cp, fs.mv):
        with pytest.raises(PathProtected, match="outside the classroom's home"):
            command("/mnt/tree", "/tmp", True)
    assert (outside / "sub/kept.txt").read_text() == "kept"
    assert fs.head("/mnt/tree/sub/kept.txt") == "changed"


def test_a_home_behind_a_link_is_a_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clean_environment: None
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "linked"))
    FileSystemUtils(classroom_files()).put("/mnt/a", "x")
    assert (tmp_path / "real/dbfs/mnt/a").read_text() == "x"


_AWKWARD = st.text(st.sampled_from("/.:\\%2e\0~ ?#adbfsile"), max_size=25)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(path=st.one_of(_AWKWARD, _AWKWARD.map("file:".__add__), _AWKWARD.map("/mnt/".__add__), st.text(max_size=20)))
@example(path="/mnt/://")
def test_any_text_is_a_place_in_the_home_or_a_clear_error(home: Path, path: str) -> None:
    # Judged only, never carried out: were the judgement wrong, this machine's own files would be gone.
    for judge in (locate_writable, locate_removable):
        try:
            assert judge(classroom_files(), path).local.is_relative_to(home)
        except ExecutionError as error:
            assert "java." in str(error)


@pytest.mark.parametrize(
    "path", ["file:/", "file:///", "file:/etc", "file:/etc/hosts", "file:///usr/lib", "file:/proc", "file:/%65tc"]
)
def test_the_machine_itself_is_neither_written_nor_removed(home: Path, path: str) -> None:
    # Judged only, as above.
    for judge in (locate_writable, locate_removable):
        with pytest.raises(PathProtected, match="outside the classroom's home"):
            judge(classroom_files(), path)


@pytest.mark.parametrize("path", ["file:/a?b", "file:/a#b", "file:/a/%2e%2e/b", "file:/a%5Cb", "/dbfs/dbfs/a"])
def test_a_path_that_could_mean_another_is_refused(home: Path, path: str) -> None:
    with pytest.raises(PathInvalid):
        locate(classroom_files(), path)


def test_a_folder_that_holds_the_home_is_not_removed_even_past_the_first_guard(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "require_inside", lambda place: None)
    with pytest.raises(PathProtected, match="holds the classroom's home"):
        files.remove(ResolvedPath("file:/parent", home.parent, classroom_files()))
    assert home.is_dir()
