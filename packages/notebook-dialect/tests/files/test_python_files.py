"""Which paths Python's own functions look up below the root, and which are the machine's.

The machine's folders are stood in for by a temporary folder under a name that looks like Databricks'.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from notebook_dialect.files import python_files
from notebook_dialect.files.filesystem import FileSystem
from notebook_dialect.files.python_files import PythonFiles


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a folder of the machine that is spelled as one of Databricks', as ``/mnt/c`` is under WSL."""
    folder = tmp_path / "mnt" / "c"
    folder.mkdir(parents=True)
    names = re.compile(rf"(dbfs:/|{re.escape(str(tmp_path))}/mnt(?:/|$)|/dbfs(?:/|$))")
    monkeypatch.setattr(python_files, "_SPELLINGS", names)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "mnt").mkdir(parents=True)
    return tmp_path / "root"


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, root: Path) -> Iterator:
    """Wrap this process's functions for a file system with these folders of the machine."""
    installed: list[PythonFiles] = []

    def wrap(*machines: Path) -> None:
        installed.append(PythonFiles(FileSystem(root, machines=machines)))
        installed[-1].install()

    yield wrap
    for files in installed:
        files.uninstall()


def test_what_lies_below_a_folder_of_the_machines_own_is_the_machines(install, disk: Path, root: Path) -> None:
    install(disk / "course")
    (disk / "course").mkdir()
    (disk / "course" / "notes.txt").write_text("mine")
    with open(f"{disk}/course/notes.txt") as file:
        assert file.read() == "mine"
    assert os.listdir(disk / "course") == ["notes.txt"]
    os.rename(disk / "course" / "notes.txt", disk / "course" / "kept.txt")
    assert os.path.exists(f"{disk}/course/../course/kept.txt")
    assert [path for path in root.rglob("*") if path.is_file()] == []


def test_the_working_directory_is_the_machines(install, disk: Path, root: Path, monkeypatch) -> None:
    monkeypatch.chdir(disk)
    install()
    Path(disk / "here.txt").write_text("mine")
    assert Path("here.txt").read_text() == "mine"


def test_what_lies_beside_is_looked_up_below_the_root(install, disk: Path, root: Path) -> None:
    install(disk / "course")
    place = root / str(disk).lstrip("/")
    place.mkdir(parents=True, exist_ok=True)
    Path(f"{disk}/new.txt").write_text("looked up")
    assert (place / "new.txt").read_text() == "looked up"


def test_a_folder_that_is_itself_one_of_the_names_is_not_the_machines(disk: Path, root: Path) -> None:
    files = PythonFiles(FileSystem(root, machines=(Path("/mnt"), Path("/Volumes"))))
    assert not files._is_machines("/mnt/a")
    assert not files._is_machines("/Volumes/a")


@pytest.mark.parametrize(
    ("flags", "reads"),
    [
        (os.O_RDONLY, True),
        (os.O_RDONLY | getattr(os, "O_CLOEXEC", 0), True),
        (os.O_WRONLY, False),
        (os.O_RDWR, False),
        (os.O_RDONLY | os.O_CREAT, False),
    ],
)
def test_opening_by_flags_reads_what_only_the_machine_has(
    install, disk: Path, root: Path, flags: int, reads: bool
) -> None:
    (disk / "there.txt").write_text("the machine's")
    (root / str(disk).lstrip("/")).mkdir(parents=True)
    install()
    if reads:
        descriptor = os.open(f"{disk}/there.txt", flags)
        assert os.read(descriptor, 20) == b"the machine's"
        os.close(descriptor)
    elif flags & os.O_CREAT:
        os.close(os.open(f"{disk}/there.txt", flags))
        assert (root / str(disk).lstrip("/") / "there.txt").read_text() == ""
    else:
        with pytest.raises(FileNotFoundError):
            os.open(f"{disk}/there.txt", flags)


def test_shutil_copies_files_and_folders_with_all_that_belongs_to_them(install, root: Path) -> None:
    install()
    os.makedirs("/dbfs/mnt/in/deep")
    Path("/dbfs/mnt/in/deep/a.txt").write_text("a")
    assert shutil.copy2("/dbfs/mnt/in/deep/a.txt", "/dbfs/mnt/b.txt") == "/dbfs/mnt/b.txt"
    shutil.copytree("/dbfs/mnt/in", "/dbfs/mnt/out")
    shutil.move("/dbfs/mnt/out/deep/a.txt", "/dbfs/mnt/c.txt")
    assert os.path.samefile("/dbfs/mnt/in", root / "mnt" / "in")
    texts = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.txt")}
    assert texts == {"mnt/in/deep/a.txt": "a", "mnt/b.txt": "a", "mnt/c.txt": "a"}


def test_the_newest_file_system_is_the_one_that_is_looked_up(install, tmp_path: Path, root: Path) -> None:
    install()
    other = PythonFiles(FileSystem(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    other.install()
    Path("/dbfs/x.txt").write_text("x")
    assert (tmp_path / "other" / "x.txt").exists() and not (root / "x.txt").exists()
    other.uninstall()
    assert os.stat.__name__ == "stat" and not hasattr(os.stat, "__wrapped__")
