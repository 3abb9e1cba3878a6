"""The line of a cell that waits (waiting.py)."""

from __future__ import annotations

import contextvars
import threading
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


def test_what_a_thread_in_the_cells_context_waits_for_is_said_in_the_cells_line(screen: Screen) -> None:
    def judge() -> None:
        with wait_line(lambda: "waiting for the sensor"):
            wait_until(lambda: screen.seen)

    with wait_line(lambda: "checking 05.2"):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(judge,))
        thread.start()
        thread.join()
    assert screen.seen[0] == "Checking 05.2: waiting for the sensor (0 s)"


def test_what_a_thread_of_its_own_waits_for_is_not_said_in_the_cells_line(screen: Screen) -> None:
    def stop() -> None:
        with wait_line(lambda: "stopping the sensor"):
            wait_until(lambda: screen.seen)

    thread = threading.Thread(target=stop)
    with wait_line(lambda: "checking 05.2"):
        thread.start()
        thread.join()
    assert screen.seen[0] == "Checking 05.2 (0 s)"


def test_a_thread_that_no_cell_waits_for_says_nothing(screen: Screen) -> None:
    def stop() -> None:
        with wait_line(lambda: "stopping the sensor"):
            time.sleep(0.4)

    thread = threading.Thread(target=stop)
    thread.start()
    thread.join()
    assert screen.seen == []


def test_an_error_takes_the_line_away_as_well(screen: Screen) -> None:
    with pytest.raises(ZeroDivisionError), wait_line(lambda: "waiting for the sensor"):
        wait_until(lambda: screen.seen)
        raise ZeroDivisionError
    assert screen.lines == [""]


def test_a_question_that_spark_does_not_answer_leaves_the_line_as_it_was(screen: Screen) -> None:
    answers = iter(["waiting for the sensor"])
    with wait_line(lambda: next(answers)):
        wait_until(lambda: len(screen.seen) > 2)
        assert screen.lines[0].startswith("Waiting for the sensor (")


def test_without_a_person_nothing_is_shown(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: False)
    with wait_line(lambda: "waiting for the sensor"):
        time.sleep(0.4)
    assert screen.seen == []


def test_a_line_that_is_there_already_says_more_and_stays(screen: Screen) -> None:
    shown: list[str] = []
    with wait_line(lambda: "Starting Spark ...", show=shown.append):
        wait_until(lambda: shown)
    assert shown[0] == "Starting Spark ... (0 s)"
    assert screen.seen == []
