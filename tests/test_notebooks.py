"""Every lesson: through the runner, compared with its committed outputs, twice, after a kill, in any order."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import psutil
import pytest

from streaming_classroom import places
from streaming_classroom.runner import find_lessons, run_lessons

LESSONS = find_lessons([], places.notebooks())
CHECKED = "nbval-check-output"
CELL_TIMEOUT = 240  # seconds; CI's machines are slow and shared


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for all runs of this module, as a learner has one."""
    return tmp_path_factory.mktemp("home")


def test_all_lessons_pass_in_a_random_order(home: Path) -> None:
    seed = random.randrange(10**6)
    shuffled = random.Random(seed).sample(LESSONS, len(LESSONS))
    result = run_lessons(shuffled, jobs=2, cell_timeout=CELL_TIMEOUT, home=home)
    assert result.passed, f"with seed {seed}: {[str(failure) for run in result.lessons for failure in run.failures]}"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_gives_the_committed_outputs(lesson: Path, home: Path) -> None:
    """nbval runs it in the lesson's usual home, where the runner's home of one run is not: a second run."""
    options = ["--nbval-lax", "--nbval-current-env", f"--nbval-cell-timeout={CELL_TIMEOUT}", "-p", "no:cacheprovider"]
    environ = os.environ | {"CLASSROOM_HOME": str(home)}
    command = [sys.executable, "-m", "pytest", *options, "-q", "--rootdir", str(places.PROJECT), str(lesson)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=900)
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


def test_a_lesson_starts_over_after_a_kill_in_the_middle(tmp_path: Path) -> None:
    """SIGKILL to kernel and JVM while streams run, then the same lesson again in the same home."""
    environ = os.environ | {"CLASSROOM_HOME": str(tmp_path)}
    program = (
        "import sys; sys.path.insert(0, '../Includes')\n"
        "from streaming_classroom import set_up_notebook, start_lesson\n"
        "set_up_notebook(globals())\n"
        "DA = start_lesson('01', dataset='device-readings/readings', into_table='bronze')\n"
        "DA.data_factory.load()\n"
        "stream = spark.readStream.table('bronze').writeStream\n"
        "stream.option('checkpointLocation', DA.paths.checkpoints + '/c').toTable('copy')\n"
        "print('running', flush=True)\n"
        "while True: DA.data_factory.load()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environ, cwd=places.notebooks(), stdout=subprocess.PIPE, text=True
    )
    assert any(line == "running\n" for line in process.stdout)
    _kill_with_children(process)
    lesson = find_lessons(["01"], places.notebooks())[0]
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", "-q", "-p", "no:cacheprovider"]
    command += [f"--nbval-cell-timeout={CELL_TIMEOUT}", "--rootdir", str(places.PROJECT), str(lesson)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=900)
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
    environ = os.environ | {"CLASSROOM_HOME": str(tmp_path)}
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
