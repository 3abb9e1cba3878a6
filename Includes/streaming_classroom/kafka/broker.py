"""One local Kafka broker: a JVM of its own, with its messages in a directory that outlives it.

A single node that is broker and controller (KRaft), on free ports of 127.0.0.1, for lessons: small, and a topic
comes into being when it is first used.  It is a process of its own because its Kafka client is newer than
Spark's.
"""

from __future__ import annotations

import base64
import os
import shutil
import socket
import struct
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import psutil

from streaming_classroom.errors import BrokerStartError
from streaming_classroom.kafka import supervisor
from streaming_classroom.setup import jars
from streaming_classroom.setup.java import Java

START_TIMEOUT = 90.0  # seconds; it takes two on an idle machine
STOP_TIMEOUT = supervisor.GRACE + 5
LOOK_EVERY = 0.05  # seconds between two looks at whether it answers
TAIL = 15  # lines
PORT_TRIES = 5  # a free port may be another program's before the broker has bound it
_PORT_TAKEN = "Address already in use"

# A lesson's broker has little to do and shares two cores with Spark: it should start quickly and stay small.
_JVM = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=WARN")

# `messages` is relative to the working directory: Java reads this file as Latin-1, which not every path is.
_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=messages
# With two partitions a lesson sees that order holds within one only.
auto.create.topics.enable=true
num.partitions=2
# One node cannot keep the usual three copies.
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
# A broker that was killed is let in again when its old session has run out; the default is 9 s.
broker.session.timeout.ms=4000
broker.heartbeat.interval.ms=1000
# A lesson that is taken up after weeks finds its messages.
log.retention.ms=-1
"""


@dataclass(frozen=True)
class Broker:
    """A broker that was started: where it answers, and the process that ends it when this one ends."""

    address: str
    supervised: subprocess.Popen[bytes]

    def is_alive(self) -> bool:
        """Return whether it has not ended."""
        return self.supervised.poll() is None

    def stop(self) -> None:
        """End it and return when it is gone; safe to call twice."""
        if self.is_alive():
            self.supervised.communicate(timeout=STOP_TIMEOUT)  # closes the pipe, which is what ends it


def start(java: Java, directory: Path, log: Path) -> Broker:
    """Start a broker and return when it answers.

    Parameters
    ----------
    java : Java
        What runs it.
    directory : Path
        Where its messages are; made if it is not there.  No other broker may use it meanwhile.
    log : Path
        What it prints goes there, in place of what an earlier one printed.

    Raises
    ------
    BrokerStartError
        It ended, or did not answer in time; the message has its last words.
    """
    deadline = time.monotonic() + START_TIMEOUT
    directory.mkdir(parents=True, exist_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    for _try in range(PORT_TRIES):
        broker = _start_on(*_free_ports(2), java, directory, log, deadline)
        if broker is not None:
            return broker
    raise _failure(log)


def _start_on(port: int, controller: int, java: Java, directory: Path, log: Path, deadline: float) -> Broker | None:
    """Start a broker on these ports; return None where another program has taken one of them in the meantime."""
    properties = _PROPERTIES.format(port=port, controller=controller)
    (directory / "server.properties").write_text(properties, encoding="utf-8")
    with log.open("wb") as output:
        if not _format(java, directory, output):
            raise _failure(log)
        broker = Broker(f"127.0.0.1:{port}", _launch(java, directory, output))
    try:
        _wait_until_it_answers(broker, port, deadline, log)
    except BrokerStartError as error:
        if _PORT_TAKEN in error.tail or _PORT_TAKEN in log.read_text(encoding="utf-8", errors="replace"):
            return None
        raise
    return broker


def _format(java: Java, directory: Path, output: BinaryIO) -> bool:
    """Make the directory of the messages where there is none; return whether it is there.

    The tool writes ``meta.properties`` last, so a directory without it is one that was left half-made.
    """
    note = directory / "messages" / "meta.properties"
    if note.exists():
        return True
    shutil.rmtree(note.parent, ignore_errors=True)
    command = _command(java, "kafka.tools.StorageTool", "format", "-t", _cluster_id(), "-c", "server.properties")
    try:
        subprocess.run(command, cwd=directory, stdout=output, stderr=output, timeout=START_TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        output.write(str(error).encode())
    return note.exists()


def _cluster_id() -> str:
    """Return a new id in Kafka's form; as Kafka's own never do, it does not begin like an option of a command."""
    while (name := base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass
    return name


def _launch(java: Java, directory: Path, output: BinaryIO) -> subprocess.Popen[bytes]:
    """Start the broker under its supervisor."""
    broker = _command(java, "kafka.Kafka", "server.properties")
    command = [sys.executable, "-I", supervisor.__file__, "supervisor.lock", *broker]
    return subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        # A notebook's "interrupt" goes to the kernel's whole process group, and must not end the broker.
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def _command(java: Java, main_class: str, *arguments: str) -> list[str]:
    class_path = os.pathsep.join(map(str, jars.paths(jars.KAFKA_BROKER)))
    return [str(java.executable), *_JVM, "-cp", class_path, main_class, *arguments]


def _wait_until_it_answers(broker: Broker, port: int, deadline: float, log: Path) -> None:
    try:
        while not (_answers(port) and _listens(broker, port)):
            if not broker.is_alive() or time.monotonic() > deadline:
                raise _failure(log)
            time.sleep(LOOK_EVERY)
    except BaseException:  # also where the learner interrupts: nobody would know of it any more
        broker.stop()
        raise


def _answers(port: int) -> bool:
    """Return whether a broker answers on a port; it opens the port a second before it serves anybody.

    The question is the simplest one of Kafka's protocol: which versions of it do you speak (request 18, version
    0, a number to be repeated, no client name)?
    """
    question = struct.pack(">hhih", 18, 0, 1, -1)
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.sendall(struct.pack(">i", len(question)) + question)
            return connection.recv(8)[4:] == struct.pack(">i", 1)
    except OSError:
        return False


def _listens(broker: Broker, port: int) -> bool:
    """Return whether what answers on a port is this broker, and not another program's."""
    try:
        processes = psutil.Process(broker.supervised.pid).children(recursive=True)
        sockets = [socket for process in processes for socket in process.net_connections("tcp")]
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # a system that lets nobody look
        return broker.is_alive()
    return any(socket.laddr.port == port and socket.status == psutil.CONN_LISTEN for socket in sockets)


def _failure(log: Path) -> BrokerStartError:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return BrokerStartError(str(log), "\n".join(lines[-TAIL:]))


def _free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on, all different: each stays taken until the last one is found."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
