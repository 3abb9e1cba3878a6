"""Every lesson by the runner and by nbval, compared with its file; some twice, after a kill, and without a network."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from streaming_classroom.files import directories
from streaming_classroom.lesson.storage import identifier
from streaming_classroom.runner.lesson_files import find_lessons, lesson_number
from suite.selection import lesson_cases

LESSONS = find_lessons([], directories.notebooks())
COURSE = [sys.executable, str(directories.PROJECT / "course.py")]
CELL_TIMEOUT = 240  # seconds; CI's machines are slow and shared
TWICE = find_lessons(["07"], directories.notebooks())
KILLED = find_lessons(["03", "10"], directories.notebooks())
OFFLINE = find_lessons(["01", "14"], directories.notebooks())  # the second needs Kafka's jars and broker


@pytest.mark.parametrize("lesson", lesson_cases(LESSONS, everyday={"02", "06"}, otherwise="exhaustive"))
def test_a_lesson_passes_and_gives_the_committed_outputs(lesson: Path, lesson_runs) -> None:
    result = lesson_runs.result(lesson_number(lesson.name))
    assert (result.outcome, [str(failure) for failure in result.failures]) == ("passed", [])


@pytest.mark.parametrize("lesson", lesson_cases(LESSONS, everyday={"00"}))
def test_nbval_passes_a_lesson(lesson: Path, tmp_path: Path) -> None:
    done = _compare(lesson, tmp_path / "home")
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.parametrize("again", lesson_cases(TWICE))
def test_a_lesson_gives_the_same_twice_in_a_row_in_one_home(again: Path, tmp_path: Path) -> None:
    for _run in range(2):
        done = _compare(again, tmp_path / "home")
        assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.parametrize("killed", lesson_cases(KILLED))
def test_a_lesson_starts_over_after_a_kill_in_the_middle(killed: Path, tmp_path: Path) -> None:
    """SIGKILL to kernel and JVM after its first data, then the lesson again in the same home, compared by nbval."""
    home = tmp_path / "home"
    with (tmp_path / "killed.txt").open("w") as file:
        process = subprocess.Popen(_nbval(killed), env=_in_home(home), stdout=file, stderr=subprocess.STDOUT)
    _wait_for_first_data(killed, home, process)
    _kill_with_children(process)
    done = _compare(killed, home)
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.fixture(scope="module")
def isolated() -> list[str]:
    """Return the command that runs another one with only the loopback interface, after set-up."""
    before = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("needs `unshare` and `ip`: on Debian, apt install util-linux iproute2")
    if subprocess.run([*before, "true"], capture_output=True).returncode != 0:
        pytest.skip("this system does not allow network namespaces")
    connect = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)"
    refused = subprocess.run([*before, sys.executable, "-c", connect], capture_output=True, text=True)
    assert "unreachable" in refused.stderr
    subprocess.run([*COURSE, "setup", "--all"], check=True, timeout=900)
    return before


@pytest.mark.parametrize("offline", lesson_cases(OFFLINE))
def test_a_lesson_runs_without_network(offline: Path, isolated: list[str], tmp_path: Path) -> None:
    command = [*COURSE, "run", str(offline), "--cell-timeout", str(CELL_TIMEOUT)]
    environ = os.environ | {"CLASSROOM_HOME": str(tmp_path / "home")}
    done = subprocess.run([*isolated, *command], env=environ, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "1 of 1 lessons passed" in done.stdout


def _kill_with_children(process: subprocess.Popen) -> None:
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    for child in children:
        child.kill()
    psutil.wait_procs(children, timeout=60)
    process.wait(60)


def _compare(lesson: Path, home: Path) -> subprocess.CompletedProcess:
    """Run a lesson by nbval, which compares the marked outputs."""
    return subprocess.run(_nbval(lesson), env=_in_home(home), capture_output=True, text=True, timeout=900)


def _nbval(lesson: Path) -> list[str]:
    options = ["--nbval-lax", "--nbval-current-env", f"--nbval-cell-timeout={CELL_TIMEOUT}", "-p", "no:cacheprovider"]
    return [sys.executable, "-m", "pytest", *options, "-q", "--rootdir", str(directories.PROJECT), str(lesson)]


def _in_home(home: Path) -> dict[str, str]:
    """Return an environment in which lessons live in ``home``: nbval has no home of its own for a run."""
    return os.environ | {"CLASSROOM_HOME": str(home)}


def _wait_for_first_data(lesson: Path, home: Path, process: subprocess.Popen) -> None:
    """Return as soon as the lesson has landed its first data, made a table or started its first stream."""
    number = lesson_number(lesson.name)
    working_dir = home / "dbfs/user/learner/streaming-classroom" / identifier(number)
    deadline = time.monotonic() + CELL_TIMEOUT
    signs = (".data-factory.json", "checkpoints", "database/*/_delta_log")
    while not any(next(working_dir.glob(sign), None) for sign in signs):
        assert process.poll() is None and time.monotonic() < deadline, f"lesson {number} never landed anything"
        time.sleep(0.1)
