"""A Kafka broker for lessons: the one that ``KAFKA_BOOTSTRAP_SERVERS`` names, else one of this kernel's own.

It is started when a lesson first asks for it and ends with the kernel.  Its messages stay in the classroom's home,
so a restarted kernel finds them.
"""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from threading import RLock

from filelock import FileLock, Timeout

from stream_view import front_end
from streaming_classroom import environment, ownership, places
from streaming_classroom.errors import JarsUnavailable, NotHere
from streaming_classroom.kafka import broker as kafka_broker
from streaming_classroom.kafka.broker import Broker
from streaming_classroom.setup import guard, jars, java

VARIABLE = "KAFKA_BOOTSTRAP_SERVERS"


@dataclass(frozen=True)
class _Running:
    """The broker that this process started, and the lock that keeps other kernels from its messages."""

    broker: Broker
    lock: FileLock
    process: int


_running: _Running | None = None
_starting = RLock()  # two cells' threads may ask at once; stop() is also called while it is held


def bootstrap_servers() -> str:
    """Return the address of a Kafka broker, such as Spark's option ``kafka.bootstrap.servers`` takes.

    Where the environment variable ``KAFKA_BOOTSTRAP_SERVERS`` is set, this is its value, and nothing is started.
    Else a broker is started on this machine, which takes three seconds, the first time after fetching it (45
    MB).  It makes topics with two partitions when they are first used.  The programs that this process starts
    find it in the same variable.

    Raises
    ------
    JarsUnavailable
        The broker is not in the cache and could not be fetched.
    BrokerStartError
        The broker did not start; the message has its last words.
    NotHere
        Spark runs elsewhere, from where a broker on this machine could not be reached.
    """
    with _starting:
        given = os.environ.get(VARIABLE)
        if given and not (_is_ours() and given == _running.broker.address):
            return given
        if not (_is_ours() and _running.broker.is_alive()):
            _start()
        return _running.broker.address


def options() -> dict[str, str]:
    """Return what Kafka's Java client, and so Spark's, needs to reach the broker: the address, and security."""
    return {"bootstrap.servers": bootstrap_servers()}


def client_options() -> dict[str, str]:
    """Return the same for the Python client."""
    return {"bootstrap.servers": bootstrap_servers()}


def stop() -> None:
    """Stop the broker that this process started, if it did; its messages are kept."""
    global _running
    with _starting:
        if not _is_ours():
            return
        stopped, _running = _running, None
        if os.environ.get(VARIABLE) == stopped.broker.address:
            del os.environ[VARIABLE]
        try:
            stopped.broker.stop()
        finally:
            stopped.lock.release()


def _is_ours() -> bool:
    """Return whether this very process started a broker; a forked one only inherits the variable."""
    return _running is not None and _running.process == os.getpid()


def _start() -> None:
    global _running
    if not environment.is_one_machine():
        raise NotHere("Spark runs elsewhere and could not reach a broker here.", f"Set {VARIABLE} to one it can.")
    stop()
    with guard.refusals_explained():
        found = _ensure_fetched()
        number, lock = _take_number()
        try:
            log = places.logs() / f"kafka-{number}.log"
            broker = kafka_broker.start(found, places.home() / "kafka" / str(number), log)
        except BaseException:
            lock.release()
            raise
    _running = _Running(broker, lock, os.getpid())
    os.environ[VARIABLE] = broker.address


def _ensure_fetched() -> java.Java:
    """Return the Java to use, after fetching the broker's jars where they are not there."""
    report = print if front_end.is_interactive() else lambda _line: None
    with guard.only_one(report):
        found = java.find_or_fetch()
        if missing := jars.missing_or_damaged(jars.KAFKA_BROKER):
            report("Fetching Kafka's broker, 45 MB, this once ...")
            _fetch(missing)
        return found


def _fetch(missing: list[jars.Jar]) -> None:
    try:
        jars.fetch(missing, jars.KAFKA_BROKER)
    except JarsUnavailable as error:
        error.fix += f" Or set {VARIABLE} to a broker that runs."
        raise


def _take_number() -> tuple[int, FileLock]:
    """Return the first number that no live kernel of this home has, and the lock that says so.

    Two lessons that are open at once have a broker each.  The lock lies where `course.py reset` looks for what is
    in use.
    """
    locks = ownership.claim(places.home()) / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        # Not of one thread: it is released by whichever calls stop().
        lock = FileLock(locks / f"kafka-{number}.lock", thread_local=False)
        with suppress(Timeout):
            lock.acquire(blocking=False)
            return number, lock


atexit.register(stop)
