"""The public stream of edits: server-sent events, sent to a lesson's topic.

A connection that breaks is made again, with the id of the last event, and the server continues after that.  The id is
kept on disk once the broker has an event, so that a restarted kernel continues there as well; what had been sent after
the last id that was kept is repeated.
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
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from streaming_classroom.errors import NotAvailable
from streaming_classroom.files.ownership import write_atomically
from streaming_classroom.kafka import client
from streaming_classroom.kafka.client import KafkaRecord

URL = "https://stream.wikimedia.org/v2/stream/recentchange"
AGENT = "streaming-classroom (a course on Spark; reads for some seconds)"
READ_TIMEOUT = 10.0  # seconds without a byte after which a connection counts as broken
WAIT = 1.0  # seconds before it is made again, where the server names no other time
AT_A_TIME = 200


@dataclass(frozen=True)
class ServerSentEvent:
    """An event of the stream: its id, after which the server can continue, and its text."""

    id: str
    data: str


def parse(lines: Iterable[bytes]) -> Iterator[ServerSentEvent]:
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
            with closing(_open(url, last)) as response:
                reached = True
                for event in parse(response):
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


def feed(options: Mapping[str, str], topic: str, position: Path, seconds: float, url: str = URL) -> int:
    """Send the events of some seconds to a topic, and return their number.

    ``position`` is the file with the id of the last acknowledged event.
    """
    last = position.read_text(encoding="utf-8") if position.exists() else ""
    count, found = 0, events(url, last, time.monotonic() + seconds)
    while some := list(islice(found, AT_A_TIME)):
        count += client.send(options, topic, [record for event in some if (record := _record(event)) is not None])
        write_atomically(position, some[-1].id)
    return count


def _open(url: str, last: str):
    headers = {"Accept": "text/event-stream", "User-Agent": AGENT} | ({"Last-Event-ID": last} if last else {})
    return urlopen(Request(url, headers=headers), timeout=READ_TIMEOUT)


def _record(event: ServerSentEvent) -> KafkaRecord | None:
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
