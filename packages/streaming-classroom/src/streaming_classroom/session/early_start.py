"""Starts Spark when a lesson's notebook is opened, before its set-up cell is run.

A kernel starts when its notebook is opened, and the set-up cell is run some seconds later; Spark needs just these
seconds.  Set-up silently takes over the start.

Only one kernel of a home at a time has a Spark that nobody has asked for yet, so that JupyterLab, opening the five
lessons of yesterday, does not start five.  If the settings have changed in between, the early session is stopped.

All imports are late: they hold up the kernel, which a person waits for.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streaming_classroom import environment
from streaming_classroom.files import directories

if TYPE_CHECKING:
    from filelock import FileLock

_SET_UP = ("Classroom-Setup", "set_up_notebook", "streaming_classroom")
_PAUSE = 0.3  # seconds in which the kernel answers the front end first
_MEMORY = 2 * 1024**3  # bytes that have to be free; a lesson's Spark takes up to one of the two

_early: _EarlyStart | None = None


@dataclass
class _EarlyStart:
    """A start in progress: its lock, the modules still to import, the thread that starts Spark, and which Spark."""

    lock: FileLock
    imports: Iterator[str]
    thread: threading.Thread | None = None
    asked_for: tuple[Any, ...] | None = None


def begin(notebook: Path) -> bool:
    """Start Spark in the background if this notebook will need a local session; return whether it does.

    ``CLASSROOM_EARLY_START=0`` turns it off.
    """
    global _early
    if os.environ.get("CLASSROOM_EARLY_START") == "0" or not environment.is_one_machine():
        return False
    try:
        text = notebook.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    if not any(word in text for word in _SET_UP):  # others may want a Spark with settings of their own
        return False
    import psutil

    if psutil.virtual_memory().available < _MEMORY or (lock := _home_lock()) is None:
        return False
    _early = _EarlyStart(lock, _imports())
    _schedule_import(_PAUSE, _early)
    return True


def take_over() -> None:
    """Wait for the early start, and stop its session if another Spark is requested by now.

    An error in the background is raised by the next regular start, where it is visible.
    """
    global _early
    early, _early = _early, None
    if early is None:
        return
    early.lock.release(force=True)
    if early.thread is None:
        return
    early.thread.join()  # ends with the start of Spark, which has its own deadline
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from streaming_classroom.session import spark_session

    if early.asked_for == spark_session.asked_for():
        return
    # The next session may have another location or class path, so the JVM ends as well.
    if (session := SparkSession._instantiatedSession) is not None:
        session.stop()
    if (gateway := SparkContext._gateway) is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()  # the JVM ends when nobody can write to it any more
        SparkContext._gateway = SparkContext._jvm = None


def _schedule_import(seconds: float, early: _EarlyStart) -> None:
    """Continue when the kernel has nothing else to do: not before that many seconds, and not within a cell."""
    from tornado.ioloop import IOLoop  # which every kernel runs on

    IOLoop.current().call_later(seconds, _import_next, early)


def _import_next(early: _EarlyStart) -> None:
    """Import one module, and after the last one start Spark.

    Two threads that import at the same time may see half-initialized modules, so the thread that starts Spark finds all
    of its modules loaded.
    """
    if early is not _early:
        return  # the set-up cell was quicker
    if (name := next(early.imports, None)) is None:
        early.thread = threading.Thread(target=_start, args=(early,), name="early start of Spark", daemon=True)
        early.thread.start()
        return
    with suppress(Exception):  # what cannot be imported fails again in the set-up cell
        import_module(name)
    _schedule_import(0, early)


def _imports() -> Iterator[str]:
    yield from ("pyspark.sql", "streaming_classroom.setup.steps", "streaming_classroom.session.spark_session")
    from streaming_classroom.session.spark_session import IMPORTED_MEANWHILE

    yield from IMPORTED_MEANWHILE


def _home_lock() -> FileLock | None:
    """Return the home's lock, held; None where another kernel has it, or the home is not one to write into."""
    from filelock import FileLock, Timeout

    from streaming_base.errors import ExplainedError
    from streaming_classroom.files import ownership

    lock = FileLock(directories.home() / "locks" / "early-start.lock", thread_local=False)
    try:
        ownership.claim(directories.home())
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except (ExplainedError, OSError, Timeout):  # set-up says what is wrong with the home
        return None
    return lock


def _start(early: _EarlyStart) -> None:
    from streaming_classroom.session import spark_session
    from streaming_classroom.setup import steps

    with suppress(Exception):  # the set-up cell tries again, and there it is seen
        if steps.session_java() is None:
            return  # fetching takes minutes and is reported; that is the set-up cell's
        early.asked_for = spark_session.asked_for()
        session = spark_session.classic_session()
        session.sql("SHOW TABLES").collect()  # the first statement takes as long as the session itself
