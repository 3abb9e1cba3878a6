"""The one line of set-up (setup_status.py)."""

from __future__ import annotations

import pytest

from stream_view import front_end
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
    monkeypatch.setattr(setup_status.time, "monotonic", lambda: 100.0)
    return screen


def test_what_begins_is_told_at_once_and_replaced_by_what_is_ready_and_the_seconds(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup_status.begin("Starting Spark ...")
    assert screen.lines == ["Starting Spark ..."]
    monkeypatch.setattr(setup_status.time, "monotonic", lambda: 104.4)
    setup_status.end("Spark is ready")
    assert screen.lines == ["Spark is ready (4 s)."]
    setup_status.begin("Starting lesson 01 ...")
    monkeypatch.setattr(setup_status.time, "monotonic", lambda: 106.2)
    setup_status.end("Lesson 01 is ready", "Nothing has landed yet.")
    assert screen.lines == ["Lesson 01 is ready (6 s). Nothing has landed yet."]


def test_another_run_has_another_line(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    setup_status.begin("Starting Spark ...")
    monkeypatch.setattr(front_end, "running_cell", lambda: ("cell", "another run"))
    setup_status.begin("Starting Spark ...")
    assert len(screen.lines) == 2


def test_without_a_person_there_is_no_line(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    setup_status.begin("Starting Spark ...")
    setup_status.end("Spark is ready")
    assert screen.lines == []


@pytest.mark.parametrize(("number", "text"), [(0, "0 tables removed"), (1, "1 table removed"), (2, "2 tables removed")])
def test_things_are_counted_in_words(number: int, text: str) -> None:
    assert setup_status.counted(number, "table", "removed") == text
