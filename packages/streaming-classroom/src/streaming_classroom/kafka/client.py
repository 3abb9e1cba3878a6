"""The classroom's Kafka client in Python, with deadlines and readable errors.

It spreads keys over partitions as Kafka's own Java client does, so that a message with one key is in one partition
whether Spark has sent it or Python.  Settings of a foreign broker are those of the properties file that Kafka's tools
take as ``--command-config``: Spark, whose client is Java's, gets each with ``kafka.`` before it, and the Python
client has other names for some.

Spark's ``option`` is patched.  ``KAFKA_REDIRECT=old:9092=new:9092`` (several with commas) lets a notebook reach a
broker under another address than the one that is written in it.  And where nobody listens at an address, Spark would
try for minutes; a sentence says so.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from streaming_base import hooks
from streaming_classroom.errors import BrokerUnreachable, ClassroomError, NotAvailable

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka import Message
    from confluent_kafka.admin import AdminClient

Key = TypeVar("Key")
Answer = TypeVar("Answer")

VARIABLE = "KAFKA_OPTIONS_FILE"
TIMEOUT = 10.0  # seconds for a question to the broker
RETRY_INTERVAL = 0.1  # seconds
SEND_TIMEOUT = 60.0  # seconds for a batch of messages to be acknowledged
_QUIET = {"log_level": 0}  # it would print a line for every try
_PAIR = re.compile(r"\s*[=:]\s*|\s+")
_ESCAPED = re.compile(r"\\(.)")
_LOGIN = re.compile(r'\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"')
# Java's names of what is the same for the Python client, whose certificates are PEM.
_RENAMED = {
    "ssl.truststore.location": "ssl.ca.location",
    "ssl.keystore.location": "ssl.certificate.location",
    "ssl.key.password": "ssl.key.password",
}
_SAME = ("security.protocol", "sasl.mechanism", "client.id")
REDIRECT_VARIABLE = "KAFKA_REDIRECT"
OPTION = "kafka.bootstrap.servers"
CONNECT_TIMEOUT = 3.0  # seconds for each address


def options_from_file() -> dict[str, str]:
    """Return the settings of the file that the variable names; NotAvailable if it does not exist."""
    name = os.environ.get(VARIABLE)
    if not name:
        return {}
    try:
        return parse(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        problem = f"{VARIABLE}={name} cannot be read: {error.strerror}."
        raise NotAvailable(problem, "Set it to a properties file such as Kafka's tools take.") from None


def parse(text: str) -> dict[str, str]:
    """Return the pairs of a properties file: comments are left out, a backslash at the end joins two lines."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    pairs = [_PAIR.split(line.strip(), maxsplit=1) for line in lines if line.strip() and line.strip()[0] not in "#!"]
    return {name: _ESCAPED.sub(r"\1", value[0]) if value else "" for name, *value in pairs}


def for_python(java: dict[str, str]) -> dict[str, str]:
    """Return options of the Python client for those of Java's; NotAvailable for a certificate that only Java reads."""
    found = {name: java[name] for name in _SAME if name in java}
    for name, renamed in _RENAMED.items():
        if name in java:
            kind = name.replace("location", "type")
            if name.endswith("store.location") and java.get(kind, "JKS").upper() != "PEM":
                raise NotAvailable(
                    f"{name} of {VARIABLE} is a Java keystore, which Kafka's Python client does not read.",
                    f"Export it as PEM, and set {kind}=PEM.",
                )
            found[renamed] = java[name]
    login = dict(_LOGIN.findall(java.get("sasl.jaas.config", "")))
    found |= {f"sasl.{name}": _ESCAPED.sub(r"\1", value) for name, value in login.items()}
    if java.get("ssl.endpoint.identification.algorithm") == "":
        found["ssl.endpoint.identification.algorithm"] = "none"
    return found


@dataclass(frozen=True)
class KafkaRecord:
    """A message to send; the broker or its client fills in None."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = field(default=())
    partition: int | None = None
    timestamp_ms: int | None = None


def results(futures: Mapping[Key, Future]) -> dict[Key, Any]:
    """Return the results of an AdminClient's futures, which never complete after the client has gone."""
    return {key: future.result(TIMEOUT + 1) for key, future in futures.items()}


def call_admin(options: Mapping[str, str], question: Callable[[AdminClient], Answer]) -> Answer:
    """Return the result of a function of an AdminClient; BrokerUnreachable without an answer in time.

    A request about a partition without a leader is retried: a broker lists a new topic before it leads all of its
    partitions.
    """
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient

    reasons: list[str] = []  # why it cannot connect; the question itself only ever runs out of time
    settings: dict[str, Any] = {**options, **_QUIET, "error_cb": lambda error: reasons.append(error.str())}
    admin = AdminClient(settings)
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            return question(admin)
        except (TimeoutError, KafkaException) as error:
            code = KafkaError._TIMED_OUT if isinstance(error, TimeoutError) else error.args[0].code()
            if code in (KafkaError._TRANSPORT, KafkaError._TIMED_OUT, KafkaError._ALL_BROKERS_DOWN):
                admin.poll(0)  # which is when it calls back
                raise BrokerUnreachable(options["bootstrap.servers"], *reasons[:1]) from None
            led = code not in (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE)
            if led or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_INTERVAL)


def topics(options: Mapping[str, str]) -> dict[str, dict[int, tuple[int, int]]]:
    """Return all topics but Kafka's own, by name, as :func:`offsets` of each."""
    known = call_admin(options, lambda admin: admin.list_topics(timeout=TIMEOUT)).topics
    return {name: offsets(options, name) for name in sorted(known) if not name.startswith("__")}


def offsets(options: Mapping[str, str], topic: str) -> dict[int, tuple[int, int]]:
    """Return the first and the end offset of each partition; NotAvailable for an unknown topic."""
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import OffsetSpec

    # A request for a topic by its name creates it.
    known = call_admin(options, lambda admin: admin.list_topics(timeout=TIMEOUT)).topics.get(topic)
    if known is None:
        raise NotAvailable(f"There is no topic {topic}.", "Make it with DA.kafka.create_topic, or correct the name.")
    partitions = [TopicPartition(topic, number) for number in sorted(known.partitions)]

    def of(spec: Any) -> list[int]:
        wanted = dict.fromkeys(partitions, spec)
        found = call_admin(options, lambda admin: results(admin.list_offsets(wanted, request_timeout=TIMEOUT)))
        return [found[partition].offset for partition in partitions]

    pairs = zip(of(OffsetSpec.earliest()), of(OffsetSpec.latest()), strict=True)
    return {partition.partition: pair for partition, pair in zip(partitions, pairs, strict=True)}


def read(options: Mapping[str, str], topic: str, begin: Mapping[int, int]) -> Iterator[Message]:
    """Yield the messages of a topic from some offsets to its current end; BrokerUnreachable after a timeout."""
    from confluent_kafka import Consumer, TopicPartition

    ends = {partition: end for partition, (_, end) in offsets(options, topic).items()}
    left = {partition for partition, end in ends.items() if begin.get(partition, 0) < end}
    consumer = Consumer({**options, **_QUIET, "group.id": "classroom", "enable.auto.commit": False})
    deadline = time.monotonic() + TIMEOUT
    try:
        consumer.assign([TopicPartition(topic, partition, begin.get(partition, 0)) for partition in left])
        while left:
            if time.monotonic() > deadline:
                raise BrokerUnreachable(options["bootstrap.servers"], "it sends no messages")
            for message in consumer.consume(1000, timeout=0.2):
                if message.error() is None:
                    yield message
            for position in consumer.position([TopicPartition(topic, partition) for partition in left]):
                if position.offset >= ends[position.partition]:
                    left.discard(position.partition)
    finally:
        consumer.close()


def send(options: Mapping[str, str], topic: str, records: Iterable[KafkaRecord]) -> int:
    """Send messages in order, and return their number once the broker has acknowledged all.

    Within a call, retries neither duplicate nor reorder messages (``enable.idempotence``).  Raises ClassroomError if
    the broker did not acknowledge all in time.
    """
    from confluent_kafka import KafkaException, Producer

    settings = {
        **options,
        **_QUIET,
        "enable.idempotence": True,
        "linger.ms": 5,
        "partitioner": "murmur2_random",  # Java's
        "delivery.timeout.ms": int(SEND_TIMEOUT * 1000),
    }
    producer = Producer(settings)
    failures: list[str] = []

    def delivered(error: Any, _message: Message) -> None:
        if error is not None:
            failures.append(error.str())

    count = 0
    try:
        for record in records:
            given: dict[str, Any] = {
                "partition": record.partition,
                "timestamp": record.timestamp_ms,
                "headers": list(record.headers) or None,
                "key": record.key,
            }
            given = {name: value for name, value in given.items() if value is not None}
            while True:
                try:
                    producer.produce(topic, record.value, on_delivery=delivered, **given)
                    break
                except BufferError:  # its queue is full: let it work
                    producer.poll(0.5)
            producer.poll(0)
            count += 1
    except KafkaException as error:
        failures.append(error.args[0].str())
    left = producer.flush(SEND_TIMEOUT)
    if left or failures:
        raise ClassroomError(
            f"Of {count} messages for the topic {topic}, {left + len(failures)} were not acknowledged: "
            f"{failures[0] if failures else 'no answer'}. Is the broker up (`python course.py kafka status`), and the "
            "topic there? Then send again."
        )
    return count


def install_redirect() -> None:
    """Check and redirect the addresses given to Spark's readers and writers; calling it again changes nothing."""
    from pyspark.sql import DataFrameReader, DataFrameWriter
    from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

    why = "Kafka's address is where the broker is now, and one where nobody listens is said at once"
    for kind in (DataFrameReader, DataFrameWriter, DataStreamReader, DataStreamWriter):
        for method, make in (("option", _wrap_option), ("options", _wrap_options)):
            hooks.wrap(kind, method, make, by="streaming_classroom", layer="connection", why=why)


def reachable_servers(servers: str) -> str:
    """Return the current addresses of the broker; BrokerUnreachable if none accepts a connection."""
    moved = redirect_servers(servers)
    reasons = [reason for address in moved.split(",") if (reason := refusal(address.strip()))]
    if len(reasons) == len(moved.split(",")):
        raise BrokerUnreachable(moved, reasons[0])
    return moved


def redirect_servers(servers: str) -> str:
    """Return the addresses, with moved ones replaced."""
    pairs = [part.split("=") for part in os.environ.get(REDIRECT_VARIABLE, "").split(",") if part]
    if any(len(pair) != 2 for pair in pairs):
        raise NotAvailable(
            f"{REDIRECT_VARIABLE} is not of the form old:9092=new:9092.", "Write it so; several with commas."
        )
    moves = {old.strip(): new.strip() for old, new in pairs}
    return ",".join(moves.get(address.strip(), address.strip()) for address in servers.split(","))


def refusal(address: str) -> str:
    """Return why an address does not accept connections, or an empty string."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        return "an address is a host, a colon and a port"
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        return getattr(error, "strerror", None) or str(error)
    return ""


def _wrap_option(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        return original(self, key, reachable_servers(str(value)) if key.lower() == OPTION else value)

    return option


def _wrap_options(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        servers = {key: reachable_servers(str(value)) for key, value in given.items() if key.lower() == OPTION}
        return original(self, **(given | servers))

    return options
