"""A program is killed once a condition is met, with its children; one that ends or waits too long is told."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from streaming_classroom.lesson.program import kill_when

WITH_A_CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1] + ".new", "w").write(str(child.pid))
__import__("os").replace(sys.argv[1] + ".new", sys.argv[1])
time.sleep(60)
"""


def test_the_program_and_its_child_are_killed(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    assert kill_when(ready.exists, [sys.executable, "-c", WITH_A_CHILD, str(ready)], 30) != 0
    deadline = time.monotonic() + 120
    while _runs(int(ready.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE  # in a container, nobody may ask how it ended
    except psutil.NoSuchProcess:
        return False


def test_a_program_that_ends_first_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="exit code 3 before"):
        kill_when(lambda: False, [sys.executable, "-c", "raise SystemExit(3)"], 30)


def test_a_condition_that_is_never_met_ends_the_program_as_well() -> None:
    with pytest.raises(TimeoutError, match=r"0\.2 seconds"):
        kill_when(lambda: False, [sys.executable, "-c", "import time; time.sleep(60)"], 0.2)
