"""Streams whose start was interrupted are stopped; those that a person starts afterwards are not."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest

from stream_view.starts import start_hooks
from stream_view.starts.sources import Start
from streaming_base import waiting


class Stream:
    """An active stream, until it is stopped."""

    def __init__(self, name: str, active: list[Stream]) -> None:
        self.name, self._active = name, active
        active.append(self)

    def stop(self) -> None:
        self._active.remove(self)


@pytest.fixture
def active(monkeypatch: pytest.MonkeyPatch) -> list[Stream]:
    streams: list[Stream] = []
    monkeypatch.setattr(waiting, "active_streams", lambda _spark: list(streams))
    monkeypatch.setattr(waiting, "stop_streams", lambda found: [query.stop() for query in found])
    monkeypatch.setattr(start_hooks, "APPEARANCE_TIMEOUT", 0.6)
    return streams


def abandon(name: str) -> threading.Thread:
    start_hooks.stop_when_it_appears(SimpleNamespace(), name)  # type: ignore[arg-type]
    return start_hooks._stoppers[name]


def test_the_stream_is_stopped_when_it_appears_and_nothing_is_kept(active: list[Stream]) -> None:
    stopper = abandon("orders")
    time.sleep(0.2)
    Stream("orders", active)
    other = Stream("clicks", active)
    stopper.join(5)
    assert active == [other] and start_hooks._stoppers == {}


def test_a_start_of_that_name_waits_until_it_cannot_be_taken_for_the_abandoned_one(active: list[Stream]) -> None:
    abandon("orders")
    start_hooks.wait_before(Start(SimpleNamespace(), None, "orders", {}, {}))  # type: ignore[arg-type]
    mine = Stream("orders", active)
    time.sleep(0.3)
    assert active == [mine]


def test_a_look_that_fails_is_repeated(active: list[Stream], monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([ConnectionError("cut")])

    def ask(_spark: object) -> list[Stream]:
        for error in answers:
            raise error
        return list(active)

    monkeypatch.setattr(waiting, "active_streams", ask)
    Stream("orders", active)
    abandon("orders").join(5)
    assert active == []
