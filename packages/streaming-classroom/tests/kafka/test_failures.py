"""What goes wrong with a broker in the middle of a lesson: a stream continues, or a sentence says what to do."""

from __future__ import annotations

import time
from pathlib import Path

import psutil
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from streaming_base.errors import short_message
from streaming_classroom.errors import BrokerUnreachable
from streaming_classroom.kafka import broker
from streaming_classroom.kafka.topics import LessonKafka

pytestmark = pytest.mark.slow


@pytest.fixture
def start(spark: SparkSession, kafka: LessonKafka, tmp_path: Path):
    """Start a stream from a topic into a Delta table, or start it again."""

    def start(topic: str = "edits", **options: str) -> StreamingQuery:
        reader = spark.readStream.format("kafka").options(**kafka.options).option("startingOffsets", "earliest")
        reader = reader.option("subscribe", kafka.create_topic(topic)).options(**options)
        values = reader.load().selectExpr("CAST(value AS STRING) AS value")
        writer = values.writeStream.option("checkpointLocation", (tmp_path / "checkpoint").as_uri())
        return writer.start((tmp_path / "table").as_uri())

    return start


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path):
    """Return what is in that table."""

    def values() -> list[str]:
        return sorted(row.value for row in spark.read.load((tmp_path / "table").as_uri()).collect())

    return values


def send(kafka: LessonKafka, *values: object, topic: str = "edits") -> None:
    kafka.send(topic, [{"value": str(value)} for value in values])


def kill_broker() -> None:
    """Kill the broker, and return when it has ended."""
    jvm = psutil.Process(broker.status().pid)
    jvm.kill()
    jvm.wait(120)


def test_a_stream_whose_broker_was_killed_goes_on_when_it_is_back_without_loss(
    kafka: LessonKafka, start, table
) -> None:
    query = start()
    send(kafka, 1, 2)
    query.processAllAvailable()
    kill_broker()
    time.sleep(1)  # in which the stream asks a broker that is not there
    assert query.isActive
    send(kafka, 3, 4)  # which starts it again
    query.processAllAvailable()
    assert table() == ["1", "2", "3", "4"]


def test_a_stream_that_failed_for_want_of_a_broker_says_so_and_is_started_again_without_loss(
    kafka: LessonKafka, start, table
) -> None:
    soon = {"kafka.default.api.timeout.ms": "2000", "kafka.request.timeout.ms": "1000", "fetchOffset.numRetries": "1"}
    query = start(**soon)
    send(kafka, 1, 2)
    query.processAllAvailable()
    kill_broker()
    with pytest.raises(StreamingQueryException) as failed:
        query.awaitTermination(45)
        raise AssertionError("it did not fail")
    said = short_message(failed.value)
    assert said.startswith("The Kafka broker has stopped answering. Start it"), str(failed.value)
    assert "\n" not in said
    send(kafka, 3)
    again = start()
    again.processAllAvailable()
    assert table() == ["1", "2", "3"]


@pytest.mark.parametrize("batch", [True, False])
def test_a_wrong_address_is_a_sentence_within_seconds(spark: SparkSession, capfd, batch: bool) -> None:
    with pytest.raises(BrokerUnreachable, match=r"No Kafka broker answers at localhost:9 \(.*refused"):
        (spark.read if batch else spark.readStream).format("kafka").option("kafka.bootstrap.servers", "localhost:9")
    with pytest.raises(BrokerUnreachable):
        spark.range(1).write.format("kafka").options(**{"kafka.bootstrap.servers": "localhost:9", "topic": "t"})
    assert capfd.readouterr().err == ""


def test_older_notebooks_reach_the_broker_where_it_is_now(
    spark: SparkSession, kafka: LessonKafka, read, write, monkeypatch
) -> None:
    monkeypatch.setenv("KAFKA_REDIRECT", f"gone.example:9092={kafka.servers}, older:9092={kafka.servers}")
    write(spark.sql("SELECT 'moved' AS value"), "gone.example:9092", kafka.topic("moved"))
    assert [bytes(row.value) for row in read("older:9092", kafka.topic("moved")).collect()] == [b"moved"]
