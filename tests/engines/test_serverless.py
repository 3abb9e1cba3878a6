"""A session over Connect that is made to refuse what serverless compute refuses, and to accept the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.engine import ENGINES, RESTRICTIONS
from suite.sessions import RunPython

CODE = """
import json
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()

def said(call):
    try:
        call()
    except AnalysisException as error:
        return str(error)[1:].partition("]")[0]
    return "accepted"

def stream(**trigger):
    writer = spark.readStream.text("landed").writeStream.format("noop").option("checkpointLocation", "checkpoint")
    writer = writer.trigger(**trigger) if trigger else writer
    return lambda: writer.start().awaitTermination(60)

print(json.dumps({
    "time zone": said(lambda: spark.conf.set("spark.sql.session.timeZone", "UTC")),
    "another setting": said(lambda: spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "1")),
    "no trigger": said(stream()),
    "an interval": said(stream(processingTime="1 second")),
    "available now": said(stream(availableNow=True)),
}))
"""


@pytest.mark.slow
def test_settings_and_streams_that_do_not_end_are_refused(
    connect_server: str, run_python: RunPython, tmp_path: Path
) -> None:
    (tmp_path / "landed").mkdir()
    done = run_python(CODE, SPARK_REMOTE=connect_server, PYTHONPATH=str(RESTRICTIONS))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "time zone": "accepted",
        "another setting": "CONFIG_NOT_AVAILABLE",
        "no trigger": "INFINITE_STREAMING_TRIGGER_NOT_SUPPORTED",
        "an interval": "INFINITE_STREAMING_TRIGGER_NOT_SUPPORTED",
        "available now": "accepted",
    }


REPEATED = """
import json
import time

from streaming_classroom import get_spark
from streaming_classroom.session import repeated_starts

spark = get_spark()
repeated_starts.install(lambda: "checkpoints")
spark.sql("CREATE TABLE landed (id INT)")
lands = lambda number: spark.sql(f"INSERT INTO landed VALUES ({number})")
lands(1)
counting = spark.readStream.table("landed").groupBy().count()
shown = spark.readStream.table("landed").writeStream.format("memory").queryName("shown").start()
counts = counting.writeStream.outputMode("update").format("memory").queryName("counts").start()
for query in (shown, counts):
    query.processAllAvailable()
lands(2)
for query in spark.streams.active:
    query.processAllAvailable()
try:
    spark.readStream.table("landed").writeStream.format("memory").queryName("shown").start()
except Exception as error:
    refused = type(error).__name__
spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "1")
seen = {
    "active": [query.name for query in spark.streams.active],
    "rows": sorted(row.id for row in spark.table("shown").collect()),
    "updates": sorted(row["count"] for row in spark.table("counts").collect()),
    "batches": [report.batchId for report in shown.recentProgress],
    "refused": refused,
}
shown.stop()
seen["after"] = [query.name for query in spark.streams.active]
spark.streams.resetTerminated()
doomed = spark.readStream.table("landed").selectExpr("raise_error('bad')").writeStream.format("noop").start()
while doomed.isActive:
    time.sleep(0.1)
try:
    seen["doomed"] = spark.streams.awaitAnyTermination(10)
except Exception as error:
    seen["doomed"] = type(error).__name__
print(json.dumps(seen))
"""


@pytest.mark.slow
def test_an_endless_stream_is_run_again_and_again_on_its_checkpoint(
    connect_server: str, run_python: RunPython, tmp_path: Path
) -> None:
    environment = {"SPARK_REMOTE": connect_server, "PYTHONPATH": str(RESTRICTIONS), "IS_SERVERLESS": "TRUE"}
    done = run_python(REPEATED, **environment)
    assert done.returncode == 0, done.stderr
    first, _, last = done.stdout.strip().rpartition("\n")
    assert first.endswith("noDataProgressEventInterval; its own value stays.")
    assert json.loads(last) == {
        "active": ["shown", "counts"],
        "rows": [1, 2],
        "updates": [1, 2],
        "batches": [0, 1],
        "refused": "IllegalArgumentException",
        "after": ["counts"],
        "doomed": "StreamingQueryException",
    }


MERGED = """
import json

from delta.tables import DeltaTable
from pyspark.sql import functions as F
from streaming_classroom import get_spark

spark = get_spark()
spark.sql("CREATE SCHEMA workspace.merged")
spark.sql("USE workspace.merged")
spark.createDataFrame([(1, "a"), (2, "b"), (3, "c")], "id INT, name STRING").write.saveAsTable("names")
changes = spark.createDataFrame([(1, "A"), (2, None), (4, "d"), (5, "e")], "id INT, name STRING")
table = DeltaTable.forName(spark, "names")
merge = table.alias("old").merge(changes.alias("new"), F.col("old.id") == F.col("new.id"))
merge = merge.whenMatchedDelete("new.name IS NULL").whenMatchedUpdate(set={"name": "new.name"})
merge.whenNotMatchedInsertAll().execute()
table.update("id = 3", {"name": F.upper("name")})
table.delete("id = 4")
print(json.dumps(sorted(map(list, table.toDF().collect()))))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("clean_environment")
def test_a_delta_table_is_merged_updated_and_deleted_from_by_its_python_methods(
    run_python: RunPython, tmp_path: Path
) -> None:
    engine = next(engine for engine in ENGINES if engine.name == "serverless")
    with engine.start(tmp_path) as environment:
        done = run_python(MERGED, 180, CLASSROOM_HOME=environment["SERVERLESS_FILES"], **environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[1, "A"], [3, "C"], [5, "e"]]
