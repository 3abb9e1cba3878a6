"""A session over Connect that is made to refuse what serverless compute refuses, and to accept the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.engine import RESTRICTIONS
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
