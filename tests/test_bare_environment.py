"""The packages as users install them: wheels in an environment with nothing else, and the examples of their READMEs.

PyPI gives what they need, Spark among it. `docs/versions.md` says with which versions of Spark they were tried.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from streaming_classroom.setup import java

PROJECT = Path(__file__).parents[1]
PACKAGES = ("streaming-base", "stream-view", "notebook-dialect", "pyspark-cloudfiles", "declarative-pipelines")
PREFIX = "streaming-classroom-"
DISTRIBUTIONS = {"streaming-base": "streaming-classroom-base"}
SPARKS = ("4.1", "4.2")
# The packages for any Spark 4; the others drive inner parts of one version.
ANY_SPARK = PACKAGES[:3]
CASES = [(package, spark) for spark in SPARKS for package in PACKAGES if spark == "4.2" or package in ANY_SPARK]
INSTALL_TIMEOUT = 1200  # seconds, most of which are the download of PySpark

# Runs cells in a kernel of the environment and prints their texts as JSON.
DRIVER = """
import json, sys
import nbformat
from nbclient import NotebookClient

cells = json.loads(sys.stdin.read())
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
NotebookClient(book, timeout=240, kernel_name="python3").execute()
texts = [
    "".join(out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs) for cell in book.cells
]
print("RESULT", json.dumps(texts))
"""
SESSION = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.shuffle.partitions", 2).getOrCreate()
"""
WHERE = "import {module}, pyspark; print({module}.__file__, pyspark.__version__)"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheels; return their folder."""
    root = tmp_path_factory.mktemp("wheels")
    options = ["--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", root / "dist"]
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", ".pytest_cache", ".hypothesis")
        shutil.copytree(PROJECT / "packages" / package, root / package, ignore=ignored)
        run_uv("build", *options, root / package)
    return root / "dist"


def make_environment(folder: Path, wheels: Path, package: str, spark: str) -> Path:
    """Make an environment with a package, a Spark, and what runs a notebook; return its Python."""
    run_uv("venv", "--python", sys.executable, folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = [
        DISTRIBUTIONS.get(package, PREFIX + package),
        f"pyspark=={spark}.*",
        "ipykernel",
        "nbclient",
        "setuptools",
    ]
    tools = ("ipykernel", "nbclient", "setuptools")
    run_uv("pip", "install", "--python", python, "--find-links", wheels, *wanted, *tools)
    return python


def run_uv(*arguments: object) -> None:
    command = [sys.executable, "-m", "uv", *map(str, arguments)]
    done = subprocess.run(command, env=outside(), capture_output=True, text=True, timeout=INSTALL_TIMEOUT)
    assert done.returncode == 0, done.stderr[-3000:]


def outside() -> dict[str, str]:
    """Return the environment of a machine without the course."""
    ours = ("CLASSROOM", "SPARK", "PYSPARK", "PYTEST", "PYTHON", "VIRTUAL_ENV", "IPYTHON", "JUPYTER")
    found = java.find().java
    assert found is not None
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"JAVA_HOME": str(found.home), "SPARK_LOCAL_IP": "127.0.0.1"}


def examples(package: str) -> list[str]:
    """Return the cells of a README's example: all blocks before its first heading of the second level."""
    readme = (PROJECT / "packages" / package / "README.md").read_text(encoding="utf-8").partition("\n## ")[0]
    return re.findall(r"```(?:python|sql)\n(.*?)```", readme, re.DOTALL)


def cells_of(package: str, folder: Path) -> list[str]:
    """Return what a user runs: a session of their own where the README expects one, then its example."""
    if package == "notebook-dialect":
        return examples(package)[:2]  # the third brings a session of your own, in place of this one
    if package in ("declarative-pipelines", "pyspark-cloudfiles"):
        return examples(package)  # with the session, as a user copies it
    if package == "streaming-base":
        before = "from pyspark.sql import SparkSession\nbefore = SparkSession.sql"
        return [before, *examples(package), "print('put back:', SparkSession.sql is before)"]
    return [SESSION, *examples(package)]


# A part of what each example prints.
OUTPUTS = {
    "streaming-base": "put back: True",
    "stream-view": "by_parity",
    "notebook-dialect": "Ghent",
    "pyspark-cloudfiles": "Bruges",
    "declarative-pipelines": "valid_orders",
}


@pytest.mark.parametrize(("package", "spark"), CASES)
def test_a_readme_example_runs_where_only_the_wheels_are_installed(
    package: str, spark: str, wheels: Path, tmp_path: Path
) -> None:
    python = make_environment(tmp_path / "venv", wheels, package, spark)
    cells = [*cells_of(package, tmp_path), WHERE.format(module=package.replace("-", "_"))]
    environment = outside() | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}

    command = [str(python), "-c", DRIVER]
    options = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True, "timeout": 600}
    done = subprocess.run(command, input=json.dumps(cells), **options)

    assert done.returncode == 0, done.stderr[-4000:]
    [line] = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    *texts, where = json.loads(line.removeprefix("RESULT "))
    assert OUTPUTS[package] in "".join(texts)
    file, version = where.split()
    assert Path(file).is_relative_to(python.parents[1]) and version.startswith(f"{spark}.")
