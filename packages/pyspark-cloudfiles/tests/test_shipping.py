"""The package travels with its objects to processes that do not have it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark import cloudpickle

from pyspark_cloudfiles import shipping
from pyspark_cloudfiles.source.data_source import CloudFilesDataSource

LOAD = """
import sys, pickle
from pathlib import Path
sys.path = [entry for entry in sys.path if not (Path(entry) / "pyspark_cloudfiles").is_dir()]
source = pickle.loads(Path(sys.argv[1]).read_bytes())
import pyspark_cloudfiles
print(type(source).__name__, source._options.path, Path(pyspark_cloudfiles.__file__).parent.parent)
"""


@pytest.fixture
def pickled(tmp_path: Path) -> Path:
    source = CloudFilesDataSource({"cloudfiles.format": "json", "path": "/data"})
    (tmp_path / "pickled").write_bytes(cloudpickle.dumps(source))
    return tmp_path / "pickled"


def load(pickled: Path, temporary: Path) -> str:
    temporary.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(pickled)],
        env=os.environ | {"TMPDIR": str(temporary), "TEMP": str(temporary)},
        cwd=temporary, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_where_the_drivers_directory_exists_it_is_used(pickled: Path, tmp_path: Path):
    includes = Path(shipping.__file__).parents[1]
    assert load(pickled, tmp_path / "t") == f"CloudFilesDataSource /data {includes}"


@pytest.mark.slow
def test_elsewhere_the_package_is_unpacked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request):
    _, *rest = shipping._origin()
    monkeypatch.setattr(shipping, "_origin", lambda: ("/no/such/place", *rest))
    pickled = request.getfixturevalue("pickled")
    for _ in range(2):
        name, path, place = load(pickled, tmp_path / "t").split()
        assert (name, path) == ("CloudFilesDataSource", "/data")
        assert Path(place).parent == tmp_path / "t"
    assert len(list((tmp_path / "t").glob("pyspark_cloudfiles-*"))) == 1


def test_the_archive_is_small_and_has_every_module():
    import io
    import zipfile

    _, archive, _ = shipping._origin()
    root = Path(shipping.__file__).parent
    modules = {f"pyspark_cloudfiles/{path.relative_to(root).as_posix()}" for path in root.rglob("*.py")}
    assert set(zipfile.ZipFile(io.BytesIO(archive)).namelist()) == modules
    assert len(archive) < 300_000


def test_a_changed_module_is_other_code(tmp_path: Path):
    package = tmp_path / "p"
    for name in ("__init__.py", "a.py", "inner/__init__.py", "inner/b.py", "left/c.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(name)
    before = shipping._code_digest(package)
    (package / "left" / "c.py").write_text("what a build has left")
    assert shipping._code_digest(package) == before
    (package / "inner" / "b.py").write_text("changed")
    changed = shipping._code_digest(package)
    (package / "inner" / "b.py").rename(package / "inner" / "c.py")
    assert len({before, changed, shipping._code_digest(package)}) == 3


def other_code(directory: Path) -> Path:
    """Install this package with a module that has been changed, and with the same version."""
    installed = directory / "pyspark_cloudfiles"
    shutil.copytree(Path(shipping.__file__).parent, installed, ignore=shutil.ignore_patterns("__pycache__"))
    with (installed / "errors.py").open("a") as module:
        module.write("\nCHANGED = True\n")
    return directory


@pytest.mark.parametrize("loaded", ["", "import pyspark_cloudfiles.options; "])
def test_a_worker_with_other_code_takes_the_shipped(pickled: Path, tmp_path: Path, loaded: str):
    place = str(other_code(tmp_path / "installed"))
    code = LOAD.replace("source = ", f"sys.path.insert(0, {place!r}); {loaded}source = ")
    code += "import pyspark_cloudfiles.errors as e; print(hasattr(e, 'CHANGED'), type(source).__mro__[0].__module__)"
    (tmp_path / "t").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(pickled)],
        env=os.environ | {"TMPDIR": str(tmp_path / "t")}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    source, changed = done.stdout.splitlines()
    assert source.startswith("CloudFilesDataSource /data ") and place not in source
    assert changed.startswith("False ")


def test_a_worker_with_the_same_code_in_another_place_keeps_its_own(pickled: Path, tmp_path: Path):
    place = tmp_path / "installed"
    shutil.copytree(Path(shipping.__file__).parent, place / "pyspark_cloudfiles")
    code = LOAD.replace("source = ", f"sys.path.insert(0, {str(place)!r}); source = ")
    done = subprocess.run([sys.executable, "-c", code, str(pickled)], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == f"CloudFilesDataSource /data {place}", done.stderr
