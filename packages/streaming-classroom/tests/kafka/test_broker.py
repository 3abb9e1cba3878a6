"""The broker of a home: what keeps it from starting is said, it ends with its starter, a crash keeps no other out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from streaming_classroom import workspace
from streaming_classroom.cli import main
from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories
from streaming_classroom.kafka import broker, client, servers
from streaming_classroom.kafka.client import KafkaRecord
from streaming_classroom.setup import java


@pytest.fixture
def messages_of_before(home: Path) -> Path:
    """Return the directory of a broker's messages in that home, which an earlier kernel has made; it is empty."""
    directory = directories.claim(home) / "kafka" / "messages"
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


@pytest.mark.parametrize("formatted", [False, True])
def test_a_java_that_fails_gives_its_last_words(messages_of_before: Path, broken_java, formatted: bool) -> None:
    broken_java("echo No such luck >&2; exit 1")
    if formatted:
        (messages_of_before / "meta.properties").touch()
    with pytest.raises(SetupError) as caught:
        servers.bootstrap_servers()
    assert caught.value.detail == "No such luck"


def process() -> psutil.Process:
    return psutil.Process(broker.status().pid)


def values(address: str, topic: str) -> list[bytes]:
    return [message.value() for message in client.read({"bootstrap.servers": address}, topic, {})]


def send(address: str, topic: str) -> None:
    client.send({"bootstrap.servers": address}, topic, [KafkaRecord(b"1")])


@pytest.mark.slow
def test_kernels_share_a_broker_that_ends_with_its_starter(home: Path, kernel) -> None:
    first = kernel()
    address = first.stdout.readline().strip()
    second = kernel()
    assert second.stdout.readline().strip() == address
    send(address, "kept")
    running = process()
    os.killpg(first.pid, signal.SIGINT)  # Jupyter's "interrupt"
    second.communicate(timeout=120)
    assert values(address, "kept") == [b"1"]
    first.communicate(timeout=120)
    running.wait(120)
    assert not broker.is_answering(address)
    assert values(servers.bootstrap_servers(), "kept") == [b"1"]


@pytest.mark.slow
def test_the_messages_and_the_port_outlive_a_broker_that_was_killed(home: Path) -> None:
    address = servers.bootstrap_servers()
    send(address, "survives")
    running = process()
    running.kill()  # as for want of memory
    running.wait(120)
    assert servers.bootstrap_servers() == address
    assert values(address, "survives") == [b"1"]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), (broker.MAIN_CLASS,)])  # any program, and the broker of another folder
def test_the_state_of_a_crash_with_the_number_of_another_process_keeps_nobody_out(
    home: Path, arguments: tuple[str, ...]
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()", *arguments], stdin=subprocess.PIPE) as innocent:
        here = broker.folder()
        here.mkdir(parents=True)
        state = {"address": "127.0.0.1:9", "pid": innocent.pid, "began": 0}
        (here / "broker.json").write_text(json.dumps(state))
        (home / ".made-by-streaming-classroom").touch()
        assert broker.is_answering(servers.bootstrap_servers())
        assert not broker.status().kept
        assert innocent.poll() is None
        innocent.communicate(b"\n")


@pytest.mark.slow
def test_a_forked_process_does_not_take_the_broker_of_its_parent_with_it(address: str) -> None:
    child = os.fork()
    if child == 0:
        broker.stop_own()
        os._exit(0)
    os.waitpid(child, 0)
    assert broker.is_answering(address)


@pytest.mark.slow
def test_start_keeps_it_until_stop(home: Path, capsys) -> None:
    for command in ("status", "start", "topics"):
        assert main(["kafka", command]) == 0
    address = servers.bootstrap_servers()
    send(address, "mine")
    assert main(["kafka", "topics"]) == 0
    broker.stop_own()
    assert main(["kafka", "status"]) == 0
    assert broker.is_answering(address)
    with pytest.raises(SetupError, match=r"python course\.py kafka stop"):
        workspace.remove(directories.home())
    assert main(["kafka", "stop"]) == main(["kafka", "stop"]) == 0
    assert not broker.is_answering(address)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "No broker is running; a lesson that needs one starts it.",
        f"Kafka's broker answers at {address}, until `python course.py kafka stop`.",
        "There are no topics.",
        "mine  2 partitions, 1 messages",
    ]
    assert lines[4].endswith("until `python course.py kafka stop`.")
    assert lines[5:] == [
        "Kafka's broker has stopped; its messages are kept.",
        "No broker of the classroom's own is running.",
    ]
    assert workspace.remove(directories.home()) == []
    assert not home.exists()
