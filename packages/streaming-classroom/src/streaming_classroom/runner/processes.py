"""Ends every process that a lesson has started.

Every process that a lesson starts (kernel, JVM, Python workers, a broker) inherits the lesson's own
``CLASSROOM_HOME``, which no other lesson has. So a process is found by its environment, also when it
detached itself or its parent died, where a walk down the process tree would miss it.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import psutil

HOME_VARIABLE = "CLASSROOM_HOME"
PATIENCE = 10.0  # a JVM that lost its kernel runs its shutdown hooks, about one second; a busy machine needs more
_KILLED = 5.0
_POLL = 0.1


def processes_of(home: Path) -> list[psutil.Process]:
    """Return the live processes whose environment says that they belong to `home`."""
    return [process for process in psutil.process_iter() if _belongs(process, str(home))]


def end_processes(home: Path, patience: float = PATIENCE, *, ask: bool = False) -> list[int]:
    """Return when no process of `home` is left: they get `patience` seconds to go, then they are killed.

    Parameters
    ----------
    ask
        Ask them to go first. Not needed for a JVM whose kernel has ended, which goes by itself.

    Returns
    -------
    list of int
        Ids of the processes that had to be killed.
    """
    if ask:
        for process in processes_of(home):
            _send(process, "terminate")
    remaining = _wait_until_gone(home, patience)
    killed = []
    deadline = time.monotonic() + _KILLED
    # Again and again: a process may have started another one between the look and the kill.
    while remaining and time.monotonic() < deadline:
        killed += [process.pid for process in remaining if _send(process, "kill")]
        remaining = _wait_until_gone(home, _POLL)
    return sorted(set(killed))


def _belongs(process: psutil.Process, home: str) -> bool:
    try:
        # A zombie has no environment any more, so it counts as gone, which it is.
        return process.environ().get(HOME_VARIABLE) == home
    except (psutil.Error, OSError):  # another user's process, or gone in this moment
        return False


def _wait_until_gone(home: Path, patience: float) -> list[psutil.Process]:
    deadline = time.monotonic() + patience
    while remaining := processes_of(home):
        if time.monotonic() >= deadline:
            break
        time.sleep(_POLL)
    return remaining


def _send(process: psutil.Process, what: Literal["terminate", "kill"]) -> bool:
    try:
        getattr(process, what)()
    except psutil.Error:  # gone in this moment
        return False
    return True
