from __future__ import annotations

import socket
import threading

import pytest

from streaming_base import front_end
from streaming_classroom.errors import BrokerUnreachable, NotAvailable, SetupError
from streaming_classroom.kafka import servers

pytestmark = pytest.mark.slow


def test_the_variable_wins_and_nothing_is_started(home, monkeypatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        address = f"127.0.0.1:{somebody.getsockname()[1]}"
        monkeypatch.setenv(servers.VARIABLE, address)
        assert servers.bootstrap_servers() == address
    assert not home.exists()


def test_the_variable_of_a_broker_that_is_not_there_is_answered_by_a_sentence(home, monkeypatch) -> None:
    monkeypatch.setenv(servers.VARIABLE, "127.0.0.1:9")
    with pytest.raises(BrokerUnreachable, match=r"No Kafka broker answers at 127\.0\.0\.1:9 \(.*refused"):
        servers.bootstrap_servers()
    assert not home.exists()


def test_where_spark_runs_elsewhere_no_broker_is_started_here(home, monkeypatch) -> None:
    monkeypatch.setenv("SPARK_MASTER", "spark://cluster.example:7077")
    with pytest.raises(NotAvailable, match=r"could not reach a broker here\. Set KAFKA_BOOTSTRAP_SERVERS"):
        servers.bootstrap_servers()


def test_without_a_network_a_sentence_says_what_to_do(home, monkeypatch) -> None:
    monkeypatch.setenv("CLASSROOM_CACHE", str(home.parent / "cache"))
    monkeypatch.setenv("CLASSROOM_MAVEN_REPOSITORY", "http://127.0.0.1:9/")
    with pytest.raises(SetupError, match=r"Connect to the internet .* Or set KAFKA_BOOTSTRAP_SERVERS"):
        servers.bootstrap_servers()


@pytest.mark.parametrize("reason", ["nobody reads", "not fetched", "a broker of one's own", "elsewhere"])
def test_no_broker_is_begun_where_nobody_would_gain_by_it(home, monkeypatch, reason: str) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: reason != "nobody reads")
    if reason == "not fetched":
        monkeypatch.setenv("CLASSROOM_CACHE", str(home.parent / "cache"))
    if reason == "a broker of one's own":
        monkeypatch.setenv(servers.VARIABLE, "127.0.0.1:9")
    if reason == "elsewhere":
        monkeypatch.setenv("SPARK_MASTER", "spark://cluster.example:7077")
    servers.start_early()
    assert servers.EARLY not in [thread.name for thread in threading.enumerate()]
