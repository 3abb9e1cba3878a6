"""Batches of messages are replayed while Kafka has them; the page of health tells Kafka's backlog."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from stream_view import late_rows, replay, stream_health
from stream_view.late_data.replayed_sources import CannotBeRead
from streaming_classroom.kafka import client
from streaming_classroom.kafka.topics import LessonKafka

pytestmark = pytest.mark.slow


@pytest.fixture
def messages(kafka: LessonKafka, spark: SparkSession) -> DataFrame:
    """Give a stream of 30 messages, ten a batch."""
    topic = kafka.create_topic("past", partitions=1)
    kafka.send("past", [{"value": str(number)} for number in range(30)])
    reader = spark.readStream.format("kafka").options(**kafka.options).option("subscribe", topic)
    return reader.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 10).load()


def offsets(rows: DataFrame) -> list[int]:
    return sorted(row.offset for row in rows.select("offset").collect())


def test_a_batch_is_replayed_until_kafka_has_removed_its_messages(
    messages: DataFrame, kafka: LessonKafka, tmp_path: Path
) -> None:
    checkpoint = (tmp_path / "checkpoint").as_uri()
    writer = messages.writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()

    batch = replay(checkpoint, 1, query)

    assert offsets(batch.input) == offsets(batch.output) == list(range(10, 20))
    before = [TopicPartition(kafka.topic("past"), 0, 15)]
    client.call_admin(kafka.client_options, lambda admin: client.results(admin.delete_records(before)))
    with pytest.raises(CannotBeRead, match="Kafka has removed messages of this batch"):
        _ = replay(checkpoint, 1, query).output
    assert offsets(replay(checkpoint, 2, query).output) == list(range(20, 30))


def test_the_backlog_is_that_of_the_offsets(messages: DataFrame, spark: SparkSession, monkeypatch) -> None:
    monkeypatch.setattr("streaming_base.listener._endings.failures", {})
    health = stream_health(spark)
    query = messages.writeStream.format("noop").queryName("messages").trigger(processingTime="1 hour").start()
    deadline = time.monotonic() + 60
    while not any(report["numInputRows"] for report in query.recentProgress):
        assert time.monotonic() < deadline and not query.awaitTermination(0.1)

    [row] = health.to_frame().to_dict("records")

    assert (row["stream"], row["backlog_rows"], row["backlog_is_estimate"]) == ("messages", 20, False)
    assert row["backlog_seconds"] == pytest.approx(20 / row["processed_per_second"])


def test_messages_that_came_late_are_read_again_between_their_offsets(
    kafka: LessonKafka, spark: SparkSession, tmp_path: Path
) -> None:
    topic = kafka.create_topic("late", partitions=1)
    kafka.send(
        "late", [{"value": f"2025-06-02 {m}:00"} for m in ("10:00", "10:50", "10:20", "10:01", "10:55", "10:02")]
    )
    messages = spark.readStream.format("kafka").options(**kafka.options).option("subscribe", topic)
    messages = messages.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 1).load()
    times = messages.withColumn("time", F.expr("CAST(CAST(value AS STRING) AS TIMESTAMP)"))
    writer = times.withWatermark("time", "10 minutes").dropDuplicates(["time"]).writeStream.format("noop")
    writer = writer.option("checkpointLocation", (tmp_path / "checkpoint").as_uri())
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()

    late = late_rows(query)

    found = late.select("batch", "row.offset", F.date_format("event_time", "HH:mm")).orderBy("batch")
    assert [tuple(row) for row in found.collect()] == [(3, 3, "10:01"), (5, 5, "10:02")]
    assert [(row.counted, row.dropped) for row in late.counts.collect()] == [(1, 1), (1, 1)]
