"""The line of a cell that waits (waiting.py)."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from streaming_base import front_end, waiting
from streaming_base.waiting import wait_line


class Screen:
    """The outputs of a cell: what stands in each, and everything that ever stood there."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.seen: list[str] = []

    def show(self, bundle: dict[str, str], raw: bool, display_id: bool) -> Screen:
        self.lines.append("")
        self.update(bundle, raw)
        return self

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        self.lines[-1] = bundle["text/plain"]
        self.seen.append(bundle["text/plain"])


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Have a person look, who is told after a fifth of a second."""
    screen = Screen()
    monkeypatch.setattr("IPython.display.display", screen.show)
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(waiting, "LINE_DELAY", 0.2)
    monkeypatch.setattr(waiting, "LINE_UPDATE_INTERVAL", 0.05)
    return screen


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_short_wait_is_silent(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LINE_DELAY", 60.0)
    with wait_line(lambda: "waiting for the sensor"):
        time.sleep(0.2)
    assert screen.seen == []


def test_a_long_wait_says_what_it_waits_for_and_for_how_long_and_takes_the_line_away(screen: Screen) -> None:
    number = iter(range(10**6))
    with wait_line(lambda: f"waiting for the sensor, batch {next(number)}"):
        wait_until(lambda: len(screen.seen) > 2)
        assert screen.seen[0] == "Waiting for the sensor, batch 0 (0 s)"
        assert screen.lines[0].startswith("Waiting for the sensor, batch ")
    assert screen.lines == [""]


def test_a_wait_within_a_wait_is_said_in_the_same_line(screen: Screen) -> None:
    with wait_line(lambda: "checking 05.2"), wait_line(lambda: "waiting for the sensor"):
        wait_until(lambda: screen.seen)
    assert screen.seen[0] == "Checking 05.2: waiting for the sensor (0 s)"
    assert screen.lines == [""]


def test_without_a_person_nothing_is_shown(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    with wait_line(lambda: "waiting for the sensor"):
        time.sleep(0.4)
    assert screen.seen == []
