"""One broker, many kernels: nothing is left behind, and nothing that was left keeps the next one out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from streaming_classroom.cli import main
from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories
from streaming_classroom.kafka import broker, client, servers, shared_broker
from streaming_classroom.kafka.client import KafkaRecord
from streaming_classroom.setup import reset

pytestmark = pytest.mark.slow


def processes() -> list[psutil.Process]:
    """Return the broker of this home and its supervisor."""
    found = psutil.Process(shared_broker.status().pid)
    return [found, found.parent()]


def values(address: str, topic: str) -> list[bytes]:
    return [message.value() for message in client.read({"bootstrap.servers": address}, topic, {})]


def send(address: str, topic: str) -> None:
    client.send({"bootstrap.servers": address}, topic, [KafkaRecord(b"1")])


def gone(those: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(those, timeout=120)[1]


def test_kernels_share_a_broker_that_ends_with_the_last_of_them(home: Path, kernel, after_checks) -> None:
    first, second = kernel(), kernel()
    address = first.stdout.readline().strip()
    assert second.stdout.readline().strip() == address
    assert shared_broker.status().users == tuple(sorted((first.pid, second.pid)))
    send(address, "kept")
    running = processes()
    os.killpg(second.pid, signal.SIGINT)  # Jupyter's "interrupt"
    first.kill()
    first.wait(120)
    after_checks(shared_broker.place())
    assert shared_broker.status().users == (second.pid,)
    assert values(address, "kept") == [b"1"]
    second.kill()
    assert gone(running)
    assert not broker.answers(address)
    assert values(servers.bootstrap_servers(), "kept") == [b"1"]


def test_leaving_waits_until_the_broker_is_gone_and_may_be_done_twice(home: Path) -> None:
    address = servers.bootstrap_servers()
    running = processes()
    shared_broker.leave()
    shared_broker.leave()
    assert not psutil.wait_procs(running, timeout=0.5)[1]
    assert shared_broker.status() is None
    assert servers.bootstrap_servers() == address  # on the port of before


def test_the_messages_and_the_port_outlive_brokers_that_were_killed(home: Path) -> None:
    address = servers.bootstrap_servers()
    send(address, "survives")
    jvm, supervisor = processes()
    jvm.kill()  # as for want of memory
    assert gone([supervisor])
    assert servers.bootstrap_servers() == address
    assert values(address, "survives") == [b"1"]
    jvm, supervisor = processes()
    supervisor.kill()  # the broker is an orphan now
    supervisor.wait(120)
    assert json.loads(shared_broker.place().state.read_text())["pid"] == jvm.pid
    assert servers.bootstrap_servers() == address
    assert gone([jvm])
    assert values(address, "survives") == [b"1"]


def test_the_state_of_a_crash_with_the_number_of_another_process_keeps_nobody_out(home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as innocent:
        here = shared_broker.place()
        here.users.mkdir(parents=True)
        (here.users / f"{innocent.pid}.lock").touch()
        here.state.write_text(json.dumps({"address": "127.0.0.1:9", "pid": innocent.pid, "began": 0}))
        here.kept.touch()
        here.stop.touch()
        (home / ".made-by-streaming-classroom").touch()
        assert broker.answers(servers.bootstrap_servers())
        assert shared_broker.status().users == (os.getpid(),)
        assert not shared_broker.status().kept
        assert innocent.poll() is None
        innocent.communicate(b"\n")


def test_a_forked_process_does_not_take_the_broker_of_its_parent_with_it(address: str, after_checks) -> None:
    child = os.fork()
    if child == 0:
        shared_broker.leave()
        os._exit(0)
    os.waitpid(child, 0)
    after_checks(shared_broker.place())
    assert broker.answers(address)


def test_start_keeps_it_until_stop(home: Path, capsys, after_checks) -> None:
    assert main(["kafka", "status"]) == 0
    assert main(["kafka", "start"]) == 0
    assert main(["kafka", "topics"]) == 0
    after_checks(shared_broker.place())
    address = servers.bootstrap_servers()
    send(address, "mine")
    assert main(["kafka", "topics"]) == 0
    shared_broker.leave()
    assert main(["kafka", "status"]) == 0
    assert broker.answers(address)
    with pytest.raises(SetupError, match=r"python course\.py kafka stop"):
        reset.remove(directories.home())
    assert main(["kafka", "stop"]) == main(["kafka", "stop"]) == 0
    assert not broker.answers(address)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "No broker is running; a lesson that needs one starts it."
    assert lines[1] == f"Kafka's broker answers at {address}, until `python course.py kafka stop`."
    assert lines[2] == "There are no topics."
    assert lines[3] == "mine  2 partitions, 1 messages"
    assert "used by nobody; it stays until" in lines[4]
    assert lines[5:] == [
        "Kafka's broker has stopped; its messages are kept.",
        "No broker of the classroom's own is running.",
    ]
    assert reset.remove(directories.home()) == []
    assert not home.exists()


def test_a_kernels_broker_can_be_stopped_and_comes_back_when_asked_for(home: Path) -> None:
    address = servers.bootstrap_servers()
    send(address, "kept")
    assert shared_broker.stop()
    assert shared_broker.status() is None
    assert values(servers.bootstrap_servers(), "kept") == [b"1"]
