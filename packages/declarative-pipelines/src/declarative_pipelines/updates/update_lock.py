"""The lock of an update, beside the pipeline's storage, so that only one update runs wherever it was started.

Where the storage is a folder that this process can open, the lock is the operating system's, on a file in it: it keeps
processes, users and containers apart that share the folder, and ends with its process.  A store that only Hadoop opens
has no lock.  Beside that, one session runs one pipeline at a time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING
from weakref import WeakKeyDictionary

from declarative_pipelines.engine.storage import Storage
from declarative_pipelines.errors import SessionBusy, UpdateRunning

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FILE = ("system", "update.lock")

_entering = threading.Lock()
_in_sessions: WeakKeyDictionary[SparkSession, str] = WeakKeyDictionary()


@contextmanager
def only_update(storage: Storage) -> Iterator[None]:
    """Hold the pipeline's update lock, in a storage that is a folder; UpdateRunning if another update holds it."""
    with nullcontext() if storage.local is None else _locked(storage.local):
        yield


@contextmanager
def only_in_session(session: SparkSession, name: str) -> Iterator[None]:
    """Hold the session for one pipeline, whose database and settings it has; SessionBusy if another one holds it."""
    with _entering:
        if running := _in_sessions.get(session):
            raise SessionBusy(running)
        _in_sessions[session] = name
    try:
        yield
    finally:
        del _in_sessions[session]


@contextmanager
def _locked(storage: Path) -> Iterator[None]:
    path = storage.joinpath(*_FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        try:
            _lock(file)
        except OSError:
            raise UpdateRunning(str(storage)) from None
        yield  # closing the file gives the lock back


def _lock(file: IO[bytes]) -> None:
    if os.name == "nt":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
