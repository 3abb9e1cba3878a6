"""The public stream, played by a server on this machine that speaks its protocol."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from streaming_classroom.errors import NotAvailable
from streaming_classroom.kafka import client, feeds
from streaming_classroom.kafka.topics import LessonKafka

TOTAL = 7


def text(number: int) -> str:
    domain = "canary" if number == 4 else "en.wikipedia.org"
    return json.dumps({"meta": {"domain": domain}, "wiki": "enwiki", "id": number})


class Server(BaseHTTPRequestHandler):
    """Sends three events after the last id, then half of the next one, and hangs up."""

    asked: list[str | None]

    def do_GET(self) -> None:
        last = self.headers.get("Last-Event-ID")
        self.asked.append(last)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b":ok\n\n")
        begin = int(last) + 1 if last else 0
        for number in range(begin, min(begin + 3, TOTAL)):
            self.wfile.write(f"event: message\r\nid: {number}\r\ndata: {text(number)}\r\n\r\n".encode())
        self.wfile.write(b'id: 99\ndata: {"cut')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(feeds, "WAIT", 0.1)
    Server.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_events_are_parsed_as_the_protocol_has_it() -> None:
    lines = [
        b": hello\n",
        b"\n",
        b"id: a\n",
        b"data: one\n",
        b"data:two\n",
        b"\n",
        b"data: three\r\n",
        b"\r\n",
        b"data: cut\n",
    ]
    assert list(feeds.parse_events(lines)) == [
        feeds.ServerSentEvent("a", "one\ntwo"),
        feeds.ServerSentEvent("a", "three"),
    ]


@pytest.mark.slow
def test_a_connection_that_breaks_is_made_anew_after_the_last_event(url: str) -> None:
    found = list(feeds.events(url, "", time.monotonic() + 1.5))
    assert [event.data for event in found] == [text(number) for number in range(TOTAL)]
    assert Server.asked[:4] == [None, "2", "5", "6"]


def test_events_land_in_the_topic_and_the_position_is_kept(kafka: LessonKafka, url: str, tmp_path: Path) -> None:
    position, topic = tmp_path / "position", kafka.create_topic("live")
    position.write_text("1")
    assert feeds.send_live_events(kafka.client_options, topic, position, 1.5, url) == 4
    messages = list(client.read(kafka.client_options, topic, {}))
    assert sorted(json.loads(message.value())["id"] for message in messages) == [2, 3, 5, 6]
    assert {message.key() for message in messages} == {b"enwiki"}
    assert position.read_text() == "6"
    assert feeds.send_live_events(kafka.client_options, topic, position, 0.5, url) == 0


def test_without_a_network_a_sentence_says_what_else_there_is(monkeypatch) -> None:
    monkeypatch.setattr(feeds, "WAIT", 0.1)
    with pytest.raises(NotAvailable, match=r"does not answer: .*refused.* DA\.data_factory\.load"):
        list(feeds.events("http://127.0.0.1:9/", "", time.monotonic() + 0.3))
