"""The package as strangers get it: what is in it, what its README promises, and a stream in an empty environment."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import pyspark_cloudfiles
from pyspark_cloudfiles import option_names

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALLING = 900  # seconds, most of which is the download of PySpark
PROGRAM = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
import pyspark_cloudfiles

root = Path(sys.argv[1])
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
pyspark_cloudfiles.install(spark)
frame = (
    spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .option("cloudFiles.schemaLocation", f"{root}/checkpoint")
    .load(f"{root}/in")
)
writer = frame.writeStream.format("parquet").option("checkpointLocation", f"{root}/checkpoint")
assert writer.trigger(availableNow=True).start(f"{root}/out").awaitTermination(120)
print("RESULT", pyspark_cloudfiles.__file__, sorted(row["id"] for row in spark.read.parquet(f"{root}/out").collect()))
"""


def options_in(heading: str) -> list[str]:
    """Return the options in the first column of the README's table that begins with a heading."""
    table = README.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    rows = table.splitlines()[2:]
    assert rows
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


@pytest.mark.parametrize(
    ("heading", "known"),
    [
        ("supported", option_names.SUPPORTED),
        ("ignored, with a warning", option_names.WITHOUT_EFFECT),
        ("refused", option_names.CLOUD_ONLY),
    ],
)
def test_the_readme_has_every_option_once(heading: str, known: tuple[str, ...]):
    assert sorted(options_in(heading)) == sorted(known)


def test_the_version_is_said_once():
    assert PROJECT["project"]["version"] == pyspark_cloudfiles.__version__


@pytest.mark.slow
def test_it_runs_on_the_oldest_python_that_it_asks_for():
    found = subprocess.run(
        [Path(sys.executable).with_name("vermin"), "--no-tips", "--eval-annotations", ROOT / "src"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    [oldest] = re.findall(r"Minimum required versions: .*?(3\.\d+)", found.stdout)
    assert PROJECT["project"]["requires-python"] == f">={oldest}"


@pytest.mark.slow
def test_a_stranger_has_a_stream_in_ten_lines(tmp_path: Path):
    uv = [sys.executable, "-m", "uv"]
    for folder in (ROOT, ROOT.parent / "streaming-base"):
        source = tmp_path / folder.name
        shutil.copytree(folder, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        run([*uv, "build", "--wheel", "--out-dir", tmp_path / "dist", source])
    [wheel] = (tmp_path / "dist").glob("*cloudfiles*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any("build/" in name or "__pycache__" in name for name in names)
    run([*uv, "venv", "--python", sys.executable, tmp_path / "venv"])
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run([*uv, "pip", "install", "--python", python, "--find-links", tmp_path / "dist", wheel])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text("".join(json.dumps({"id": number}) + "\n" for number in range(3)))
    (tmp_path / "program.py").write_text(PROGRAM)
    said = run([python, tmp_path / "program.py", tmp_path], cwd=tmp_path, first=python.parent)
    [line] = [line for line in said.splitlines() if line.startswith("RESULT ")]
    assert line.startswith(f"RESULT {tmp_path / 'venv'}")
    assert line.endswith("['0', '1', '2']")


def run(command: list, cwd: Path | None = None, first: Path | None = None) -> str:
    """Run a command without what this process has set up for Python and Spark; return what it says.

    Parameters
    ----------
    first : Path, optional
        The directory of an environment that is activated.
    """
    ours = ("PYTHON", "SPARK", "PYSPARK", "VIRTUAL_ENV", "CLASSROOM")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    if first is not None:
        environment["PATH"] = f"{first}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        list(map(str, command)), env=environment | {"SPARK_LOCAL_IP": "127.0.0.1"}, cwd=cwd,
        capture_output=True, text=True, timeout=INSTALLING,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
