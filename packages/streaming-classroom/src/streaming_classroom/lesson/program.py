"""A program in a process of its own that is killed in the middle of its work, as a server that loses its power.

The condition is any that can be seen from outside; :mod:`streaming_classroom.lesson.crash_points` has those of a query.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence

import psutil

POLL_INTERVAL = 0.002  # seconds: a batch of a small lesson takes some hundred times as long
_EXIT_TIMEOUT = 30.0


def kill_when(condition: Callable[[], bool], command: Sequence[str], seconds: float = 120.0) -> int:
    """Run a program, kill it and its child processes (SIGKILL) once a condition is met, and return its exit code.

    Nothing of the program is left when this returns, also where it raises.

    Parameters
    ----------
    condition : callable
        Is called again and again while the program runs; the first true answer kills it.
    command : sequence of str
        The program and its arguments. What it prints is dropped.
    seconds : float
        How long to wait for the condition.

    Raises
    ------
    RuntimeError
        The program ended before the condition was met.
    TimeoutError
        The condition was not met in time.
    """
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + seconds
    try:
        while not condition():
            if process.poll() is not None:
                raise RuntimeError(f"The program ended with exit code {process.returncode} before it could be killed.")
            if time.monotonic() > deadline:
                raise TimeoutError(f"Nothing to kill it for in {seconds:g} seconds.")
            time.sleep(POLL_INTERVAL)
    finally:
        _kill(process)
    return process.wait(_EXIT_TIMEOUT)


def _kill(process: psutil.Popen) -> None:
    try:
        family = [*process.children(recursive=True), process]
    except psutil.NoSuchProcess:  # it has ended
        return
    for one in family:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
