from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from streaming_classroom.runner.kernel import HOME_VARIABLE, end_processes, processes_of

SLEEP = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"


@pytest.fixture
def start() -> Iterator[Callable[[Path, str], subprocess.Popen[str]]]:
    started = []

    def call(home: Path, code: str) -> subprocess.Popen[str]:
        env = {**os.environ, HOME_VARIABLE: str(home)}
        process = subprocess.Popen(
            [sys.executable, "-c", code], env=env, start_new_session=True, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()  # it is up, and has set its signal handlers
        started.append(process)
        return process

    yield call
    for process in started:
        process.kill()
        process.communicate()


def test_a_detached_process_is_found_by_its_home(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    mine, _other = start(tmp_path / "ä b", SLEEP), start(tmp_path / "other", SLEEP)
    assert [process.pid for process in processes_of(tmp_path / "ä b")] == [mine.pid]


def test_a_process_that_obeys_is_not_killed(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    process = start(tmp_path, SLEEP)
    assert end_processes(tmp_path, patience=10, ask=True) == []
    assert process.wait(1) != 0


def test_a_process_that_ignores_the_request_is_killed(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    process = start(tmp_path, STUBBORN)
    assert end_processes(tmp_path, patience=0.3, ask=True) == [process.pid]
    assert processes_of(tmp_path) == []


def test_without_any_process_there_is_nothing_to_wait_for(tmp_path: Path) -> None:
    assert end_processes(tmp_path, patience=30) == []
