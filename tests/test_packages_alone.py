"""A package's tests run without the rest of the repository: its folder copied elsewhere, and a plain Spark session.

Of the others, spark_hooks is there, on which they stand.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from streaming_classroom.setup import java

PACKAGES = Path(__file__).parents[1] / "packages"
# Of each package, tests with Spark and without; the long form runs all.
SOME = {
    "spark-hooks": ["tests"],
    "stream-view": ["tests/test_waiting.py", "tests/test_tables.py", "tests/graphs"],
    "pyspark-cloudfiles": ["tests/test_stream.py", "tests/log/test_segments.py", "tests/schemas"],
}
# Without `site` the packages of the repository, which are installed as they lie there, cannot be imported.
RUN = "import sys; sys.path[:0] = sys.argv[1:4]; import pytest; sys.exit(pytest.main(sys.argv[4:]))"


@pytest.mark.kernel
@pytest.mark.parametrize("package", SOME)
def test_some_of_its_tests_pass_by_themselves(package: str, tmp_path: Path) -> None:
    _passes(package, tmp_path, SOME[package], timeout=300)


@pytest.mark.long
@pytest.mark.kernel
@pytest.mark.parametrize("package", SOME)
def test_all_of_its_tests_pass_by_themselves(package: str, tmp_path: Path) -> None:
    _passes(package, tmp_path, ["tests"], timeout=1800)


def test_nothing_of_the_repository_can_be_imported_there(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(
        "from importlib.util import find_spec\n"
        "def test_it():\n"
        "    names = ('suite', 'streaming_classroom', 'notebook_dialect', 'stream_view', 'pyspark_cloudfiles')\n"
        "    assert [name for name in names if find_spec(name)] == []\n"
    )
    done = _run(tmp_path, ["tests"], timeout=60)
    assert done.returncode == 0, done.stdout


@pytest.mark.kernel
@pytest.mark.parametrize("package", sorted(path.name for path in PACKAGES.iterdir() if path.is_dir()))
def test_its_wheel_has_every_module_and_what_they_read(package: str, tmp_path: Path) -> None:
    source = tmp_path / package
    shutil.copytree(PACKAGES / package, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    written = {path.relative_to(source / "src").as_posix() for path in (source / "src").rglob("*") if path.is_file()}
    command = [sys.executable, "-m", "uv", "build", "--wheel", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*command, "--out-dir", tmp_path / "dist", source], check=True, capture_output=True, timeout=120)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name for name in written if not name.endswith(".md")} <= inside


def _passes(package: str, tmp_path: Path, tests: list[str], timeout: float) -> None:
    copy = tmp_path / package
    shutil.copytree(PACKAGES / package, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    done = _run(copy, ["-p", "no:cacheprovider", "-q", *tests], timeout)
    assert done.returncode == 0, done.stdout[-5000:]


def _run(folder: Path, arguments: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
    ours = ("CLASSROOM", "SPARK", "PYSPARK", "PYTEST")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    found = java.find().java
    assert found is not None
    environment |= {"JAVA_HOME": str(found.home), "SPARK_LOCAL_IP": "127.0.0.1"}
    paths = [str(folder / "src"), str(PACKAGES / "spark-hooks" / "src"), sysconfig.get_path("purelib")]
    # Plugins are found by the metadata of what is installed, even where the package cannot be imported.
    alone = ["--import-mode=importlib", "-p", "no:declarative_pipelines.testing.plugin"]
    command = [sys.executable, "-S", "-c", RUN, *paths, *alone, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout)
