from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from streaming_classroom.errors import SetupError
from streaming_classroom.setup import guard

HOLD = """
import sys
from streaming_classroom.setup import guard
with guard.setup_lock(print):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(cache: Path):
    """Another process that has the lock until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield process
        process.kill()


def test_who_waits_is_told_and_goes_on_when_the_other_ends(holder) -> None:
    lines = []

    def report(line: str) -> None:
        lines.append(line)
        holder.stdin.close()

    with guard.setup_lock(report):
        assert lines == ["Another set-up is running; waiting for it ..."]


def test_the_lock_of_a_killed_process_is_free(holder) -> None:
    holder.kill()
    holder.wait()
    with guard.setup_lock(pytest.fail):
        pass


@pytest.mark.parametrize(
    ("number", "problem", "fix"),
    [
        (errno.ENOSPC, "The disk of /x/y is full.", "Free 1 GB there"),
        (errno.EDQUOT, "The disk of /x/y is full.", "Free 1 GB there"),
        (errno.EROFS, "/x/y cannot be written: Read-only file system.", "Make it writable, or set CLASSROOM_CACHE"),
        (errno.EACCES, "/x/y cannot be written: Permission denied.", "Make it writable, or set CLASSROOM_CACHE"),
        (errno.EIO, "Input/output error: '/x/y'.", "Fix its cause, or set CLASSROOM_CACHE"),
    ],
)
def test_an_error_of_the_system_says_what_to_do(number: int, problem: str, fix: str) -> None:
    error = OSError(number, os.strerror(number), "/x/y")
    with pytest.raises(SetupError) as caught, guard.setup_errors():
        raise error
    assert caught.value.problem.endswith(problem)
    assert caught.value.fix.startswith(fix)
