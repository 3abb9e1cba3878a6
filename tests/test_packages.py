"""The packages' structure: imports go one way and in no circle, and each package declares and brings what it needs."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[1] / "packages"
# What each package may import of the others.
BELOW = {
    "streaming_base": set(),
    "stream_view": {"streaming_base"},
    "notebook_dialect": {"streaming_base"},
    "pyspark_cloudfiles": {"streaming_base"},
    "declarative_pipelines": {"streaming_base"},
}
BELOW["streaming_classroom"] = set(BELOW)
PREFIX = "streaming-classroom-"  # of the names on a package index
# Distributions whose modules have another name.
DISTRIBUTIONS = {"IPython": "ipython", "delta": "delta-spark"}
DISTRIBUTIONS |= {package: PREFIX + package.replace("_", "-") for package in BELOW["streaming_classroom"]}
DISTRIBUTIONS["streaming_base"] = PREFIX + "base"
IGNORED = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", ".pytest_cache", ".hypothesis")


def modules(package: str, packages: Path) -> dict[str, Path]:
    """Return a package's modules by their dotted names."""
    found = {}
    root = packages / package.replace("_", "-") / "src"
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path) -> Iterator[str]:
    """Yield the full names that a module imports anywhere; of ``from a import b`` it is ``a.b``."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            base = [*parents, *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def upward_imports(packages: Path = PACKAGES) -> list[str]:
    """Return the imports of a package's modules from packages that are not below it."""
    return [
        f"{name} imports {found}"
        for package in BELOW
        for name, path in modules(package, packages).items()
        for found in imports(name, path)
        if (top := found.partition(".")[0]) in BELOW and top != package and top not in BELOW[package]
    ]


def import_circle(package: str, packages: Path = PACKAGES) -> list[str]:
    """Return the modules of a circle of imports within a package; an empty list if there is none."""
    every = modules(package, packages)
    graph = {}
    for name, path in every.items():
        prefixes = (_longest_module(found, every) for found in imports(name, path))
        graph[name] = {found for found in prefixes if found} - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def _longest_module(name: str, every: dict[str, Path]) -> str:
    while name and name not in every:
        name = name.rpartition(".")[0]
    return name


def undeclared_imports(package: str, packages: Path = PACKAGES) -> set[str]:
    """Return the distributions that a package imports and does not declare, and those that it only declares."""
    project = read_project(package, packages)["project"]
    optional = [name for group in project.get("optional-dependencies", {}).values() for name in group]
    optional = [name for name in optional if not name.startswith(PREFIX)]  # found by `streaming_base.siblings`
    declared = {re.split(r"[^\w-]", requirement)[0].lower() for requirement in [*project["dependencies"], *optional]}
    tops = {
        found.partition(".")[0] for name, path in modules(package, packages).items() for found in imports(name, path)
    }
    foreign = tops - sys.stdlib_module_names - {package}
    return declared ^ {DISTRIBUTIONS.get(top, top.replace("_", "-")) for top in foreign}


def read_project(package: str, packages: Path = PACKAGES) -> dict:
    file = packages / package.replace("_", "-") / "pyproject.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """Two packages that break each rule once."""
    for name, text in {
        "stream_view/low": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import notebook_dialect.high\n",
        "notebook_dialect/high": "def f():\n    from . import other\n",
        "notebook_dialect/other": "from notebook_dialect.high import f\nimport rich\n",
    }.items():
        package = name.partition("/")[0]
        path = tmp_path / package.replace("_", "-") / "src" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "notebook-dialect" / "pyproject.toml").write_text('[project]\ndependencies = ["pandas>=2"]\n')
    return tmp_path


@pytest.mark.slow
def test_packages_import_only_those_below_them() -> None:
    assert upward_imports() == []


@pytest.mark.parametrize("package", BELOW)
def test_modules_of_a_package_do_not_import_each_other_in_a_circle(package: str) -> None:
    assert import_circle(package) == []


@pytest.mark.parametrize("package", sorted(BELOW["streaming_classroom"]))
def test_a_package_declares_what_it_imports_and_nothing_else(package: str) -> None:
    assert undeclared_imports(package) == set()


def test_broken_rules_are_found(wrong: Path) -> None:
    assert upward_imports(wrong) == ["stream_view.low imports notebook_dialect.high"]
    assert set(import_circle("notebook_dialect", wrong)) == {"notebook_dialect.high", "notebook_dialect.other"}
    assert undeclared_imports("notebook_dialect", wrong) == {"rich", "pandas"}


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
