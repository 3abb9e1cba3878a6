from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from streaming_classroom.errors import SetupError
from streaming_classroom.files import ownership
from streaming_classroom.kafka import broker, servers
from streaming_classroom.setup import java


@pytest.fixture
def messages_of_before(home: Path) -> Path:
    """Return the directory of a broker's messages in that home, which an earlier kernel has made; it is empty."""
    directory = ownership.claim(home) / "kafka" / "messages"
    directory.mkdir(parents=True)
    return directory


@pytest.fixture
def broken_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a Java in place of the machine's that does what a line of shell says."""

    def put(line: str) -> None:
        program = tmp_path / "jdk" / "bin" / java.EXECUTABLE
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        program.chmod(0o755)
        (program.parents[1] / "release").write_text('JAVA_VERSION="17"', encoding="utf-8")
        monkeypatch.setenv("JAVA_HOME", str(program.parents[1]))

    return put


@pytest.mark.parametrize("harm", ["node.id=2", "node.id=one\nversion=1"])
def test_a_broker_that_cannot_start_gives_its_last_words(home: Path, messages_of_before: Path, harm: str) -> None:
    (messages_of_before / "meta.properties").write_text(harm, encoding="utf-8")
    with pytest.raises(SetupError, match=r"did not start.*\n\n(.|\n)*(Exception|ERROR)") as caught:
        servers.bootstrap_servers()
    assert str(home / "logs" / "kafka.log") in caught.value.problem
    assert broker.status() is None


@pytest.mark.parametrize("formatted", [False, True])
def test_a_java_that_fails_gives_its_last_words(messages_of_before: Path, broken_java, formatted: bool) -> None:
    broken_java("echo No such luck >&2; exit 1")
    if formatted:
        (messages_of_before / "meta.properties").touch()
    with pytest.raises(SetupError) as caught:
        servers.bootstrap_servers()
    assert caught.value.detail == "No such luck"


def test_a_machine_without_the_memory_is_told_so(home: Path, monkeypatch) -> None:
    monkeypatch.setattr(broker, "_JVM", ("-Xms900g", "-Xmx900g", "-XX:+AlwaysPreTouch"))
    with pytest.raises(SetupError, match=r"(?i)memory"):
        servers.bootstrap_servers()
    assert broker.status() is None


def test_a_broker_that_never_answers_is_ended(home: Path, broken_java, monkeypatch) -> None:
    broken_java(
        "mkdir -p messages; touch messages/meta.properties; echo $$ >> pids; "
        "case $* in *format*) ;; *) exec sleep 50;; esac"
    )
    monkeypatch.setattr(broker, "START_TIMEOUT", 1.0)
    with pytest.raises(SetupError):
        servers.bootstrap_servers()
    pids = (home / "kafka" / "pids").read_text().split()
    assert len(pids) == 2
    assert not any(psutil.pid_exists(int(pid)) for pid in pids)


def test_an_unfinished_directory_is_made_anew(messages_of_before: Path, broken_java) -> None:
    broken_java("mkdir messages && touch messages/meta.properties; exit 1")
    half_made = messages_of_before / "bootstrap.checkpoint"
    half_made.write_bytes(b"half")
    with pytest.raises(SetupError):
        servers.bootstrap_servers()
    assert (half_made.parent / "meta.properties").exists()
    assert not half_made.exists()


@pytest.mark.slow
def test_a_port_that_another_program_takes_is_not_mistaken_for_the_brokers(home: Path, monkeypatch) -> None:
    free_ports, asked = broker._free_ports, []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        def ports(count: int) -> list[int]:
            asked.append(count)
            return [port, *free_ports(count - 1)] if len(asked) == 1 else free_ports(count)

        monkeypatch.setattr(broker, "_free_ports", ports)
        address = servers.bootstrap_servers()
    assert len(asked) == 2 and address != f"127.0.0.1:{port}"


@pytest.mark.slow
def test_the_port_of_before_is_left_where_another_program_has_it_now(home: Path) -> None:
    address = servers.bootstrap_servers()
    broker.stop_own()
    with socket.create_server(("127.0.0.1", int(address.rpartition(":")[2]))):
        assert servers.bootstrap_servers() != address
