from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Timer
from types import SimpleNamespace

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from streaming_base import listener
from streaming_base.listener import failure_of, watch


@pytest.fixture
def endings(monkeypatch: pytest.MonkeyPatch) -> Iterator[listener._Endings]:
    """Have a history of the test's own."""
    monkeypatch.setattr(listener, "_endings", listener._Endings())
    yield listener._endings


def event(name: str | None, run: int = 1, exception: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(name=name, runId=run, exception=exception)


class Streams:
    """Count the listeners; stands in for a session."""

    def __init__(self) -> None:
        self.listeners: list[object] = []
        self.streams = SimpleNamespace(addListener=self.listeners.append)


@pytest.mark.slow
def test_a_new_start_forgets_the_old_failure(endings: listener._Endings) -> None:
    endings.onQueryStarted(event("silver"))
    endings.onQueryTerminated(event(None, exception="it broke"))
    endings.onQueryStarted(event("silver", run=2))
    assert failure_of("silver") is None


def test_a_failure_whose_report_is_on_its_way_is_waited_for(endings: listener._Endings) -> None:
    endings.onQueryStarted(event("silver"))
    Timer(0.2, endings.onQueryTerminated, [event(None, exception="it broke")]).start()
    assert "it broke" in str(failure_of("silver"))


def test_a_session_is_watched_once() -> None:
    session = Streams()
    watch(session)
    watch(session)
    assert len(session.listeners) == 1


def test_the_report_of_a_real_failure_arrives(spark: SparkSession) -> None:
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    query = rows.selectExpr("raise_error('boom')").writeStream.format("memory").queryName("kept").start()
    with pytest.raises(StreamingQueryException):
        query.awaitTermination(30)
    assert "boom" in str(failure_of("kept"))


@pytest.mark.slow
def test_reports_reach_who_asked_for_them_and_nobody_else(spark: SparkSession) -> None:
    """As the dictionaries of their JSON, with the whole nesting."""
    reports: list[dict] = []
    frames = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    query = frames.writeStream.format("noop").trigger(processingTime="100 milliseconds").start()
    listener.subscribe(str(query.runId), reports.append)
    deadline = time.monotonic() + 120
    while len(reports) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    listener.unsubscribe(str(query.runId))
    assert reports[-1]["runId"] == str(query.runId)
    assert reports[-1]["numInputRows"] == 5
    assert reports[-1]["sources"][0]["numInputRows"] == 5
    received, batch = len(reports), query.lastProgress["batchId"]
    while query.lastProgress["batchId"] < batch + 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert query.lastProgress["batchId"] >= batch + 4
    assert len(reports) <= received + 1  # one may have been on its way
