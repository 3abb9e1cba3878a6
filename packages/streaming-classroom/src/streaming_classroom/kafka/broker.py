"""A local Kafka broker: a JVM of its own, whose messages outlive it in a directory.

A single node that is broker and controller (KRaft), on free ports of 127.0.0.1, for lessons: small, and a topic
comes into being when it is first used.  It is a process of its own because its Kafka client is newer than
Spark's.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import socket
import struct
import subprocess
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import psutil

from streaming_classroom.errors import BrokerStartError
from streaming_classroom.setup import jars
from streaming_classroom.setup.java import Java

START_TIMEOUT = 90.0  # seconds; it takes two on an idle machine
STOP_TIMEOUT = 15.0  # seconds; it takes half a second
MAIN_CLASS = "kafka.Kafka"
POLL_INTERVAL = 0.05  # seconds
TAIL = 15  # lines
PORT_TRIES = 5  # a free port may be another program's before the broker has bound it
PROPERTIES = "server.properties"
_PORT_TAKEN = "Address already in use"

# A lesson's broker has little to do and shares two cores with Spark: it should start quickly and stay small.
_JVM: tuple[str, ...] = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=WARN")
_JVM += ("-XX:+ExitOnOutOfMemoryError",)  # one that has no memory left answers nobody, and would continue to

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
    """A broker that was started: its address and its process."""

    address: str
    process: subprocess.Popen[bytes]

    @property
    def port(self) -> int:
        """The port on which it answers."""
        return int(self.address.rpartition(":")[2])

    def is_alive(self) -> bool:
        """Whether its process runs."""
        return self.process.poll() is None

    def end(self) -> None:
        """End the process, and return when it has ended."""
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start(java: Java, folder: Path, log: Path) -> Broker:
    """Start a broker, and return when it answers; on the port of the previous one if that is free, so streams continue.

    ``folder`` has its messages, and the caller holds the lock; ``log`` is overwritten.  Raises BrokerStartError with
    the end of the log if the broker ends or does not answer in time.
    """
    deadline = time.monotonic() + START_TIMEOUT
    folder.mkdir(parents=True, exist_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    ports = _previous_ports(folder) or _free_ports(2)
    for _try in range(PORT_TRIES):
        broker = _start_on(ports[0], ports[1], java, folder, log, deadline)
        if broker is not None:
            return broker
        ports = _free_ports(2)
    raise _failure(log)


def _start_on(port: int, controller: int, java: Java, folder: Path, log: Path, deadline: float) -> Broker | None:
    """Start a broker on these ports; return None where another program has taken one of them in the meantime."""
    properties = _PROPERTIES.format(port=port, controller=controller)
    (folder / PROPERTIES).write_text(properties, encoding="utf-8")
    with log.open("wb") as output:
        if not format_messages(java, folder, output):
            raise _failure(log)
        address = f"127.0.0.1:{port}"
        broker = Broker(address, _launch(java, folder, output))
    try:
        _wait_until_it_answers(broker, deadline, log)
    except BrokerStartError as error:
        if _PORT_TAKEN in error.tail or _PORT_TAKEN in log.read_text(encoding="utf-8", errors="replace"):
            return None
        raise
    return broker


def format_messages(java: Java, directory: Path, output: BinaryIO) -> bool:
    """Create the directory of the messages if it is missing or incomplete; return whether it exists.

    The tool writes ``meta.properties`` last, so a directory without it is incomplete.
    """
    note = directory / "messages" / "meta.properties"
    if note.exists():
        return True
    shutil.rmtree(note.parent, ignore_errors=True)
    command = command_line(java, "kafka.tools.StorageTool", "format", "-t", _cluster_id(), "-c", PROPERTIES)
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


def _launch(java: Java, folder: Path, output: BinaryIO) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command_line(java, MAIN_CLASS, PROPERTIES),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        # A notebook's "interrupt" goes to the kernel's whole process group, and must not end the broker.
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def command_line(java: Java, main_class: str, *arguments: str) -> list[str]:
    """Return how one of Kafka's programs is run."""
    class_path = os.pathsep.join(map(str, jars.paths(jars.KAFKA_BROKER)))
    return [str(java.executable), *_JVM, "-cp", class_path, main_class, *arguments]


def _wait_until_it_answers(broker: Broker, deadline: float, log: Path) -> None:
    try:
        while not (is_answering(broker.address) and _listens(broker)):
            if not broker.is_alive() or time.monotonic() > deadline:
                raise _failure(log)
            time.sleep(POLL_INTERVAL)
    except BaseException:  # also where the learner interrupts: nobody would know of it any more
        broker.end()
        raise


def is_answering(address: str) -> bool:
    """Whether a broker answers at an address; the port is open a second before the broker serves requests.

    The request is the simplest one of Kafka's protocol, ApiVersions (18, version 0).
    """
    question = struct.pack(">hhih", 18, 0, 1, -1)
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), 1) as connection:
            connection.sendall(struct.pack(">i", len(question)) + question)
            return connection.recv(8)[4:] == struct.pack(">i", 1)
    except OSError:
        return False


def _listens(broker: Broker) -> bool:
    """Whether the broker, and not another program, answers on its port."""
    try:
        sockets = psutil.Process(broker.process.pid).net_connections("tcp")
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # a system that lets nobody look
        return broker.is_alive()
    return any(socket.laddr.port == broker.port and socket.status == psutil.CONN_LISTEN for socket in sockets)


def _failure(log: Path) -> BrokerStartError:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return BrokerStartError(str(log), "\n".join(lines[-TAIL:]))


def _previous_ports(folder: Path) -> list[int] | None:
    """Return the ports of the last broker with the same messages, if they are free."""
    try:
        text = (folder / PROPERTIES).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    ports = [int(port) for port in re.findall(r"://127\.0\.0\.1:(\d+)", text)]
    return ports if len(ports) == 2 and all(map(_is_free, ports)) else None


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":  # connections that are still closing keep nobody from listening, as in Java
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _free_ports(count: int) -> list[int]:
    """Return different free ports: each stays bound until the last one is found."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
