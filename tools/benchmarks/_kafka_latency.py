"""How long an event is under way from a topic through a stream to another topic, in micro-batches and in real time.

It begins with the event's own timestamp, and ends when the broker writes the result down, which stamps it.
"""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_classroom.kafka import client
from streaming_classroom.kafka.topics import LessonKafka

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

EVENTS = 20  # in each run
WARM = 3  # events before, which are not counted
BETWEEN = (0.1, 0.4)  # seconds between two events, drawn, so that they meet a batch at any time
PATIENCE = 60.0  # seconds until a result is there
TRIGGERS = {"micro_batch": {"processingTime": "0 seconds"}, "real_time": {"realTime": "1 minute"}}


def under_way(spark: SparkSession, kafka: LessonKafka, scratch: Path, trigger: str, number: int) -> list[float]:
    """Return the milliseconds of each event of one run, whose topics have one partition and are new."""
    name = f"{trigger}-{number}"
    events = kafka.create_topic(f"events-{name}", partitions=1)
    config = {"message.timestamp.type": "LogAppendTime"}  # when the broker has it, not when the sender thinks of it
    results = kafka.create_topic(f"results-{name}", partitions=1, config=config)
    query = _relay(spark, kafka, events, results, scratch / name, trigger)
    try:
        _send(kafka, events, results, query, random.Random(number))
    finally:
        query.stop()
    arrived = {message.value(): message.timestamp()[1] for message in client.read(kafka.client_options, results, {})}
    sent = {message.value(): message.timestamp()[1] for message in client.read(kafka.client_options, events, {})}
    return [arrived[event] - at for event, at in sent.items() if int(event) >= WARM]


def _relay(
    spark: SparkSession, kafka: LessonKafka, events: str, results: str, checkpoint: Path, trigger: str
) -> StreamingQuery:
    source = spark.readStream.format("kafka").options(**kafka.options)
    source = source.option("assign", json.dumps({events: [0]})).option("startingOffsets", "earliest").load()
    sink = source.select("value").writeStream.format("kafka").options(**kafka.options).option("topic", results)
    sink = sink.option("checkpointLocation", checkpoint.as_uri()).outputMode("update")
    return sink.trigger(**TRIGGERS[trigger]).start()


def _send(kafka: LessonKafka, events: str, results: str, query: StreamingQuery, draw: random.Random) -> None:
    """Send all events, and return when all results are there."""
    from confluent_kafka import Producer

    producer = Producer({**kafka.client_options, "linger.ms": 0})
    for event in range(WARM + EVENTS):
        producer.produce(events, str(event), timestamp=int(time.time() * 1000))
        if producer.flush(client.TIMEOUT):
            raise TimeoutError(f"the broker has not taken event {event}")
        if event < WARM:
            _await(kafka, results, event + 1, query)
        time.sleep(draw.uniform(*BETWEEN))
    _await(kafka, results, WARM + EVENTS, query)


def _await(kafka: LessonKafka, results: str, count: int, query: StreamingQuery) -> None:
    """Return when there are so many results; a query that has failed raises its own error."""
    deadline = time.monotonic() + PATIENCE
    while client.offsets(kafka.client_options, results)[0][1] < count:
        if query.awaitTermination(0.05) or time.monotonic() > deadline:
            raise TimeoutError(f"{results} has no {count} results")
