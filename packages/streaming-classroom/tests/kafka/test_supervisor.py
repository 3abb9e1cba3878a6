from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from filelock import FileLock

from streaming_classroom.kafka import supervisor
from streaming_classroom.kafka.supervisor import BrokerDirectory

pytestmark = pytest.mark.slow

SAYS_BYE = "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(print('bye', flush=True))); "
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
SLEEP = "print('ready', flush=True); import time; [time.sleep(0.1) for _ in range(600)]"


@pytest.fixture
def place(tmp_path: Path) -> BrokerDirectory:
    """Give a place with its folders."""
    place = BrokerDirectory(tmp_path / "kafka")
    for folder in (place.users, place.alive.parent):
        folder.mkdir(parents=True)
    return place


@pytest.fixture
def user(place: BrokerDirectory) -> Iterator[FileLock]:
    """Give the lock of a process that uses the broker."""
    with FileLock(place.users / "1.lock") as lock:
        yield lock


@pytest.fixture
def run(place: BrokerDirectory) -> Iterator:
    """Run Python code under a supervisor, and return when it runs."""
    started = []

    def start(code: str, grace: float = supervisor.GRACE) -> subprocess.Popen[str]:
        imports = "import sys; from streaming_classroom.kafka import supervisor"
        main = f"{imports}; supervisor.GRACE = {grace}; sys.exit(supervisor.main(*sys.argv[1:]))"
        command = [sys.executable, "-c", main, str(place.folder), "here:1", sys.executable, "-c", code]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout.readline() == "ready\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=120)


def test_a_program_ends_when_its_last_user_does_and_may_tidy_up(
    run, user: FileLock, place: BrokerDirectory, after_checks
) -> None:
    process = run(SAYS_BYE + SLEEP)
    after_checks(place)
    assert process.poll() is None and place.is_supervised()
    assert json.loads(place.state.read_text())["address"] == "here:1"
    user.release()
    assert process.communicate(timeout=120)[0] == "bye\n"
    assert not place.state.exists() and not place.is_supervised()


def test_a_program_that_does_not_listen_is_killed(run, user: FileLock) -> None:
    process = run(DEAF + SLEEP, grace=0.3)
    user.release()
    process.wait(120)


def test_one_that_is_kept_needs_no_user_until_it_is_stopped(run, place: BrokerDirectory, after_checks) -> None:
    place.kept.touch()
    process = run(SLEEP)
    after_checks(place)
    assert process.poll() is None
    place.stop.touch()
    process.wait(120)
    assert not place.kept.exists() and not place.stop.exists()


def test_nobody_needed_is_not_decided_while_somebody_joins(place: BrokerDirectory) -> None:
    with FileLock(place.change):
        assert place.is_needed()
    assert not place.is_needed()


def test_a_dead_users_file_is_forgotten(place: BrokerDirectory, user: FileLock) -> None:
    (place.users / "2.lock").touch()
    assert place.has_users()
    assert not (place.users / "2.lock").exists()


def test_a_program_that_ends_by_itself_ends_its_supervisor_and_gives_its_exit_code(
    run, user, place: BrokerDirectory
) -> None:
    process = run("print('ready', flush=True); import sys; sys.exit(7)")
    assert process.wait(120) == 7
    assert not place.state.exists()


def test_a_supervisor_that_is_asked_to_end_ends_its_program(run, user, place: BrokerDirectory) -> None:
    process = run(SAYS_BYE + SLEEP)
    program = psutil.Process(json.loads(place.state.read_text())["pid"])
    process.terminate()
    process.wait(120)
    program.wait(120)
