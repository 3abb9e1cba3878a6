from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming_classroom.data import datasets
from streaming_classroom.data.data_factory import DataFactory
from streaming_classroom.kafka import client
from streaming_classroom.kafka.topics import LessonKafka, Topic
from streaming_classroom.lesson.lesson import Lesson

pytestmark = pytest.mark.slow


def lines_of(batch: int) -> list[dict]:
    """Return what a batch of the dataset is made of."""
    [file] = datasets.batches("wikipedia/edits")[batch].files.values()
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def messages(kafka: LessonKafka) -> list:
    """Return all messages of the lesson's topic."""
    return list(client.read(kafka.client_options, kafka.topic("edits"), {}))


@pytest.fixture
def start(kafka: LessonKafka, tmp_path: Path) -> Callable[[], DataFactory]:
    """Give a data factory as a kernel has it; the next one continues where it was."""
    target = Topic(kafka, "edits", tmp_path / "note")
    return lambda: DataFactory(datasets.batches("wikipedia/edits"), target, tmp_path / "position", None)


def place(message) -> tuple[str, str]:
    """Return what the feed says where a message comes from."""
    headers = dict(message.headers())
    return headers["batch"].decode(), headers["line"].decode()


@pytest.fixture
def killed_after(monkeypatch: pytest.MonkeyPatch):
    """Have the sender end in the middle of a batch, as if its kernel was killed."""
    real = client.send

    def install(count: int) -> None:
        def send(options: dict, topic: str, records: Iterable[client.KafkaRecord]) -> int:
            monkeypatch.setattr(client, "send", real)
            real(options, topic, islice(records, count))
            raise KeyboardInterrupt

        monkeypatch.setattr(client, "send", send)

    return install


def test_a_batch_lands_as_messages_with_key_value_headers_and_time(start, kafka: LessonKafka) -> None:
    factory = start()
    factory.land()
    assert factory.report() == "Landed part-00.json in the topic learner_kafka-edits: 1,020 rows; 9 batches left."
    sent = lines_of(0)
    found = sorted(messages(kafka), key=lambda message: int(place(message)[1]))
    assert [message.timestamp()[1] for message in found] == [line["timestamp"] for line in sent]
    assert [message.key().decode() for message in found] == [line["key"] for line in sent]
    values = [message.value() and message.value().decode() for message in found]
    assert values == [line["value"] for line in sent]
    assert dict(found[3].headers()) == {
        "schema": b"recentchange/1.0.0",
        "collector": sent[3]["headers"]["collector"].encode(),
        "batch": b"0",
        "line": b"3",
    }


def test_spark_puts_a_key_where_the_feed_does(spark: SparkSession, DA: Lesson, write) -> None:
    DA.data_factory.load()
    topic = DA.kafka.topic("edits")
    by_feed = {message.key(): message.partition() for message in messages(DA.kafka)}
    keys = [(key.decode(), "from Spark") for key in by_feed]
    write(spark.createDataFrame(keys, "key STRING, value STRING"), DA.kafka.servers, topic)
    by_spark = {
        message.key(): message.partition() for message in messages(DA.kafka) if message.value() == b"from Spark"
    }
    assert by_spark == by_feed


@pytest.mark.parametrize("count", [0, 400])
def test_a_sender_killed_in_mid_batch_leaves_no_hole_and_no_double(
    start, kafka: LessonKafka, killed_after, count: int
) -> None:
    start().land()
    killed_after(count)
    with pytest.raises(KeyboardInterrupt):
        start().land()
    assert len(messages(kafka)) == len(lines_of(0)) + count
    start().land()
    places = [place(message) for message in messages(kafka)]
    assert Counter(batch for batch, _ in places) == {"0": len(lines_of(0)), "1": len(lines_of(1))}
    assert len(set(places)) == len(places)


def test_a_kill_after_the_batch_and_before_its_position_is_no_double(start, kafka: LessonKafka, monkeypatch) -> None:
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(
            "streaming_classroom.data.data_factory.write_atomically",
            lambda *_: (_ for _ in ()).throw(KeyboardInterrupt),
        )
        start().land()
    assert start().landed == 0
    start().land()
    assert len(messages(kafka)) == len(lines_of(0))


def test_a_stream_has_read_the_batch_when_load_returns(spark: SparkSession, DA: Lesson, tmp_path: Path) -> None:
    reader = spark.readStream.format("kafka").options(**DA.kafka.options).option("startingOffsets", "earliest")
    edits = reader.option("subscribe", DA.kafka.create_topic("edits")).load()
    query = (
        edits.writeStream.format("memory").queryName("landed").option("checkpointLocation", tmp_path.as_uri()).start()
    )
    DA.data_factory.load()
    assert spark.table("landed").count() == len(lines_of(0))
    assert DA.kafka.lag(query)["behind"].tolist() == [0, 0]
    query.stop()
    DA.data_factory.load()
    lag = DA.kafka.lag(query)
    assert lag["behind"].sum() == len(lines_of(1))
    assert lag["partition"].tolist() == [0, 1]
    assert (lag["end"] - lag["read"] == lag["behind"]).all()
