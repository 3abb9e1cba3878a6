"""The package travels with its objects to processes that do not have it."""

from __future__ import annotations

import os
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
        cwd=temporary, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_where_the_drivers_directory_exists_it_is_used(pickled: Path, tmp_path: Path):
    includes = Path(shipping.__file__).parents[1]
    assert load(pickled, tmp_path / "t") == f"CloudFilesDataSource /data {includes}"


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

    _, archive, *_ = shipping._origin()
    root = Path(shipping.__file__).parent
    modules = {f"pyspark_cloudfiles/{path.relative_to(root).as_posix()}" for path in root.rglob("*.py")}
    assert set(zipfile.ZipFile(io.BytesIO(archive)).namelist()) == modules
    assert len(archive) < 250_000


def test_what_a_build_has_left_is_not_sent_along(tmp_path: Path):
    for name in ("__init__.py", "formats/__init__.py", "formats/a.py", "build/lib/p/__init__.py", "build/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = {path.relative_to(tmp_path).as_posix() for path in shipping._modules(tmp_path)}
    assert found == {"__init__.py", "formats/__init__.py", "formats/a.py"}


def test_another_version_on_the_worker_is_named(pickled: Path, tmp_path: Path):
    installed = tmp_path / "installed" / "pyspark_cloudfiles"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("__version__ = '0.0.1'")
    place = str(installed.parent)
    code = LOAD.replace("source = ", f"sys.path.insert(0, {place!r}); source = ")
    done = subprocess.run([sys.executable, "-c", code, str(pickled)], capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1].startswith("ImportError: [CF_VERSION_MISMATCH]")
    assert f"this worker has 0.0.1 in {installed}" in done.stderr
