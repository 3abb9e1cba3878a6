"""Starts a fresh kernel with this interpreter and environment, and without the user's profile.

An installed ``python3`` kernelspec may point at any Python, and start-up files in a user's IPython
profile may print or import anything; either would make two machines save different outputs.

Every process that a lesson starts (kernel, JVM, Python workers, a broker) inherits the lesson's own
``CLASSROOM_HOME``, which no other lesson has. So a process is found by its environment, also when it
detached itself or its parent died, where a walk down the process tree would miss it.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec

HOME_VARIABLE = "CLASSROOM_HOME"
# Seconds: a JVM that lost its kernel runs its shutdown hooks, about one second; a busy machine needs more.
SHUTDOWN_TIMEOUT = 10.0
_KILLED = 5.0
_POLL = 0.1


def processes_of(home: Path) -> list[psutil.Process]:
    """Return the live processes whose environment names `home`."""
    found = []
    for process in psutil.process_iter():
        # A zombie has no environment any more, so it counts as gone, which it is.
        with suppress(psutil.Error, OSError):  # another user's process, or gone in this moment
            if process.environ().get(HOME_VARIABLE) == str(home):
                found.append(process)
    return found


def end_processes(home: Path, patience: float = SHUTDOWN_TIMEOUT, *, ask: bool = False) -> list[int]:
    """Wait until no process of `home` is left, and kill those left after `patience` seconds; return their ids.

    With `ask`, terminate them first; a JVM whose kernel has ended needs no request.
    """
    if ask:
        for process in processes_of(home):
            with suppress(psutil.Error):  # gone in this moment
                process.terminate()
    remaining = _wait_until_gone(home, patience)
    killed = set()
    deadline = time.monotonic() + _KILLED
    # Again and again: a process may have started another one between the look and the kill.
    while remaining and time.monotonic() < deadline:
        for process in remaining:
            with suppress(psutil.Error):
                process.kill()
                killed.add(process.pid)
        remaining = _wait_until_gone(home, _POLL)
    return sorted(killed)


def _wait_until_gone(home: Path, patience: float) -> list[psutil.Process]:
    deadline = time.monotonic() + patience
    while remaining := processes_of(home):
        if time.monotonic() >= deadline:
            break
        time.sleep(_POLL)
    return remaining


# The package is installed where the kernel runs: it is the same interpreter.
EXPRESSION = f"__import__({__name__!r}, fromlist=['active_streams']).active_streams()"


def active_streams() -> list[str]:
    """Return the names of this process's active streams, sorted, without importing Spark."""
    sql = sys.modules.get("pyspark.sql")
    if sql is None:
        return []
    queries = {str(query.id): query for session in _sessions(sql) for query in session.streams.active}
    return sorted(query.name or f"unnamed, id {id}" for id, query in queries.items())


def _sessions(sql: Any) -> Iterator[Any]:
    """The active session and every one the lesson holds, for each has streams of its own."""
    session_class = sql.SparkSession
    active = session_class.getActiveSession()
    if active is None:
        # Active is a property of a thread, and another thread may have made the session.
        active = getattr(session_class, "_instantiatedSession", None)
    if active is None:
        return
    yield active
    held = vars(sys.modules["__main__"]).values()
    yield from [value for value in held if type(value) is type(active) and value is not active]


KERNEL_LOG = "kernel.log"

quiet = logging.getLogger("streaming_classroom.runner")
# The runner reports what matters itself; without a handler Python would print the rest to stderr.
quiet.addHandler(logging.NullHandler())
quiet.propagate = False


class LessonKernelManager(AsyncKernelManager):
    """Starts a kernel with the runner's interpreter, whatever kernelspecs are installed."""

    def __init__(self) -> None:
        super().__init__(kernel_name=NATIVE_KERNEL_NAME, log=quiet)

    @property
    def kernel_spec(self) -> KernelSpec:
        """The only kernelspec."""
        if self._kernel_spec is None:
            argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            self._kernel_spec = KernelSpec(argv=argv, display_name="Python 3", language="python")
        return self._kernel_spec


def kernel_environment(home: Path, notebook: Path) -> dict[str, str]:
    """Return the environment of the kernel whose lesson lives in `home`: the runner's own, and this."""
    return {
        **os.environ,
        HOME_VARIABLE: str(home),
        "JPY_SESSION_NAME": str(notebook),  # as Jupyter's server says it
        "IPYTHONDIR": str(home / ".ipython"),
        "PYTHONUTF8": "1",  # Windows would write notebooks' text in its own code page
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # else a debugger warning appears on stderr
    }
