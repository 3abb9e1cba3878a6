"""Two planners on one log: one of them is told, or both are right; no acknowledged file is ever lost."""

from __future__ import annotations

import random
import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from pyspark_cloudfiles.errors import StateInUse
from pyspark_cloudfiles.file_log import FileLog
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile

from .conftest import OPERATIONS, KilledError

pytestmark = pytest.mark.slow

SCHEDULES = 20


class Planner(threading.Thread):
    """A planner whose every operation on the store waits for its turn."""

    def __init__(self, log: str, name: str, files: int) -> None:
        super().__init__(daemon=True, name=name)
        self._log, self._files = log, files
        self._turn, self._waits = threading.Semaphore(0), threading.Semaphore(0)
        self._killed = False
        self.acknowledged: list[list[str]] = []
        self.error: BaseException | None = None
        self.ended = False

    def run(self) -> None:
        try:
            self.wait_for_turn()
            log = FileLog(self._log)
            for number in range(self._files):
                log.add([SourceFile(f"file:/in/{self.name}-{number}", 1, number)])
                self.acknowledged.append([file.url for file in log.files(0, len(log))])
        except BaseException as error:
            self.error = error
        finally:
            self.ended = True
            self._waits.release()

    def wait_for_turn(self) -> None:
        self._waits.release()
        self._turn.acquire()
        if self._killed:
            raise KilledError

    def go_on(self) -> None:
        """Let it do its next operation."""
        self._turn.release()
        self._waits.acquire()

    def kill(self) -> None:
        self._killed = True
        while not self.ended:
            self.go_on()


@pytest.fixture
def s3_directory(s3: str) -> Callable[[], str]:
    """Give a function that returns a new empty directory of a store, which has no locks."""
    return lambda: f"{s3}/{uuid.uuid4().hex}"


@pytest.fixture
def in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OPERATIONS:
        monkeypatch.setattr(filesystem, name, _in_turn(getattr(filesystem, name)))


def _in_turn(operation: Callable[..., Any]) -> Callable[..., Any]:
    def waiting(*args: Any, **kwargs: Any) -> Any:
        planner = threading.current_thread()
        if isinstance(planner, Planner):
            planner.wait_for_turn()
        return operation(*args, **kwargs)

    return waiting


def test_however_two_planners_take_turns_no_acknowledged_file_is_lost(s3_directory: Callable[[], str], in_turns: None):
    errors = 0
    for seed in range(SCHEDULES):
        chance, log = random.Random(seed), s3_directory()
        planners = [Planner(log, name, chance.randint(1, 12)) for name in "abc"[: chance.choice([2, 2, 3])]]
        run_in_turns(planners, chance, kills=chance.random() < 0.4)
        after = [file.url for file in FileLog(log).files(0, len(FileLog(log)))]
        assert len(set(after)) == len(after)
        for planner in planners:
            if isinstance(planner.error, StateInUse):
                errors += 1
            else:
                assert planner.error is None or isinstance(planner.error, KilledError), repr(planner.error)
            for acknowledged in planner.acknowledged:
                assert after[: len(acknowledged)] == acknowledged, f"seed {seed}, planner {planner.name}"
    assert errors > SCHEDULES / 3, "the planners hardly ever met"


def run_in_turns(planners: list[Planner], chance: random.Random, kills: bool) -> None:
    for planner in planners:
        planner.start()
        planner._waits.acquire()
    while running := [planner for planner in planners if not planner.ended]:
        planner = chance.choice(running)
        if kills and chance.random() < 0.03:
            planner.kill()
        for _ in range(chance.choice([1, 1, 1, 2, 5, 30])):
            if not planner.ended:
                planner.go_on()
