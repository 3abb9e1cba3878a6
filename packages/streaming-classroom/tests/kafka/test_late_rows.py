from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stream_view import late_rows
from streaming_classroom.kafka.topics import LessonKafka

pytestmark = pytest.mark.slow


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
