"""Every lesson: through the runner, compared with its committed outputs, twice, after a kill, in any order."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import nbformat
import psutil
import pytest

from streaming_classroom import places
from streaming_classroom.runner import find_lessons, run_lessons

LESSONS = find_lessons([], places.notebooks())
CHECKED = "nbval-check-output"
CELL_TIMEOUT = 240  # seconds; CI's machines are slow and shared

# The long form takes an hour: every lesson through the runner, twice in a row in one home, and after a kill. Otherwise
# every lesson is compared, two go through the runner before, in the same home, and one is killed; others each time.
LONG = os.environ.get("CLASSROOM_LONG_TESTS") == "1"
RUNS = 2 if LONG else 1
KILLED = LESSONS if LONG else [random.choice(LESSONS)]
RUN = len(LESSONS) if LONG else 2


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for all runs of this module, as a learner has one."""
    return tmp_path_factory.mktemp("home")


def test_lessons_pass_in_a_random_order(home: Path) -> None:
    seed = random.randrange(10**6)
    shuffled = random.Random(seed).sample(LESSONS, RUN)
    result = run_lessons(shuffled, jobs=2, cell_timeout=CELL_TIMEOUT, home=home)
    assert result.passed, f"with seed {seed}: {[str(failure) for run in result.lessons for failure in run.failures]}"


@pytest.fixture(scope="module")
def compared(home: Path) -> Iterator[dict[Path, Future[subprocess.CompletedProcess]]]:
    """Every lesson is compared with its committed outputs, two at a time, in a random order, in one home."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        yield {lesson: pool.submit(_compare, lesson, home, RUNS) for lesson in random.sample(LESSONS, len(LESSONS))}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_gives_the_committed_outputs(
    lesson: Path, compared: dict[Path, Future[subprocess.CompletedProcess]]
) -> None:
    done = compared[lesson].result()
    assert done.returncode == 0, done.stdout[-5000:]


def test_a_changed_output_is_noticed(tmp_path: Path) -> None:
    """The comparison itself can fail: the first lesson with one number changed."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    cell = nbformat.v4.new_code_cell("print(1 + 1)", metadata={"tags": [CHECKED]})
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="3\n")]
    notebook.cells = [cell]
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    options = ["--nbval-lax", "--nbval-current-env", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path / "changed.ipynb")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 1 and "Cell 0" in done.stdout


@pytest.mark.parametrize("lesson", KILLED, ids=lambda path: path.stem)
def test_a_lesson_starts_over_after_a_kill_in_the_middle(lesson: Path, tmp_path: Path) -> None:
    """SIGKILL to kernel and JVM in the midst of it, then the same lesson again in the same home."""
    output = tmp_path / "killed.txt"
    with output.open("w") as file:
        process = subprocess.Popen(_nbval(lesson), env=_in_home(tmp_path), stdout=file, stderr=subprocess.STDOUT)
    _wait_for_the_middle(lesson, tmp_path, process)
    _kill_with_children(process)
    done = _compare(lesson, tmp_path)
    assert done.returncode == 0, done.stdout[-5000:]


def test_a_lesson_runs_without_network(tmp_path: Path) -> None:
    """In a network namespace that has nothing but the loop-back interface."""
    isolated = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("needs `unshare` and `ip`: on Debian, apt install util-linux iproute2")
    if subprocess.run([*isolated, "true"], capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody make a network namespace")
    connect = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=5)"
    assert (
        "unreachable"
        in subprocess.run([*isolated, sys.executable, "-c", connect], capture_output=True, text=True).stderr
    )
    command = [sys.executable, str(places.PROJECT / "course.py"), "run", "01", "--cell-timeout", str(CELL_TIMEOUT)]
    environ = os.environ | {"CLASSROOM_HOME": str(tmp_path / "home")}
    done = subprocess.run([*isolated, *command], env=environ, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "1 of 1 lessons passed" in done.stdout


def _kill_with_children(process: subprocess.Popen) -> None:
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    for child in children:
        child.kill()
    psutil.wait_procs(children, timeout=20)
    process.wait(20)


def _compare(lesson: Path, home: Path, runs: int = 1) -> subprocess.CompletedProcess:
    """Run a lesson so many times in a row, or until it fails; return the last run."""
    for _run in range(runs):
        done = subprocess.run(_nbval(lesson), env=_in_home(home), capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            break
    return done


def _nbval(lesson: Path) -> list[str]:
    options = ["--nbval-lax", "--nbval-current-env", f"--nbval-cell-timeout={CELL_TIMEOUT}", "-p", "no:cacheprovider"]
    return [sys.executable, "-m", "pytest", *options, "-q", "--rootdir", str(places.PROJECT), str(lesson)]


def _in_home(home: Path) -> dict[str, str]:
    """Return an environment in which lessons live in ``home``: nbval has no home of its own for a run."""
    return os.environ | {"CLASSROOM_HOME": str(home)}


def _wait_for_the_middle(lesson: Path, home: Path, process: subprocess.Popen) -> None:
    """Return when the lesson has landed its first data, or begun its first stream, and gone on for a few seconds."""
    number = lesson.name[:2]
    working_dir = home / "dbfs/user/learner/streaming-classroom" / number
    deadline = time.monotonic() + CELL_TIMEOUT
    signs = [working_dir / ".data-factory.json", working_dir / "checkpoints"]
    while not any(sign.exists() for sign in signs):
        assert process.poll() is None and time.monotonic() < deadline, f"lesson {number} never landed anything"
        time.sleep(0.1)
    time.sleep(random.uniform(1, 10))
    assert process.poll() is None, f"lesson {number} had ended before it could be killed"
