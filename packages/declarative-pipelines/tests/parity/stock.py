"""What stock Spark 4.2 answers: its names, and its own command on a small pipeline, without this package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

TIMEOUT = 600
_NAMES = """
import inspect, json
from pyspark import pipelines as dp
scd = str(inspect.signature(dp.create_auto_cdc_flow).parameters["stored_as_scd_type"].annotation)
append = inspect.signature(dp.append_flow).parameters
print(json.dumps({
    "expect": hasattr(dp, "expect"), "snapshot": hasattr(dp, "create_auto_cdc_from_snapshot_flow"),
    "once": "once" in append, "scd": scd, "truncates": "apply_as_truncates" in
    inspect.signature(dp.create_auto_cdc_flow).parameters,
}))
"""
_TABLES = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
spark = SparkSession.active()

@dp.temporary_view
def seen():
    return spark.readStream.schema("n INT").json("file://FOLDER/landing")

@dp.table
def copied():
    return spark.readStream.table("seen")

dp.create_streaming_table("every")

@dp.append_flow(target="every")
def one():
    return spark.readStream.table("seen")

@dp.append_flow(target="every")
def two():
    return spark.readStream.table("copied")
"""
_CHANGES = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession
spark = SparkSession.active()

@dp.temporary_view
def feed():
    return spark.readStream.schema("n INT, seq INT").json("file://FOLDER/landing")

dp.create_streaming_table("latest"FORMAT)
dp.create_auto_cdc_flow(target="latest", source="feed", keys=["n"], sequence_by="seq")
"""
_SPECIFICATION = """
name: stock
storage: file://FOLDER/storage
database: default
libraries:
  - glob:
      include: transformations/**
"""


def measure() -> dict[str, str]:
    """Return a sentence by the keys that behaviors name."""
    names = json.loads(_python(_NAMES))
    tables = _run(_TABLES)
    changes = _error(_run(_CHANGES.replace("FORMAT", "")))
    missing = "no such feature"
    return {
        "expectations": "has `expect`" if names["expect"] else missing,
        "snapshots": "has it" if names["snapshot"] else missing,
        "once": "has `once=`" if names["once"] else missing,
        "type 1": f"the update fails: `{changes}`",
        "type 2": missing if "2" not in names["scd"] else "has it",
        "streaming": "first update as documented; its default catalog forgets the tables"
        if tables.get("copied") == [1]
        else _error(tables),
        "views": "is not in the catalog" if "seen" not in tables and "copied" in tables else _error(tables),
        "append flows": "as documented" if tables.get("every") == [1, 1] else f"after one update {_some(tables)}",
        "not measured": "not measured",
    }


def _python(text: str) -> str:
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return done.stdout.splitlines()[-1]


def _run(source: str) -> dict[str, object]:
    """Run a pipeline once by Spark's own command; return the values of each table, or what it said."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch).resolve()
        for name in ("landing", "transformations"):
            (folder / name).mkdir()
        (folder / "landing" / "1.json").write_text('{"n": 1, "seq": 1}\n')
        (folder / "transformations" / "source.py").write_text(source.replace("FOLDER", str(folder)))
        (folder / "spark-pipeline.yml").write_text(_SPECIFICATION.replace("FOLDER", str(folder)))
        command = [str(Path(sys.executable).with_name("spark-pipelines")), "run"]
        found = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "PYSPARK_PYTHON": sys.executable}
        done = subprocess.run(
            command, env=os.environ | found, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT
        )
        if done.returncode:
            return {"error": done.stdout + done.stderr}
        return {table.name: _values(table) for table in sorted((folder / "spark-warehouse").iterdir())}


def _values(table: Path) -> list[int]:
    import pyarrow.parquet as pq

    return [value for file in sorted(table.rglob("*.parquet")) for value in pq.read_table(file)["n"].to_pylist()]


def _some(tables: dict[str, object]) -> str:
    every = tables.get("every")
    return f"{len(every)} of 2 rows" if isinstance(every, list) else _error(tables)


def _error(result: dict[str, object]) -> str:
    found = re.search(r"\[([A-Z_.]+)\]", str(result.get("error", "")))
    return found[1] if found else str(result)[-200:]
