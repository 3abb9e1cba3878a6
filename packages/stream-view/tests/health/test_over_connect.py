"""The same frame over Spark Connect, from a server of somebody else's."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from stream_view.health.health_page import frame_of

pytestmark = pytest.mark.skipif(find_spec("suite") is None, reason="the repository around has the server")

PROGRAM = """
import json, os
from pyspark.sql import SparkSession
from stream_view import ServiceTarget, stream_health

spark = SparkSession.builder.remote(os.environ["SERVER"]).getOrCreate()
rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
grouped = rate.withWatermark("timestamp", "1 minute").groupBy("timestamp").count()
query = grouped.writeStream.format("noop").queryName("rate").outputMode("append").start()
while len([report for report in query.recentProgress if report["durationMs"].get("addBatch")]) < 2:
    assert not query.awaitTermination(0.2)
health = stream_health(target=ServiceTarget(state_rows=0.5))
frame = health.to_frame()
failing = rate.selectExpr("raise_error('no sensor')").writeStream.format("noop").queryName("failing").start()
while failing.isActive:
    pass
query.stop()
print(json.dumps([frame.to_dict("records"), frame.dtypes.astype(str).to_dict(), health.problems], default=str))
"""


@pytest.mark.slow
def test_the_frame_is_that_of_a_classic_session(connect_server: str, run_python) -> None:
    done = run_python(PROGRAM, SERVER=connect_server)
    assert done.returncode == 0, done.stderr[-3000:]
    [row], types, problems = json.loads(done.stdout.splitlines()[-1])
    assert types == frame_of([]).dtypes.astype(str).to_dict()
    assert row["stream"] == "rate" and row["batch_seconds"] > 0 and row["addBatch_seconds"] > 0
    assert row["processed_per_second"] > 0 and row["state_rows"] >= 1 and row["state_bytes"] > 0
    assert "The state has" in row["problems"]
    assert "no sensor" in problems["failing"][0]
