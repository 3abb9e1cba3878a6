"""What the tests of dbutils share: a home of each test's own, and the utilities over it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from notebook_dialect.dbutils.fs import FileSystemUtils
from streaming_classroom.files.directories import classroom_files


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clean_environment: None) -> Path:
    """Have an empty home, without Spark, in a folder with something else beside it."""
    home = tmp_path / "home"
    monkeypatch.setenv("CLASSROOM_HOME", str(home))
    classroom_files().prepare()
    return home


@pytest.fixture
def root(home: Path) -> Path:
    """Give the folder that dbfs:/ stands for."""
    return home / "dbfs"


@pytest.fixture
def fs(home: Path) -> FileSystemUtils:
    return FileSystemUtils(classroom_files())


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Have a file outside the home, and links to it and to its folder inside."""
    folder = tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    (folder / "kept.txt").write_text("kept")
    (folder / "sub/kept.txt").write_text("kept")
    return folder


@pytest.fixture
def links(root: Path, outside: Path) -> Path:
    """Have a folder of the home full of ways out of it."""
    folder = root / "mnt/links"
    folder.mkdir(parents=True)
    (folder / "folder").symlink_to(outside)
    (folder / "file").symlink_to(outside / "kept.txt")
    (folder / "relative").symlink_to(Path("../../../../outside"))
    (folder / "top").symlink_to(root / "mnt")
    (folder / "nowhere").symlink_to(outside / "not-yet")
    (folder / "round").symlink_to(folder / "round")
    return folder


@pytest.fixture(autouse=True)
def _removes_only_temporary_trees(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Fail a test before it removes a tree outside pytest's own folder, even if the guard under test is broken."""
    whole, allowed = shutil.rmtree, Path(os.path.realpath(tmp_path_factory.getbasetemp()))

    def rmtree(path: os.PathLike[str] | str, *args: object, **options: object) -> None:
        if not Path(os.path.realpath(path)).is_relative_to(allowed):
            pytest.exit(f"a test would have removed {path}", returncode=3)
        whole(path, *args, **options)

    monkeypatch.setattr(shutil, "rmtree", rmtree)
