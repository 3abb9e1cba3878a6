from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from streaming_base import listener, waiting
from streaming_base.errors import StreamNotFound, StreamTimeout
from streaming_base.waiting import (
    BatchesLeft,
    active_streams,
    block_until_stream_is_ready,
    stop_streams,
    wait_until_processed,
)


def start(frame: DataFrame, name: str, **trigger) -> StreamingQuery:
    writer = frame.writeStream.format("memory").queryName(name)
    return (writer.trigger(**trigger) if trigger else writer).start()


@pytest.fixture
def endless(spark: SparkSession) -> DataFrame:
    """Give a source that has a next batch always and at once."""
    return spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()


@pytest.fixture
def files(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Give a source that has nothing until files are put into the test's directory."""
    return spark.readStream.schema("id INT").json(tmp_path.as_uri())


@pytest.fixture
def failing(endless: DataFrame) -> DataFrame:
    return endless.selectExpr("raise_error('the sensor is broken')")


def test_a_stream_with_nothing_to_do_is_ready(spark: SparkSession, files: DataFrame) -> None:
    query = start(files, "idle")
    block_until_stream_is_ready(spark, query, min_batches=10**6, timeout=120)
    assert query.isActive


def test_a_stream_that_never_rests_is_ready_after_so_many_batches(spark: SparkSession, endless: DataFrame) -> None:
    query = start(endless, "endless")
    block_until_stream_is_ready(spark, "endless", min_batches=3, timeout=120)
    assert len(query.recentProgress) >= 3


def test_an_answer_that_does_not_know_of_the_newest_data_is_asked_for_again(
    spark: SparkSession, files: DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = start(files, "stale")
    wait_until_processed([query], timeout=120)
    process, answers = query.processAllAvailable, iter([lambda: None])
    monkeypatch.setattr(waiting, "_is_trigger_active", lambda query: True)
    monkeypatch.setattr(query, "processAllAvailable", lambda: next(answers, process)())
    (tmp_path / "a.json").write_text('{"id": 1}')
    wait_until_processed([query], timeout=120)
    assert spark.table("stale").count() == 1


def test_waiting_for_a_failed_stream_raises_its_error(spark: SparkSession, failing: DataFrame) -> None:
    query = start(failing, "failing")
    with pytest.raises(StreamingQueryException, match="the sensor is broken"):
        block_until_stream_is_ready(spark, query, timeout=120)
    with pytest.raises(StreamingQueryException, match="the sensor is broken"):
        block_until_stream_is_ready(spark, query, timeout=120)  # again, now that it is long dead


def test_a_failed_stream_is_known_by_name_from_its_first_moment(spark: SparkSession, failing: DataFrame) -> None:
    listener.watch(spark)
    query = start(failing, "failing")
    with pytest.raises(StreamingQueryException):
        query.awaitTermination(30)
    with pytest.raises(StreamingQueryException, match="the sensor is broken"):
        block_until_stream_is_ready(spark, "failing", timeout=120)


def test_an_unknown_name_names_those_that_are_active(spark: SparkSession, files: DataFrame) -> None:
    start(files, "bronze")
    with pytest.raises(StreamNotFound) as caught:
        block_until_stream_is_ready(spark, "silver")
    assert caught.value.active == ("bronze",)
    assert "Active are: bronze." in str(caught.value)


def test_the_deadline_gives_the_streams_name_and_status(spark: SparkSession, endless: DataFrame) -> None:
    start(endless, "endless")
    with pytest.raises(StreamTimeout) as caught:
        block_until_stream_is_ready(spark, "endless", min_batches=10**6, timeout=0.5)
    assert caught.value.stream == "endless"
    assert caught.value.status
    assert isinstance(caught.value, TimeoutError)


@pytest.mark.slow
def test_a_wait_that_timed_out_leaves_no_thread_here_and_none_in_the_jvm(
    spark: SparkSession, endless: DataFrame
) -> None:
    query = start(endless, "endless")
    before = set(threading.enumerate())
    with pytest.raises(StreamTimeout):
        wait_until_processed([query], timeout=1)
    # py4j's own thread for calls back into Python, and the views', may begin meanwhile.
    assert [thread.name for thread in set(threading.enumerate()) - before if "blocking" in thread.name] == []
    assert jvm_threads_in(spark, "processAllAvailable") == []
    assert query.isActive


def jvm_threads_in(spark: SparkSession, method: str) -> list[str]:
    """Return the names of the JVM's threads that are inside a method."""
    stacks = spark._jvm.java.lang.Thread.getAllStackTraces()
    return [
        thread.getName()
        for thread in list(stacks)
        if any(f".{method}(" in frame.toString() for frame in list(stacks[thread]))
    ]


def test_all_that_is_there_is_processed(spark: SparkSession, files: DataFrame, tmp_path: Path) -> None:
    query = start(files, "rows")
    for number in range(3):
        (tmp_path / f"{number}.json").write_text(f'{{"id": {number}}}\n')
        wait_until_processed([query], timeout=120)
        assert spark.table("rows").count() == number + 1


def test_stopping_returns_when_all_are_gone(spark: SparkSession, files: DataFrame, endless: DataFrame) -> None:
    queries = [start(files, "a"), start(endless, "b")]
    stop_streams(spark.streams.active)
    assert not any(query.isActive for query in queries)
    assert spark.streams.active == []
    stop_streams(queries)  # again, which changes nothing


def test_one_stream_that_does_not_stop_leaves_the_others_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "STOP_TIMEOUT", 0.1)
    release, stopped = Event(), Event()
    deaf = SimpleNamespace(stop=release.wait, name="deaf", id="1", status={"message": "Processing new data"})
    with pytest.raises(StreamTimeout, match="deaf had not stopped after"):
        stop_streams([deaf, SimpleNamespace(stop=stopped.set)])
    release.set()
    assert stopped.is_set()


class CutConnection:
    """Answers as py4j does just after an interrupt: some calls fail, because their connection was cut."""

    def __init__(self, failures: int, answer: Any) -> None:
        self.left, self.answer = failures, answer

    def __call__(self) -> Any:
        self.left -= 1
        if self.left >= 0:
            raise Py4JError("An error occurred while calling o42.active")
        return self.answer

    active = property(__call__)


def test_the_active_streams_are_asked_for_again_where_the_connection_was_cut() -> None:
    cut = SimpleNamespace(streams=CutConnection(2, ["a stream"]))
    assert active_streams(cut) == ["a stream"]


def test_a_spark_that_never_answers_is_an_error() -> None:
    with pytest.raises(Py4JError):
        active_streams(SimpleNamespace(streams=CutConnection(1000, [])))


class Line:
    """What the waits say that they wait for; asked once when a wait begins."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    @contextmanager
    def waiting_for(self, describe):
        yield
        self.texts.append(describe())


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    line = Line()
    monkeypatch.setattr(waiting, "wait_line", line.waiting_for)
    return line


def test_a_wait_names_its_stream_and_the_batch_that_runs(spark: SparkSession, stream: DataFrame, line: Line) -> None:
    query = start(stream, "clicks")
    wait_until_processed([query], timeout=120)
    assert line.texts == ["waiting for clicks, batch 1"]


def test_a_wait_for_rows_that_are_known_says_how_many_batches_there_are_about(
    spark: SparkSession, tmp_path: Path, land, line: Line
) -> None:
    for number in range(4):
        land(number, number)
    one_by_one = spark.readStream.schema("id INT").option("maxFilesPerTrigger", 1).json(tmp_path.as_uri())
    query = start(one_by_one, "clicks")
    wait_until_processed([query], timeout=120, rows_there=lambda _query: 22)
    assert line.texts == ["waiting for clicks, batch 4 of about 10"]


def query(*reports: dict[str, Any]) -> Any:
    last = reports[-1] if reports else None
    return SimpleNamespace(name="clicks", recentProgress=list(reports), lastProgress=last)


def at_batch(query: Any, rows_there: int | None = None) -> str:
    return BatchesLeft(query, lambda: rows_there).wait().removeprefix("waiting for ")


def report(number: int, rows: int = 2, **metrics: str) -> dict[str, Any]:
    return {
        "batchId": number,
        "durationMs": {"addBatch": 1},
        "numInputRows": rows,
        "sources": [{"metrics": metrics}],
    }


def test_a_stream_that_has_reported_nothing_may_have_resumed_at_any_batch() -> None:
    assert at_batch(query()) == "clicks, which has not finished a batch yet"


@pytest.mark.parametrize(("rows_there", "of"), [(10, " of about 4"), (9, " of about 4"), (4, ""), (3, ""), (0, "")])
def test_known_rows_say_about_how_many_batches_there_are(rows_there: int, of: str) -> None:
    assert at_batch(query(report(0), report(1)), rows_there) == f"clicks, batch 2{of}"


def test_a_stream_that_resumes_from_a_checkpoint_has_read_rows_that_nobody_counted() -> None:
    assert at_batch(query(report(7), report(8)), 100) == "clicks, batch 9"


@pytest.mark.parametrize("metric", ["numFilesOutstanding", "avgOffsetsBehindLatest"])
def test_what_a_source_counts_as_outstanding_says_about_how_many_batches_there_are(metric: str) -> None:
    reports = [report(number, **{metric: left}) for number, left in enumerate(("8", "6", "4"))]
    assert at_batch(query(*reports)) == "clicks, batch 3 of about 4"
