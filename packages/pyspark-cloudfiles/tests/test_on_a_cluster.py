"""A stream whose files are below a mount, read by executors that know nothing of the driver's environment."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import json, os, sys
from pathlib import Path
import pyspark_cloudfiles
from pyspark.sql import SparkSession

root = Path(os.environ["ROOT"])
before = dict(os.environ)
spark = (
    SparkSession.builder.master(os.environ["MASTER"])
    .config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
    .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.cloudFiles.mounts", json.dumps({"dbfs:/": str(root)}))
    .getOrCreate()
)
pyspark_cloudfiles.install(spark)

def run():
    frame = (
        spark.readStream.format("cloudFiles")
        .option("cloudFiles.format", "json")
        .option("cloudFiles.maxFilesPerTrigger", "7")
        .option("cloudFiles.schemaLocation", "dbfs:/schema")
        .load("dbfs:/in")
    )
    writer = frame.writeStream.format("parquet").option("checkpointLocation", f"file:{root}/checkpoint")
    query = writer.trigger(availableNow=True).start(f"file:{root}/out")
    assert query.awaitTermination(120)
    return [report["numInputRows"] for report in query.recentProgress if report["numInputRows"]]

batches = [run(), run()]
ids = sorted(int(row[0]) for row in spark.read.parquet(f"file:{root}/out").select("id").collect())
added = [name for name in os.environ if name.startswith("PYSPARK_CLOUDFILES") and name not in before]
print("RESULT", json.dumps({"ids": ids, "batches": batches, "added": added}))
spark.stop()
"""


def test_twenty_files_below_a_mount_are_each_read_once(run_python, cluster: str, tmp_path: Path):
    (tmp_path / "in").mkdir()
    for number in range(20):
        (tmp_path / "in" / f"{number}.json").write_text(json.dumps({"id": number}))
    where = {"MASTER": cluster, "ROOT": str(tmp_path), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = run_python(PROGRAM, **where)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("RESULT")] or [done.stdout + done.stderr]
    result = json.loads(line.removeprefix("RESULT "))
    assert result == {"ids": list(range(20)), "batches": [[7, 7, 6], []], "added": []}
