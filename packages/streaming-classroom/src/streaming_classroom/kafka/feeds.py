"""What fills a lesson's topics: the batches of a dataset, and the public stream of edits.

Each line of a batch is one message, as JSON: ``value`` (text that may well be no JSON), ``key``, ``headers`` and
``timestamp`` in milliseconds.  The feed adds two headers, the batch's number and the line's.  They let it continue
after a kill in the middle of a batch: before a batch it notes where the topic ends, and if that note is still there the
next time, it looks which lines are behind it and sends the others.  So a batch is in the topic once, however often its
sender was killed.

The public stream sends server-sent events.  A connection that breaks is made again, with the id of the last event, and
the server continues after that.  The id is kept on disk once the broker has an event, so that a restarted kernel
continues there as well; what had been sent after the last id that was kept is repeated.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from streaming_classroom.errors import NotAvailable
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


URL = "https://stream.wikimedia.org/v2/stream/recentchange"
HEADERS = {
    "Accept": "text/event-stream",
    "User-Agent": "streaming-classroom (a course on Spark; reads for some seconds)",
}
READ_TIMEOUT = 10.0  # seconds without a byte after which a connection counts as broken
WAIT = 1.0  # seconds before it is made again, where the server names no other time
AT_A_TIME = 200


@dataclass(frozen=True)
class ServerSentEvent:
    """An event of the stream: its id, after which the server can continue, and its text."""

    id: str
    data: str


def parse_events(lines: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Yield the events of a response: an empty line ends an event, data lines are joined, a colon begins a comment.

    An incomplete event at the end is dropped.
    """
    last = ""
    data: list[str] = []
    for raw in lines:
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        if not line:
            if data:
                yield ServerSentEvent(last, "\n".join(data))
            data = []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "id":
            last = value


def events(url: str, last: str, deadline: float) -> Iterator[ServerSentEvent]:
    """Yield events until the deadline, reconnecting if necessary; NotAvailable without any connection."""
    reached, reason = False, ""
    while time.monotonic() < deadline:
        try:
            request = Request(url, headers=HEADERS | ({"Last-Event-ID": last} if last else {}))
            with closing(urlopen(request, timeout=READ_TIMEOUT)) as response:
                reached = True
                for event in parse_events(response):
                    last = event.id or last
                    yield event
                    if time.monotonic() > deadline:
                        return
        except HTTPError as error:
            reason = f"{error.code} {error.reason}"
        except (OSError, HTTPException) as error:
            reason = str(error.reason if isinstance(error, URLError) else error)
        time.sleep(max(0.0, min(WAIT, deadline - time.monotonic())))
    if not reached:
        raise NotAvailable(
            f"{url} does not answer: {reason}.", "Without a network, DA.data_factory.load() has edits as well."
        )


def send_live_events(options: Mapping[str, str], topic: str, position: Path, seconds: float, url: str = URL) -> int:
    """Send the events of some seconds to a topic, and return their number.

    ``position`` is the file with the id of the last acknowledged event.
    """
    last = position.read_text(encoding="utf-8") if position.exists() else ""
    count, found = 0, events(url, last, time.monotonic() + seconds)
    while some := list(islice(found, AT_A_TIME)):
        count += client.send(options, topic, filter(None, map(_record_of_event, some)))
        write_atomically(position, some[-1].id)
    return count


def _record_of_event(event: ServerSentEvent) -> KafkaRecord | None:
    """Return an event as a message with its wiki as key, or None for a keep-alive."""
    try:
        fields = json.loads(event.data)
        if fields["meta"]["domain"] == "canary":
            return None
        key = fields["wiki"].encode()
    except (ValueError, KeyError, TypeError, AttributeError):  # it is sent as it is: readers meet it as well
        key = None
    headers = (("schema", b"recentchange/1.0.0"), ("collector", b"live"))
    return KafkaRecord(event.data.encode("utf-8"), key, headers)
