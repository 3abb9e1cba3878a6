"""The health of real streams: what the frame says, and what a page shows while they run and when they have ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from stream_view import ServiceTarget, stream_health
from stream_view.health.stream_health import StreamHealth
from streaming_base.waiting import block_until_stream_is_ready


def of(health: StreamHealth, name: str) -> pd.Series:
    frame = health.to_frame().set_index("stream")
    return frame.loc[name]


def start(frame: DataFrame, name: str, **options: str):
    query = frame.writeStream.format("noop").queryName(name).options(**options).start()
    block_until_stream_is_ready(frame.sparkSession, query, min_batches=1, timeout=120)
    return query


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def health(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[StreamHealth]:
    """Give the health of this test's streams: failures of other tests' streams are not told."""
    monkeypatch.setattr("streaming_base.listener._endings.failures", {})
    watching = stream_health(spark)
    yield watching
    watching.close()  # a page is followed until it is closed, and so would the tests that come later see its thread


def test_a_stream_has_the_figures_of_its_reports(health: StreamHealth, stream: DataFrame) -> None:
    query = start(stream, "clicks")
    [report] = [report for report in query.recentProgress if report["numInputRows"]]

    row = of(health, "clicks")

    assert (row["batch"], row["problems"]) == (0, "")
    assert row["batch_seconds"] == report["durationMs"]["triggerExecution"] / 1000
    assert row["addBatch_seconds"] == report["durationMs"]["addBatch"] / 1000
    assert row["processed_per_second"] == pytest.approx(3 / row["batch_seconds"], rel=0.01)
    assert 0 <= row["age_seconds"] < 30
    assert pd.isna(row["backlog_rows"]) and pd.isna(row["state_rows"])  # files tell no backlog, and there is no state


@pytest.mark.slow
def test_state_and_watermark_are_those_of_the_last_batch(health: StreamHealth, stream: DataFrame, land) -> None:
    times = stream.withColumn("time", F.timestamp_seconds(F.col("id") * 60)).withWatermark("time", "10 minutes")
    query = start(times.groupBy(F.window("time", "5 minutes")).count(), "windows")
    land(100)
    query.processAllAvailable()

    row = of(health, "windows")

    assert row["watermark"].startswith("1970-01-01T01:30:00")
    assert row["state_rows"] == 1 and row["state_bytes"] > 0


def test_streams_that_start_later_appear_and_those_that_end_stay(health: StreamHealth, stream: DataFrame) -> None:
    assert health.to_frame().empty
    query = start(stream, "later")
    assert of(health, "later")["state"] in ("running", "waiting")
    query.stop()
    assert of(health, "later")["state"] == "stopped" and health.problems == {}


def test_a_stream_that_is_restarted_is_one_stream(health: StreamHealth, stream: DataFrame, tmp_path: Path) -> None:
    checkpoint = str(tmp_path / "checkpoint")
    start(stream, "again", checkpointLocation=checkpoint).stop()
    health.to_frame()
    start(stream, "again", checkpointLocation=checkpoint)
    assert list(health.to_frame()["stream"]) == ["again"]
    assert of(health, "again")["state"] != "stopped"


@pytest.mark.parametrize("watched", [True, False])
def test_a_stream_that_fails_says_why(health: StreamHealth, stream: DataFrame, land, watched: bool) -> None:
    query = start(stream.selectExpr("assert_true(id < 4, 'too big')"), "strict")
    if watched:
        assert of(health, "strict")["error"] == ""
    land(4)
    wait_until(lambda: not query.isActive)

    wait_until(lambda: bool(health.problems))
    assert "too big" in health.problems["strict"][0]
    assert of(health, "strict")["state"] == "failed"
    assert "▲ strict: The stream has failed" in repr(health)


def test_a_target_of_the_user_is_held_for_its_stream_only(spark: SparkSession, health, stream: DataFrame) -> None:
    start(stream, "strict")
    start(stream, "lax")
    targets = {"strict": ServiceTarget(batch_seconds=0.001)}
    assert list(stream_health(spark, targets).problems) == ["strict"]
    assert set(stream_health(spark, ServiceTarget(batch_seconds=0.001)).problems) == {"strict", "lax"}


def test_a_batch_that_does_not_end_is_a_problem_while_it_runs(spark: SparkSession, health, stream: DataFrame) -> None:
    pause = F.udf(lambda value: time.sleep(6) or value, "int")
    query = stream.select(pause("id")).writeStream.format("noop").queryName("stuck").start()
    watching = stream_health(spark, ServiceTarget(batch_seconds=1))
    wait_until(lambda: bool(watching.problems), 30)
    assert "A batch has been running for" in watching.problems["stuck"][0]
    query.stop()


@pytest.mark.skipif(find_spec("pyspark_cloudfiles") is None, reason="it is another package")
def test_the_backlog_of_cloudfiles_is_told(spark: SparkSession, health: StreamHealth, tmp_path: Path) -> None:
    landed = tmp_path / "landed"
    landed.mkdir()
    for number in range(6):
        (landed / f"{number}.json").write_text('{"id": 1}\n{"id": 2}\n')
    files = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json").schema("id INT")
    slow = files.option("cloudFiles.maxFilesPerTrigger", 1).load(landed.as_uri())
    query = slow.writeStream.format("noop").queryName("files").trigger(processingTime="1 second").start()
    wait_until(lambda: sum(report["numInputRows"] > 0 for report in query.recentProgress) >= 2)

    row = of(health, "files")

    assert 0 < row["backlog_files"] <= 4
    assert row["backlog_is_estimate"] and row["backlog_rows"] == pytest.approx(2 * row["backlog_files"])
    assert row["backlog_seconds"] == pytest.approx(row["backlog_rows"] / row["processed_per_second"])


def test_without_a_person_there_is_one_static_frame(health: StreamHealth, stream: DataFrame, monkeypatch) -> None:
    shown: list = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: shown.append(bundle))
    start(stream, "clicks")
    health._ipython_display_()
    [bundle] = shown
    assert "clicks" in bundle["text/plain"] and "<table" in bundle["text/html"]
