"""``DA.kafka``: a lesson's own topics, their offsets and lag.

Their names begin with the user's and the lesson's, so that two lessons on one broker never meet, and all that begin
so go when the lesson is started over or cleaned up.

``DA.data_factory`` with ``into_topic`` lands a dataset's batches in one of them.  Each line of a batch is one
message, as JSON: ``value`` (text that may well be no JSON), ``key``, ``headers`` and ``timestamp`` in milliseconds.
Two headers are added, the batch's number and the line's.  They let it continue after a kill in the middle of a batch:
before a batch the topic's end is noted, and if that note is still there the next time, the lines behind it are not
sent again.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streaming_classroom.errors import BrokerUnreachable, NotAvailable
from streaming_classroom.files import directories
from streaming_classroom.files.directories import write_atomically
from streaming_classroom.kafka import client, servers
from streaming_classroom.kafka.client import KafkaRecord

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql.streaming import StreamingQuery

    from streaming_classroom.data.datasets import DatasetBatch

PARTITIONS = 2  # with two, a lesson sees that order holds within one only
DELETION_TIMEOUT = 15.0  # seconds
POLL_INTERVAL = 0.05


class LessonKafka:
    """The broker, as a lesson's cells need it, and the lesson's own topics there.

    Parameters
    ----------
    prefix : str
        What the names of the lesson's topics begin with.
    mark : Path
        File that says that the lesson has topics; without it, a lesson that has none asks for no broker.
    """

    def __init__(self, prefix: str, mark: Path) -> None:
        self._prefix = prefix
        self._mark = mark

    def apart(self, name: str) -> LessonKafka:
        """Return topics beside the lesson's own, on the same broker, whose names begin with a name of theirs."""
        return LessonKafka(f"{self._prefix}{name}-", self._mark.with_name(f"{self._mark.name}.{name}"))

    @property
    def servers(self) -> str:
        """The broker's address, for the option ``kafka.bootstrap.servers``; see :func:`.servers.bootstrap_servers`."""
        return servers.bootstrap_servers()

    @property
    def options(self) -> dict[str, str]:
        """Spark's options to reach the broker: ``spark.readStream.format("kafka").options(**DA.kafka.options)``."""
        return {f"kafka.{name}": value for name, value in servers.options().items()}

    @property
    def client_options(self) -> dict[str, Any]:
        """The same for Kafka's Python client: ``Consumer(DA.kafka.client_options | {"group.id": "look"})``."""
        return servers.client_options()

    def topic(self, name: str) -> str:
        """Return the full name of one of the lesson's topics, whether it is there or not."""
        self._mark.parent.mkdir(parents=True, exist_ok=True)
        self._mark.touch()  # whoever has the name may make the topic, as Spark does when it writes
        return self._prefix + name

    def create_topic(self, name: str, partitions: int = PARTITIONS, config: Mapping[str, str] | None = None) -> str:
        """Make a topic and return its full name; one that is there already is left as it is.

        Parameters
        ----------
        name : str
            The topic's name in the lesson, such as ``"alerts"``.
        partitions : int
            How many.
        config : mapping, optional
            Kafka's settings of a topic, such as ``{"cleanup.policy": "compact"}``.
        """
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import NewTopic

        topic = self.topic(name)
        wanted = NewTopic(topic, num_partitions=partitions, config=dict(config or {}))
        try:
            self._ask(lambda admin: client.results(admin.create_topics([wanted], operation_timeout=client.TIMEOUT)))
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
        self._await(lambda there: topic in there)
        return topic

    def delete_topic(self, name: str) -> None:
        """Delete a topic and return when it is gone; one that is not there is no error."""
        self._delete([self.topic(name)])

    def partitions(self, name: str) -> pd.DataFrame:
        """Return a topic's partitions: the first offset that is still there, the next one to be, and the difference."""
        import pandas as pd

        offsets = client.offsets(self.client_options, self.topic(name))
        rows = [(partition, begin, end, end - begin) for partition, (begin, end) in offsets.items()]
        return pd.DataFrame(rows, columns=["partition", "begin", "end", "messages"])

    def lag(self, query: StreamingQuery) -> pd.DataFrame:
        """Return how many messages a query is behind, per partition.

        What it has read comes from its last progress report, the end of each partition from the broker, now.

        Raises
        ------
        NotAvailable
            The query has not reported yet, or reads no topic.
        """
        import pandas as pd

        rows = []
        for topic, read in _positions(query).items():
            for partition, (begin, end) in client.offsets(self.client_options, topic).items():
                position = read.get(partition, begin)
                rows.append((topic, partition, position, end, end - position))
        return pd.DataFrame(rows, columns=["topic", "partition", "read", "end", "behind"])

    def send(self, name: str, messages: Iterable[Mapping[str, Any]]) -> None:
        """Send a few messages to one of the lesson's topics, made if it is not there.

        Parameters
        ----------
        name : str
            The topic's name in the lesson.
        messages : iterable of mapping
            Each has a ``value`` and may have a ``key``, ``headers`` (a mapping), a ``partition`` and a ``timestamp`` (a
            datetime, or milliseconds), as the rows that Spark writes to Kafka.  Text is sent as UTF-8, a value that is
            a mapping as JSON, None as no value.
        """
        topic = self.create_topic(name)
        count = client.send(self.client_options, topic, map(_record, messages))
        print(f"Sent {count:,} {'message' if count == 1 else 'messages'} to {topic}.")

    def _delete(self, topics: list[str]) -> None:
        if existing := list(self._there().intersection(topics)):
            self._ask(lambda admin: client.results(admin.delete_topics(existing)))
            self._await(lambda there: there.isdisjoint(topics))

    def _clear(self) -> None:
        """Delete all topics of the lesson; without any, ask for no broker."""
        if self._mark.exists():
            # Somebody else's broker that is gone keeps nobody from starting over.
            with suppress(BrokerUnreachable, NotAvailable):
                self._delete([topic for topic in self._there() if topic.startswith(self._prefix)])
                self._mark.unlink(missing_ok=True)

    def _there(self) -> set[str]:
        return set(self._ask(lambda admin: admin.list_topics(timeout=client.TIMEOUT)).topics)

    def _await(self, condition: Callable[[set[str]], bool]) -> None:
        """Wait until the broker's list of topics meets a condition, since not all of its parts know at once."""
        deadline = time.monotonic() + DELETION_TIMEOUT
        while not condition(self._there()) and time.monotonic() < deadline:
            time.sleep(POLL_INTERVAL)

    def _ask(self, question: Callable[[Any], Any]) -> Any:
        return client.call_admin(self.client_options, question)


def prefix(schema: str) -> str:
    """Return the prefix of a lesson's topics.

    The classroom's own broker is of one home, where each lesson has one schema.  On a foreign broker many homes meet,
    so a number of this home is added.
    """
    if not servers.external():
        return f"{schema}-"
    file = directories.claim(directories.home()) / "kafka" / "number"
    file.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), file.open("x", encoding="utf-8") as new:
        new.write(secrets.token_hex(3))
    return f"{schema}-{file.read_text(encoding='utf-8')}-"


def _positions(query: StreamingQuery) -> dict[str, dict[int, int]]:
    """Return the offset after the last message that a query has read, by topic and partition."""
    progress = query.lastProgress
    sources = progress["sources"] if progress else []
    offsets = [source["endOffset"] for source in sources if source["description"].startswith("KafkaV2")]
    if not offsets:
        raise NotAvailable(
            "The query has not reported yet, or reads no topic.", "Wait for its first batch, then ask again."
        )
    found: dict[str, dict[int, int]] = {}
    for offset in offsets:
        offset = json.loads(offset) if isinstance(offset, str) else offset or {}
        for topic, partitions in offset.items():
            found.setdefault(topic, {}).update({int(p): int(position) for p, position in partitions.items()})
    return found


def _record(message: Mapping[str, Any]) -> KafkaRecord:
    headers = tuple((name, _bytes(value)) for name, value in (message.get("headers") or {}).items())
    timestamp = message.get("timestamp")
    if timestamp is not None and not isinstance(timestamp, int):
        timestamp = int(timestamp.timestamp() * 1000)
    return KafkaRecord(
        _bytes(message.get("value")), _bytes(message.get("key")), headers, message.get("partition"), timestamp
    )


def _bytes(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode("utf-8")


BATCH, LINE = "batch", "line"  # the headers that the feed adds


@dataclass(frozen=True)
class Topic:
    """Batches land as messages of a topic; ``note`` keeps the topic's end before the batch that is landing."""

    kafka: LessonKafka
    topic: str
    note: Path
    path: None = None

    @property
    def name(self) -> str:
        """The name for a person."""
        return f"the topic {self.kafka.topic(self.topic)}"

    def land(self, batch: DatasetBatch, number: int) -> None:
        """Send the batch's messages in order, except those that an earlier try has sent."""
        topic = self.kafka.create_topic(self.topic)
        sent = self._sent_before(topic, number)
        records = (record for line, record in enumerate(_records(batch, number)) if line not in sent)
        client.send(self.kafka.client_options, topic, records)

    def _sent_before(self, topic: str, number: int) -> set[int]:
        """Return the batch's lines in the topic; record the topic's end if none can be there."""
        note = json.loads(self.note.read_text(encoding="utf-8")) if self.note.exists() else {"batch": None}
        if note["batch"] == number:
            begin = {int(partition): offset for partition, offset in note["ends"].items()}
            messages = client.read(self.kafka.client_options, topic, begin)
            found = [dict(message.headers() or ()) for message in messages]
            return {int(headers[LINE]) for headers in found if headers.get(BATCH) == str(number).encode()}
        ends = {partition: end for partition, (_, end) in client.offsets(self.kafka.client_options, topic).items()}
        write_atomically(self.note, json.dumps({"batch": number, "ends": ends}))
        return set()


def _records(batch: DatasetBatch, number: int) -> Iterator[KafkaRecord]:
    lines = (line for file in batch.files.values() for line in file.read_bytes().splitlines())
    for count, message in enumerate(map(json.loads, lines)):
        headers = {**message.get("headers", {}), BATCH: str(number), LINE: str(count)}
        encoded = tuple((name, value.encode()) for name, value in headers.items())
        value, key = (None if message[name] is None else message[name].encode() for name in ("value", "key"))
        yield KafkaRecord(value, key, encoded, timestamp_ms=message["timestamp"])
