"""What several folders of these tests need: a screen that somebody looks at, and a process that holds a lock."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from streaming_base import front_end

HOLD_LOCK = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


class Screen:
    """What is drawn: the texts in their order, and each output as it is now."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self.outputs: list[dict[str, str]] = []

    def display(self, bundle: dict[str, str], raw: bool, display_id: bool) -> Output:
        assert raw and display_id
        self.outputs.append({})
        output = Output(self, len(self.outputs) - 1)
        output.update(bundle, raw)
        return output


class Output:
    """One output of a screen."""

    def __init__(self, screen: Screen, number: int) -> None:
        self._screen, self._number = screen, number

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        assert raw
        self._screen.drawn.append(bundle["text/plain"])
        self._screen.outputs[self._number] = bundle


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Have a person look at what is displayed."""
    screen = Screen()
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    monkeypatch.setattr("IPython.display.display", screen.display)
    return screen


@pytest.fixture
def hold_lock() -> Callable[[Path], AbstractContextManager[subprocess.Popen[str]]]:
    """Have another process hold a lock while a block runs, as another kernel would, or until it is killed."""

    @contextmanager
    def hold(lock: Path) -> Iterator[subprocess.Popen[str]]:
        lock.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-c", HOLD_LOCK, str(lock)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout and process.stdout.readline() == "held\n"
            yield process
            process.kill()

    return hold
