"""The home's Kafka broker: a JVM of its own, whose messages outlive it in the home's folder ``kafka``.

A single node that is broker and controller (KRaft), on free ports of 127.0.0.1, for lessons: small, and a topic
comes into being when it is first used.  It is a process of its own because its Kafka client is newer than
Spark's.

``broker.json`` has its address and process.  The process that starts a broker stops it at its end; one that
``course.py kafka start`` has started, or whose starter was killed, runs until ``course.py kafka stop``.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import psutil
from filelock import FileLock, Timeout

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories
from streaming_classroom.setup import jars
from streaming_classroom.setup.java import Java

START_TIMEOUT = 90.0  # seconds; it takes two on an idle machine
STOP_TIMEOUT = 15.0  # seconds; it takes half a second
MAIN_CLASS = "kafka.Kafka"
POLL_INTERVAL = 0.05  # seconds
TAIL = 15  # lines
PROPERTIES = "server.properties"
CLUSTER_ID = "classroom-of-streaming"  # any 16 bytes in Base64

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


_started: set[Path] = set()  # the folders in which this process has started a broker that is to end with it


@dataclass(frozen=True)
class Status:
    """A running broker: its address, its process, and whether it runs until ``course.py kafka stop``."""

    address: str
    pid: int
    kept: bool


def folder() -> Path:
    """Return the folder of this home's broker."""
    return directories.home() / "kafka"


def ensure_running(find_java: Callable[[], Java], keep: bool = False) -> str:
    """Return the address of the home's broker, started if none answers; with ``keep``, it outlives its starter.

    ``find_java`` returns the Java that runs it, after downloading the broker's jars.  Raises SetupError with the end
    of the log if the broker ends or does not answer in time.
    """
    here = folder()
    if not keep and (address := _answering_address(here)):
        return address
    directories.claim(here.parent)
    here.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(here / "start.lock", timeout=START_TIMEOUT + STOP_TIMEOUT):
            if _answering_address(here) is None:
                _stop(here)  # a process that does not answer
                _start(here, find_java())
            if keep:
                _write_state(here, {**_read_state(here), "starter": None})
            return _read_state(here)["address"]
    except Timeout:
        raise SetupError(
            "Another kernel is starting Kafka's broker.", f"Look at {_log(here)}, then try again."
        ) from None


def status() -> Status | None:
    """Return the running broker, or None."""
    state, process = _read_state(folder()), _process(folder())
    return process and Status(state["address"], process.pid, state["starter"] is None)


def stop() -> bool:
    """Stop the broker, and return whether one was running; its messages are kept."""
    return _stop(folder())


def stop_own() -> None:
    """Stop the broker that this process has started, unless it is to be kept; return after its end."""
    for here in list(_started):
        if _read_state(here).get("starter") == os.getpid():  # not the process that this one was forked from
            _started.discard(here)
            _stop(here)


atexit.register(stop_own)


def _log(here: Path) -> Path:
    return here.parent / "logs" / "kafka.log"


def _read_state(here: Path) -> dict[str, Any]:
    try:
        return json.loads((here / "broker.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


def _write_state(here: Path, state: dict[str, Any]) -> None:
    directories.write_atomically(here / "broker.json", json.dumps(state))


def _process(here: Path) -> psutil.Process | None:
    """Return the broker's process, unless its id belongs to another program, or another folder's broker, by now."""
    with suppress(psutil.Error, KeyError):
        process = psutil.Process(_read_state(here)["pid"])
        is_ours = MAIN_CLASS in process.cmdline() and Path(process.cwd()) == here.resolve()
        if is_ours and process.status() != psutil.STATUS_ZOMBIE:
            return process
    return None


def _answering_address(here: Path) -> str | None:
    address = _read_state(here).get("address") if _process(here) else None
    return address if address and is_answering(address) else None


def _stop(here: Path) -> bool:
    process = _process(here)
    (here / "broker.json").unlink(missing_ok=True)
    if process is not None:
        _end(process)
    return process is not None


def _end(process: psutil.Process) -> None:
    """End a process, and return when it has ended."""
    with suppress(psutil.NoSuchProcess):
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(STOP_TIMEOUT)


def _start(here: Path, java: Java) -> None:
    """Start a broker, and return when it answers; on the previous port if that is free, so streams continue."""
    deadline = time.monotonic() + START_TIMEOUT
    log = _log(here)
    log.parent.mkdir(parents=True, exist_ok=True)
    port, controller = _previous_ports(here) or _free_ports(2)
    (here / PROPERTIES).write_text(_PROPERTIES.format(port=port, controller=controller), encoding="utf-8")
    with log.open("wb") as output:
        process = _launch(java, here, output) if format_messages(java, here, output) else None
    address = f"127.0.0.1:{port}"
    if process is not None and _answers_in_time(process, address, deadline):
        _started.add(here)
        _write_state(here, {"address": address, "pid": process.pid, "starter": os.getpid()})
        return
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    raise SetupError(
        f"Kafka's broker did not start; its last words are below, all of them in {log}.",
        "Put right what they say, or set KAFKA_BOOTSTRAP_SERVERS to a broker that runs, and run this cell again.",
        "\n".join(lines[-TAIL:]),
    )


def format_messages(java: Java, directory: Path, output: BinaryIO) -> bool:
    """Create the directory of the messages if it is missing or incomplete; return whether it exists.

    The tool writes ``meta.properties`` last, so a directory without it is incomplete.
    """
    note = directory / "messages" / "meta.properties"
    if note.exists():
        return True
    shutil.rmtree(note.parent, ignore_errors=True)
    command = command_line(java, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", PROPERTIES)
    try:
        subprocess.run(command, cwd=directory, stdout=output, stderr=output, timeout=START_TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        output.write(str(error).encode())
    return note.exists()


def _launch(java: Java, here: Path, output: BinaryIO) -> psutil.Popen:
    return psutil.Popen(
        command_line(java, MAIN_CLASS, PROPERTIES),
        cwd=here,
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


def _answers_in_time(process: psutil.Popen, address: str, deadline: float) -> bool:
    """Wait until the broker answers; False if it has ended or the time is over, and then it is ended."""
    answers = False
    try:
        while process.poll() is None and time.monotonic() < deadline and not (answers := is_answering(address)):
            time.sleep(POLL_INTERVAL)
    finally:  # also where the learner interrupts: nobody would know of it any more
        if not answers:
            _end(process)
    return answers


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


def _previous_ports(here: Path) -> list[int] | None:
    """Return the ports of the last broker with the same messages, if they are free."""
    try:
        text = (here / PROPERTIES).read_text(encoding="utf-8")
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
