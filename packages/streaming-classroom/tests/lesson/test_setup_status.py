"""The one line of set-up (setup_status.py)."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest

from streaming_base import front_end, waiting
from streaming_base.waiting import wait_line
from streaming_classroom.lesson import setup_status


class Screen:
    """An output that can be changed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, bundle: dict[str, str], raw: bool, display_id: bool) -> Screen:
        self.lines.append(bundle["text/plain"])
        return self

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        self.lines[-1] = bundle["text/plain"]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Have a person look at what one run of a cell shows, at whose start 100 s have passed."""
    screen = Screen()
    monkeypatch.setattr(setup_status, "_line", None)
    monkeypatch.setattr("IPython.display.display", screen.show)
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr(front_end, "running_cell", lambda: ("cell", "run"))
    monkeypatch.setattr(setup_status, "time", At(100.0))
    return screen


@dataclass
class At:
    """A clock that stands still."""

    seconds: float

    def monotonic(self) -> float:
        return self.seconds


def test_what_begins_is_told_at_once_and_replaced_by_what_is_ready_and_the_seconds(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    with setup_status.show_step("Starting Spark ..."):
        assert screen.lines == ["Starting Spark ..."]
        monkeypatch.setattr(setup_status, "time", At(104.4))
    setup_status.end("Spark is ready")
    assert screen.lines == ["Spark is ready (4 s)."]
    with setup_status.show_step("Starting lesson 01 ..."):
        monkeypatch.setattr(setup_status, "time", At(106.2))
    setup_status.end("Lesson 01 is ready", "Nothing has landed yet.")
    assert screen.lines == ["Lesson 01 is ready (6 s). Nothing has landed yet."]


def test_another_run_has_another_line(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    with setup_status.show_step("Starting Spark ..."):
        pass
    monkeypatch.setattr(front_end, "running_cell", lambda: ("cell", "another run"))
    with setup_status.show_step("Starting Spark ..."):
        pass
    assert len(screen.lines) == 2


def test_without_a_person_there_is_no_line(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    with setup_status.show_step("Starting Spark ..."):
        pass
    setup_status.end("Spark is ready")
    assert screen.lines == []


def test_what_takes_longer_says_for_how_long_and_what_it_waits_for(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "LINE_DELAY", 0.05)
    said = threading.Event()
    monkeypatch.setattr(screen, "update", lambda bundle, raw: (screen.lines.append(bundle["text/plain"]), said.set()))
    with setup_status.show_step("Starting lesson 14 ..."), wait_line(lambda: "stopping clicks"):
        assert said.wait(120)
    assert screen.lines[-1] == "Starting lesson 14: stopping clicks (0 s)"
