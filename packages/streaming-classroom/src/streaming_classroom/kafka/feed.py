"""The feed: lands a dataset's batches in a topic, for ``DA.data_factory`` with ``into_topic``.

Each line of a batch is one message, as JSON: ``value`` (text that may well be no JSON), ``key``, ``headers`` and
``timestamp`` in milliseconds.  The feed adds two headers, the batch's number and the line's.  They let it continue
after a kill in the middle of a batch: before a batch it notes where the topic ends, and if that note is still there the
next time, it looks which lines are behind it and sends the others.  So a batch is in the topic once, however often its
sender was killed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_classroom.files.ownership import write_atomically
from streaming_classroom.kafka import client
from streaming_classroom.kafka.client import KafkaRecord

if TYPE_CHECKING:
    from streaming_classroom.data.datasets import DatasetBatch
    from streaming_classroom.kafka.topics import LessonKafka

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
