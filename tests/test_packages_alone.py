"""Each package works without the rest of the repository: with its own folder and the packages that it requires."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[1] / "packages"
PREFIX = "streaming-classroom-"
IGNORED = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", ".pytest_cache", ".hypothesis")
IMPORT = """
import importlib, importlib.util, json, sys
paths, names = map(json.loads, sys.argv[1:])
sys.path[:0] = paths
print(sorted(name for name in names if importlib.util.find_spec(name.partition(".")[0]) is None))
for name in names:
    if importlib.util.find_spec(name.partition(".")[0]) is not None:
        importlib.import_module(name)
"""


def required(package: str) -> list[str]:
    """Return the packages of this repository that a package requires, directly or through others."""
    project = tomllib.loads((PACKAGES / package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = " ".join(project["dependencies"])
    names = [path.name for path in PACKAGES.iterdir() if f"{PREFIX}{path.name.removeprefix('streaming-')}>" in declared]
    return sorted({package, *names, *(name for each in names for name in required(each))})


@pytest.mark.slow
@pytest.mark.parametrize("package", sorted({path.name for path in PACKAGES.iterdir()} - {"streaming-classroom"}))
def test_every_module_imports_without_packages_that_are_not_required(package: str) -> None:
    root = PACKAGES / package / "src"
    parts = [path.relative_to(root).with_suffix("").parts for path in sorted(root.rglob("*.py"))]
    names = [".".join(each[:-1] if each[-1] == "__init__" else each) for each in parts if each[-1] != "__main__"]
    others = sorted(path.name.replace("-", "_") for path in PACKAGES.iterdir() if path.name not in required(package))

    paths = [*(str(PACKAGES / name / "src") for name in required(package)), sysconfig.get_path("purelib")]
    # Without `site` the packages of the repository, which are installed as editable, cannot be imported.
    command = [sys.executable, "-S", "-c", IMPORT, json.dumps(paths), json.dumps(names + others)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)

    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == f"{others}\n"


@pytest.mark.slow
@pytest.mark.parametrize("package", sorted(path.name for path in PACKAGES.iterdir()))
def test_a_wheel_has_every_file_of_the_package(package: str, tmp_path: Path) -> None:
    source = tmp_path / package
    shutil.copytree(PACKAGES / package, source, ignore=IGNORED)
    written = {path.relative_to(source / "src").as_posix() for path in (source / "src").rglob("*") if path.is_file()}

    command = [sys.executable, "-m", "uv", "build", "--wheel", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*command, "--out-dir", tmp_path / "dist", source], check=True, capture_output=True, timeout=120)

    [wheel] = (tmp_path / "dist").glob("*.whl")
    assert {name for name in written if not name.endswith(".md")} <= set(zipfile.ZipFile(wheel).namelist())
