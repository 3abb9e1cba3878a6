"""Updates of a pipeline on a cluster: a streaming table of files, and a view that aggregates it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PIPELINE = """
import dlt
from pyspark.sql import functions as F

@dlt.table
@dlt.expect_or_drop("positive", "amount > 0")
def payments():
    reader = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    return reader.option("cloudFiles.schemaHints", "amount INT").load("dbfs:/mnt/in")

@dlt.table
def totals():
    return dlt.read("payments").groupBy("who").agg(F.sum("amount").alias("total"))
"""
PROGRAM = """
import json, os
from pathlib import Path
from declarative_pipelines import run_pipeline
from streaming_classroom import get_spark
from streaming_classroom.files.directories import classroom_files

spark = get_spark()
landing = classroom_files().local_path("dbfs:/mnt/in")
landing.mkdir(parents=True)

def land(name, *rows):
    landing.joinpath(name).write_text("".join(json.dumps(row) + chr(10) for row in rows))

for number in range(5):
    land(f"{number}.json", {"who": "ann", "amount": number}, {"who": "bo", "amount": 1})
updates = [run_pipeline(os.environ["SOURCE"]).raise_if_failed()]
land("new.json", {"who": "bo", "amount": 10})
updates.append(run_pipeline(os.environ["SOURCE"]).raise_if_failed())
print("ROWS", *(update.dataset("payments").rows for update in updates))
print("TOTALS", *(f"{row.who}={row.total}" for row in spark.table("totals").orderBy("who").collect()))
spark.stop()
"""


def test_two_updates_ingest_each_file_once_and_aggregate_it(run_python, cluster: str, tmp_path: Path) -> None:
    source = tmp_path / "pipeline.py"
    source.write_text(PIPELINE)
    done = run_python(PROGRAM, timeout=300, SPARK_MASTER=cluster, SOURCE=str(source))
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.splitlines()[-2:] == ["ROWS 9 1", "TOTALS ann=10 bo=15"]
