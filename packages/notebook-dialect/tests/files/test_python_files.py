"""Which paths Python's own functions look up below the root, and which are the machine's.

The machine's folders are stood in for by a temporary folder under a name that looks like Databricks'.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
import traceback
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from notebook_dialect import python_files
from notebook_dialect.filesystem import FileSystem
from notebook_dialect.python_files import PythonFiles


@pytest.fixture
def volumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a folder of the machine that is spelled as Databricks' ``/Volumes``, with one disk, as macOS has it."""
    folder = tmp_path / "machine" / "Volumes"
    (folder / "Disk").mkdir(parents=True)
    (folder / "Disk" / "b.txt").write_text("the machine's")
    spelled = re.escape(str(folder))
    monkeypatch.setattr(python_files, "_MOUNTED", re.compile(rf"(/dbfs|{spelled}(?:/[^/]+)?)(?:/|$)"))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "mnt").mkdir(parents=True)
    return tmp_path / "root"


@pytest.fixture
def files(root: Path) -> Iterator[PythonFiles]:
    """Wrap this process's functions for one test."""
    wrapped = PythonFiles(FileSystem(root))
    wrapped.install()
    try:
        # Otherwise the tests would make folders of the machine.
        assert os.path.isdir("/dbfs/mnt") and not wrapped._originals["access"]("/dbfs", os.F_OK)
        yield wrapped
    finally:
        wrapped.uninstall()


def below(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


# What Python can do with a folder, as the folder is spelled; each is done twice, with and without looking up.
Operation = Callable[[str], Any]


def _write(path: str, text: str = "a,b\n1,x\n") -> str:
    with open(path, "w") as file:
        file.write(text)
    return path


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def _by_descriptor(folder: str) -> bytes:
    descriptor = os.open(f"{folder}/in.csv", os.O_RDONLY)
    try:
        return os.read(descriptor, 3)
    finally:
        os.close(descriptor)


def _temporary(folder: str) -> list[bool]:
    with (
        tempfile.NamedTemporaryFile(dir=folder, delete=False) as file,
        tempfile.TemporaryDirectory(dir=folder) as inner,
    ):
        os.remove(file.name)
        return [file.name.startswith(folder), inner.startswith(folder), os.path.isdir(inner)]


def _temporary_with_deletion(folder: str) -> str:
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        return file.name


def _zipped(folder: str) -> list[str]:
    with zipfile.ZipFile(f"{folder}/a.zip", "w") as archive:
        archive.write(f"{folder}/in.csv", "in.csv")
    return zipfile.ZipFile(f"{folder}/a.zip").namelist()


def _frame(folder: str) -> pd.DataFrame:
    return pd.read_csv(f"{folder}/in.csv")


WORKS: dict[str, Operation] = {
    "open": lambda f: (_write(f"{f}/new.txt"), _read(f"{f}/new.txt"), _read(f"{f}/deep/b.txt")),
    "open, as a keyword": lambda f: open(file=f"{f}/in.csv").read(),  # noqa: SIM115
    "os.open": _by_descriptor,
    "os.stat": lambda f: (os.stat(f"{f}/in.csv").st_size, os.lstat(path=f"{f}/in.csv").st_size),
    "os.access": lambda f: (os.access(f"{f}/in.csv", os.R_OK), os.access(f"{f}/no", os.R_OK)),
    "os.listdir": lambda f: sorted(os.listdir(f)),
    "os.scandir": lambda f: sorted((entry.name, entry.path, entry.is_dir()) for entry in os.scandir(f)),
    "os.walk": lambda f: sorted((top, sorted(dirs), sorted(names)) for top, dirs, names in os.walk(f)),
    "os.fwalk": lambda f: sorted((top, sorted(names)) for top, _, names, _ in os.fwalk(f)),
    "os.makedirs": lambda f: (os.makedirs(f"{f}/x/y"), os.makedirs(f"{f}/x/y", exist_ok=True), os.removedirs(f"{f}/x/y")),
    "os.mkdir": lambda f: (os.mkdir(f"{f}/x"), os.rmdir(f"{f}/x")),
    "os.remove": lambda f: (os.remove(f"{f}/in.csv"), os.unlink(f"{f}/deep/b.txt")),
    "os.rename": lambda f: (os.rename(f"{f}/in.csv", f"{f}/out.csv"), os.renames(f"{f}/out.csv", f"{f}/y/z.csv")),
    "os.replace": lambda f: os.replace(f"{f}/in.csv", f"{f}/deep/b.txt"),
    "os.link": lambda f: os.link(f"{f}/in.csv", f"{f}/same.csv"),
    "os.symlink": lambda f: (os.symlink("in.csv", f"{f}/link"), os.readlink(f"{f}/link"), _read(f"{f}/link")),
    "os.chmod": lambda f: (os.chmod(f"{f}/in.csv", 0o600), oct(os.stat(f"{f}/in.csv").st_mode)),
    "os.utime": lambda f: (os.utime(f"{f}/in.csv", (5, 5)), os.path.getmtime(f"{f}/in.csv")),
    "os.truncate": lambda f: (os.truncate(f"{f}/in.csv", 3), _read(f"{f}/in.csv")),
    "os.statvfs": lambda f: os.statvfs(f).f_bsize,
    "os.path": lambda f: [
        test(f"{f}/in.csv") for test in (os.path.exists, os.path.isfile, os.path.isdir, os.path.islink, os.path.getsize)
    ],
    "os.path.samefile": lambda f: (os.path.samefile(f"{f}/in.csv", f"{f}/deep/../in.csv"), os.path.samefile(f, f"{f}/deep")),
    "os.path.realpath": lambda f: os.path.realpath(f"{f}/deep/../in.csv"),
    "shutil.copy": lambda f: (shutil.copyfile(f"{f}/in.csv", f"{f}/a"), shutil.copy(f"{f}/in.csv", f"{f}/deep")),
    "shutil.copy2": lambda f: shutil.copy2(f"{f}/in.csv", f"{f}/deep/c.csv"),
    "shutil.copytree": lambda f: shutil.copytree(f"{f}/deep", f"{f}/copied"),
    "shutil.move": lambda f: (shutil.move(f"{f}/in.csv", f"{f}/deep"), shutil.move(f"{f}/deep", f"{f}/moved")),
    "shutil.rmtree": lambda f: shutil.rmtree(f"{f}/deep"),
    "shutil.disk_usage": lambda f: shutil.disk_usage(f).total,
    "glob": lambda f: (sorted(glob.glob(f"{f}/*")), sorted(glob.glob(f"{f}/**/*.txt", recursive=True))),
    "pathlib, reading": lambda f: (Path(f, "in.csv").read_text(), Path(f).exists(), Path(f, "in.csv").stat().st_size),
    "pathlib, writing": lambda f: (Path(f, "n.txt").write_text("n"), Path(f, "t").touch(), Path(f, "d").mkdir()),
    "pathlib, listing": lambda f: sorted(str(path) for path in Path(f).iterdir()),
    "pathlib.Path.glob": lambda f: sorted(str(path) for path in [*Path(f).glob("*"), *Path(f).rglob("*.txt")]),
    "pathlib, moving": lambda f: (str(Path(f, "in.csv").rename(f"{f}/m.csv")), Path(f, "m.csv").unlink()),
    "tempfile": _temporary,
    "zipfile": _zipped,
    "pandas.read_csv": lambda f: _frame(f).to_dict("list"),
    "pandas.to_csv": lambda f: (_frame(f).to_csv(f"{f}/p.csv"), _frame(f).to_json(f"{f}/p.json"), _read(f"{f}/p.csv")),
    "pandas, a Parquet file": lambda f: (_frame(f).to_parquet(f"{f}/p.parquet"), pd.read_parquet(f"{f}/p.parquet").b[0]),
    "pyarrow, an open file": lambda f: (_frame(f).to_parquet(f"{f}/p"), pq.read_table(open(f"{f}/p", "rb")).num_rows),  # noqa: SIM115
}  # fmt: skip
# They open files in C, or have kept `open` or `os.unlink` from before.
REFUSED: dict[str, Operation] = {
    "tarfile": lambda f: shutil.make_archive(f"{f}/packed", "tar", f"{f}/deep"),
    "tempfile, deleting a file": _temporary_with_deletion,
    "pyarrow, a path": lambda f: pq.read_table(f"{f}/p.parquet"),
    "pandas, a folder of Parquet": lambda f: pd.read_parquet(f"{f}/parts"),
}


def _filled(folder: Path) -> Path:
    (folder / "deep").mkdir(parents=True)
    _write(f"{folder}/in.csv")
    _write(f"{folder}/deep/b.txt", "b")
    return folder


def _outcome(folder: Path, spelled: str, operation: Operation) -> tuple[str, list[str]]:
    """Return what an operation returned, without the folder's name, and what the folder holds afterwards."""
    value = repr(operation(spelled))
    assert spelled == str(folder) or str(folder) not in value
    return value.replace(spelled, "<folder>"), sorted(re.sub(r"\bp\w*\.\w+", "p", name) for name in below(folder))


@pytest.mark.parametrize("name", WORKS)
def test_what_python_does_to_a_mounted_path_is_what_it_does_to_the_place(name: str, root: Path, files) -> None:
    places = [_filled(root / "mnt" / folder) for folder in ("plain", "mounted")]
    plain = _outcome(places[0], str(places[0]), WORKS[name])
    assert _outcome(places[1], "/dbfs/mnt/mounted", WORKS[name]) == plain


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_its_own_way_to_open_files_ends_with_a_sentence(name: str, root: Path, files: PythonFiles) -> None:
    folder = _filled(root / "mnt" / "mounted")
    _frame(str(folder)).to_parquet(folder / "p.parquet")
    (folder / "parts").mkdir()
    _frame(str(folder)).to_parquet(folder / "parts" / "a.parquet")
    with pytest.raises(OSError) as caught:
        REFUSED[name]("/dbfs/mnt/mounted")
    assert f"Give it {folder}/" in files.explain(caught.value)
    assert REFUSED[name](str(folder)) is not None


@pytest.mark.parametrize(
    ("path", "pythons"),
    [
        ("/mnt/none/a.csv", "/dbfs/mnt/none/a.csv"),
        ("/FileStore/none/a.csv", "/dbfs/FileStore/none/a.csv"),
        ("dbfs:/user/a.csv", "/dbfs/user/a.csv"),
        ("/databricks-datasets/none/a.csv", "/dbfs/databricks-datasets/none/a.csv"),
    ],
)
def test_paths_of_spark_are_not_pythons_and_the_error_says_what_is(
    files: PythonFiles, root: Path, path: str, pythons: str
) -> None:
    place = root / pythons.removeprefix("/dbfs/")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    assert not os.path.exists(path)
    with pytest.raises(FileNotFoundError) as caught:
        _write(path)
    assert f"Python's is {pythons}, as on Databricks." in "".join(traceback.format_exception(caught.value))
    assert str(caught.value) == f"[Errno 2] No such file or directory: '{path}'"


def test_a_disk_of_the_machine_is_the_machines(volumes: Path, root: Path, files, recwarn) -> None:
    Path(f"{volumes}/Disk/notes.txt").write_text("mine")
    os.rename(volumes / "Disk" / "notes.txt", volumes / "Disk" / "kept.txt")
    assert sorted(os.listdir(f"{volumes}/Disk")) == ["b.txt", "kept.txt"]
    assert below(root) == [] and [str(warning.message) for warning in recwarn] == []


def test_a_catalog_that_is_no_disk_is_looked_up(volumes: Path, root: Path, files) -> None:
    place = root / str(volumes).lstrip("/") / "main" / "shop"
    place.mkdir(parents=True)
    Path(f"{volumes}/main/shop/new.txt").write_text("looked up")
    assert (place / "new.txt").read_text() == "looked up"
    assert [path.name for path in volumes.iterdir()] == ["Disk"]


def test_where_both_have_the_path_the_machine_wins_and_one_sentence_says_so(volumes: Path, root: Path, files) -> None:
    place = root / str(volumes).lstrip("/") / "Disk"
    place.mkdir(parents=True)
    (place / "a.txt").write_text("the file system's")
    message = f"This machine has a folder {re.escape(str(volumes))}/Disk, .* is {re.escape(str(place))}"
    with pytest.warns(UserWarning, match=message) as said:
        assert os.listdir(f"{volumes}/Disk") == ["b.txt"]
        assert not os.path.exists(f"{volumes}/Disk/a.txt")
        assert _read(f"{volumes}/Disk/b.txt") == "the machine's"
    assert len(said) == 1


def test_no_way_up_leads_out_of_the_root(files: PythonFiles, root: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"has a '\.\.' in it"):
        _read("/dbfs/../../out.txt")
