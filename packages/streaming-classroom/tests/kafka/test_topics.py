from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

from streaming_classroom.errors import NotAvailable
from streaming_classroom.kafka import broker, client, servers
from streaming_classroom.kafka.topics import LessonKafka, prefix
from streaming_classroom.lesson.lesson import Lesson, start_lesson

pytestmark = pytest.mark.slow


def topics() -> set[str]:
    """Return the topics of the shared broker."""
    return set(client.topics(servers.client_options()))


def test_topics_are_made_with_partitions_and_settings_and_deleted(kafka: LessonKafka) -> None:
    alerts = kafka.create_topic("alerts", partitions=3, config={"cleanup.policy": "compact"})
    assert kafka.create_topic("alerts") == alerts
    assert alerts in topics()
    assert kafka.partitions("alerts").to_dict("list") == {
        "partition": [0, 1, 2],
        "begin": [0, 0, 0],
        "end": [0, 0, 0],
        "messages": [0, 0, 0],
    }
    from confluent_kafka.admin import ConfigResource

    resource = ConfigResource(ConfigResource.Type.TOPIC, alerts)
    [config] = client.call_admin(
        kafka.client_options, lambda admin: client.results(admin.describe_configs([resource]))
    ).values()
    assert config["cleanup.policy"].value == "compact"
    kafka.delete_topic("alerts")
    kafka.delete_topic("alerts")
    assert alerts not in topics()
    with pytest.raises(NotAvailable, match=r"no topic learner_kafka-alerts\. Make it"):
        kafka.partitions("alerts")


def test_a_topic_can_be_made_again_as_soon_as_it_is_deleted(kafka: LessonKafka, spark: SparkSession, read) -> None:
    for number in range(3):
        kafka.send("again", [{"value": str(number)}])
        rows = read(kafka.servers, kafka.topic("again")).collect()
        assert [bytes(row.value) for row in rows] == [str(number).encode()]
        kafka.delete_topic("again")


def test_messages_are_sent_as_spark_would(kafka: LessonKafka, read, capsys) -> None:
    at = datetime(2025, 5, 5, 12, tzinfo=UTC)
    kafka.send(
        "mine",
        [
            {"key": "a", "value": {"ü": 1}, "headers": {"from": "me"}, "partition": 1, "timestamp": at},
            {"key": "a", "value": None, "partition": 1, "timestamp": 1_000},
            {"value": b"\x00", "partition": 0},
        ],
    )
    assert capsys.readouterr().out == f"Sent 3 messages to {kafka.topic('mine')}.\n"
    other, first, second = read(kafka.servers, kafka.topic("mine")).orderBy("partition", "offset").collect()
    assert (bytes(other.value), other.key, other.headers) == (b"\x00", None, None)
    assert (bytes(first.key), bytes(first.value).decode()) == (b"a", '{"ü": 1}')
    assert [(header.key, bytes(header.value)) for header in first.headers] == [("from", b"me")]
    assert (second.value, second.timestamp.timestamp()) == (None, 1)
    assert first.timestamp.replace(tzinfo=UTC) == at


def test_starting_over_and_cleaning_up_delete_the_lessons_topics_and_no_others(DA: Lesson) -> None:
    mine = DA.kafka.create_topic("alerts")
    foreign = f"{DA.schema_name}x-alerts"
    client.send(DA.kafka.client_options, foreign, [client.KafkaRecord(b"1")])
    assert {mine, foreign} <= topics()
    DA = start_lesson("Kafka", dataset="wikipedia/edits", into_topic="edits", resume=True)
    assert mine in topics()
    DA = start_lesson("Kafka", dataset="wikipedia/edits", into_topic="edits")
    assert mine not in topics()
    DA.kafka.create_topic("alerts")
    DA.cleanup()
    DA.cleanup()
    assert mine not in topics()
    assert foreign in topics()


def test_a_topic_that_spark_made_goes_as_well(DA: Lesson, spark: SparkSession, write) -> None:
    made = DA.kafka.topic("by-spark")
    write(spark.sql("SELECT '1' AS value"), DA.kafka.servers, made)
    assert made in topics()
    DA.cleanup()
    assert made not in topics()


def test_a_lesson_without_topics_asks_for_no_broker(spark: SparkSession, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked for a broker")

    monkeypatch.setattr(broker, "ensure_running", refuse)
    DA = start_lesson("Quiet", dataset="wikipedia/edits", into_topic="edits")
    DA.cleanup()


def test_on_somebody_elses_broker_two_homes_do_not_meet(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv(servers.VARIABLE, raising=False)
    assert prefix("learner_14") == "learner_14-"
    monkeypatch.setenv(servers.VARIABLE, "broker.example:9092")
    found = []
    for home in ("one", "one", "two"):
        monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / home))
        found.append(prefix("learner_14"))
    assert found[0] == found[1] != found[2]
    assert re.fullmatch(r"learner_14-[0-9a-f]{6}-", found[0])
