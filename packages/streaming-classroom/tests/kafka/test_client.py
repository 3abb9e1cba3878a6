"""What the client does about a broker that is not ready; what it says of one that is gone: `test_failures`."""

import pytest

confluent_kafka = pytest.importorskip("confluent_kafka")

from streaming_classroom.kafka import client  # noqa: E402

OPTIONS = {"bootstrap.servers": "127.0.0.1:1"}  # questions here ask nobody


class Question:
    """Fails with these codes, one a time, and then has an answer."""

    def __init__(self, *codes: int) -> None:
        self.codes = list(codes)

    def __call__(self, _admin: object) -> str:
        if self.codes:
            raise confluent_kafka.KafkaException(confluent_kafka.KafkaError(self.codes.pop(0)))
        return "answer"


def test_a_partition_that_has_no_leader_yet_is_asked_about_again() -> None:
    error = confluent_kafka.KafkaError
    assert client.call_admin(OPTIONS, Question(error.NOT_LEADER_FOR_PARTITION, error.LEADER_NOT_AVAILABLE)) == "answer"


def test_one_that_never_gets_a_leader_is_an_error_when_time_is_up(monkeypatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT", 0.3)
    question = Question(*[confluent_kafka.KafkaError.NOT_LEADER_FOR_PARTITION] * 1000)
    with pytest.raises(confluent_kafka.KafkaException, match="NOT_LEADER"):
        client.call_admin(OPTIONS, question)
    assert len(question.codes) < 999


def test_another_error_is_not_asked_about_again() -> None:
    question = Question(confluent_kafka.KafkaError.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(confluent_kafka.KafkaException, match="TOPIC_AUTHORIZATION"):
        client.call_admin(OPTIONS, question)
    assert not question.codes
