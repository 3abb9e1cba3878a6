"""The one line of set-up (setup_status.py)."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from streaming_base import front_end, waiting
from streaming_base.waiting import wait_line
from streaming_classroom.lesson import setup_status


@pytest.fixture(autouse=True)
def cell(screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one run of a cell, at whose start 100 s have passed."""
    monkeypatch.setattr(setup_status, "_line", None)
    monkeypatch.setattr(front_end, "running_cell", lambda: ("cell", "run"))
    monkeypatch.setattr(setup_status, "time", At(100.0))


@dataclass
class At:
    """A clock that stands still."""

    seconds: float

    def monotonic(self) -> float:
        return self.seconds


def test_what_begins_is_told_at_once_and_replaced_by_what_is_ready_and_the_seconds(
    screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    with setup_status.show_step("Starting Spark ..."):
        assert screen.drawn == ["Starting Spark ..."]
        monkeypatch.setattr(setup_status, "time", At(104.4))
    setup_status.end("Spark is ready")
    assert screen.drawn[-1] == "Spark is ready (4 s)."
    with setup_status.show_step("Starting lesson 01 ..."):
        monkeypatch.setattr(setup_status, "time", At(106.2))
    setup_status.end("Lesson 01 is ready", "Nothing has landed yet.")
    assert [output["text/plain"] for output in screen.outputs] == ["Lesson 01 is ready (6 s). Nothing has landed yet."]


def test_another_run_has_another_line(screen, monkeypatch: pytest.MonkeyPatch) -> None:
    with setup_status.show_step("Starting Spark ..."):
        pass
    monkeypatch.setattr(front_end, "running_cell", lambda: ("cell", "another run"))
    with setup_status.show_step("Starting Spark ..."):
        pass
    assert len(screen.outputs) == 2


def test_without_a_person_there_is_no_line(screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    with setup_status.show_step("Starting Spark ..."):
        pass
    setup_status.end("Spark is ready")
    assert screen.drawn == []


def test_what_takes_longer_says_for_how_long_and_what_it_waits_for(screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LINE_DELAY", 0.05)
    with setup_status.show_step("Starting lesson 14 ..."), wait_line(lambda: "stopping clicks"):
        deadline = time.monotonic() + 120
        while len(screen.drawn) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
    assert screen.drawn[1] == "Starting lesson 14: stopping clicks (0 s)"
