from __future__ import annotations

import json
import random
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from stream_view import batches
from stream_view.checkpoint_batches import NotACheckpoint

from .seeded_queries import KINDS, land, landed, read, run


@pytest.fixture
def ended(spark: SparkSession, tmp_path: Path):
    """Give a query over windows that has ended, the rows of its batches, and its checkpoint."""
    rows = landed(random.Random(5), 4)
    land(tmp_path / "left", rows)
    frame = KINDS["windows"].frame(read(spark, tmp_path / "left"), read(spark, tmp_path / "left"))
    query, _written = run(KINDS["windows"], frame, tmp_path)
    return query, rows, (tmp_path / "checkpoint").as_uri()


@pytest.mark.slow
def test_each_batch_has_its_offsets_its_watermark_and_what_its_report_says(ended) -> None:
    query, rows, checkpoint = ended

    found = batches(checkpoint, query)

    reports = {report["batchId"]: report for report in query.recentProgress if "addBatch" in report["durationMs"]}
    assert list(found["batch"]) == list(range(len(found))) and found["committed"].all()
    assert found["offsets"][0] == ['{"logOffset":0}']
    assert list(found["rows"][: len(rows)]) == [len(batch) for batch in rows]
    states = [reports[number]["stateOperators"][0]["numRowsTotal"] for number in found["batch"]]
    assert list(found["state_rows"]) == states
    assert found["watermark"].isna()[0]
    assert found["watermark"][1] == pd.Timestamp(max(row["time"] for row in rows[0]) - 300, unit="s")


@pytest.mark.slow
def test_without_a_query_the_state_is_counted_where_it_is_asked_for(ended) -> None:
    query, _rows, checkpoint = ended
    assert batches(checkpoint)[["rows", "state_rows", "state_bytes"]].isna().all(axis=None)
    assert list(batches(checkpoint, count_state=True)["state_rows"]) == list(batches(checkpoint, query)["state_rows"])


@pytest.mark.slow
def test_a_batch_without_a_commit_is_not_committed(ended, tmp_path: Path) -> None:
    last = len(batches(ended[2])) - 1
    (tmp_path / f"checkpoint/commits/{last}").unlink()
    (tmp_path / f"checkpoint/offsets/.{last + 1}.tmp").write_text("v1")  # an entry that is being written
    found = batches(ended[2])
    assert list(found["committed"]) == [True] * last + [False]


def test_a_folder_that_is_no_checkpoint_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(NotACheckpoint):
        batches(tmp_path.as_uri())


CONNECT = """
import json, os
from pyspark.sql import SparkSession
from stream_view import batches

spark = SparkSession.builder.remote(os.environ["SERVER"]).getOrCreate()
rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
writer = rate.groupBy("value").count().writeStream.format("noop").outputMode("update")
query = writer.option("checkpointLocation", os.environ["CHECKPOINT"]).start()
while len([report for report in query.recentProgress if report["durationMs"].get("addBatch")]) < 2:
    assert not query.awaitTermination(0.2)
query.stop()
found = batches(os.environ["CHECKPOINT"], query)
print(json.dumps(found[["batch", "rows", "state_rows"]].head(2).astype(int).to_dict("records")))
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("suite") is None, reason="the repository around has the server")
def test_over_connect_the_list_is_the_same(connect_server: str, run_python, tmp_path: Path) -> None:
    done = run_python(CONNECT, SERVER=connect_server, CHECKPOINT=(tmp_path / "checkpoint").as_uri())
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == [
        {"batch": 0, "rows": 10, "state_rows": 10},
        {"batch": 1, "rows": 10, "state_rows": 20},
    ]
