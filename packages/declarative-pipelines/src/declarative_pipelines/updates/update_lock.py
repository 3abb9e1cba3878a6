"""The lock of an update, beside the pipeline's storage, so that only one update runs wherever it was started.

Where the storage is a folder that this process can open, the lock is the operating system's, on a file in it:
processes, users and containers that share the folder are kept apart, and the lock ends with its process.  Elsewhere it
is a lease: a file that its owner touches, and that counts no more when nobody has touched it for a while.
Beside that, one session runs one pipeline at a time.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING
from uuid import uuid4
from weakref import WeakKeyDictionary

from declarative_pipelines.engine.storage import Storage
from declarative_pipelines.errors import SessionBusy, UpdateRunning

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOUCH_EVERY = 10.0  # seconds between two touches of a lease
LEASE = 60.0  # seconds after which a lease that nobody has touched counts no more
_FILE = ("system", "update.lock")

_entering = threading.Lock()
_in_sessions: WeakKeyDictionary[SparkSession, str] = WeakKeyDictionary()

_log = logging.getLogger(__name__)


@contextmanager
def only_update(storage: Storage) -> Iterator[None]:
    """Be the only update of a pipeline.

    Raises
    ------
    UpdateRunning
        There is another one, in this process or in another one.
    """
    with _leased(storage) if storage.local is None else _locked(storage.local):
        yield


@contextmanager
def only_in_session(session: SparkSession, name: str) -> Iterator[None]:
    """Be the only pipeline that runs in a session, whose current database and configuration are the pipeline's.

    Raises
    ------
    SessionBusy
        There is another one.
    """
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


@contextmanager
def _leased(storage: Storage) -> Iterator[None]:
    word = uuid4().hex
    _take(storage, word)
    over = threading.Event()
    toucher = threading.Thread(target=_touch, args=(storage, word, over), name="pipeline lease", daemon=True)
    toucher.start()
    try:
        yield
    finally:
        over.set()
        toucher.join(LEASE)
        if _owner(storage) == word:
            storage.remove(*_FILE)


def _take(storage: Storage, word: str) -> None:
    """Write one's word into the lease's file, which only one can make; of two that replace a dead one, one is left."""
    if not storage.create(word, *_FILE):
        if _age(storage, word) < LEASE:
            raise UpdateRunning(storage.root)
        storage.write(word, *_FILE)
        threading.Event().wait(TOUCH_EVERY / 5)  # another may be about to write its own
    if _owner(storage) != word:
        raise UpdateRunning(storage.root)


def _touch(storage: Storage, word: str, over: threading.Event) -> None:
    while not over.wait(TOUCH_EVERY):
        try:
            if _owner(storage) != word:
                _log.error("The lock of %s was taken by another update, which runs at the same time.", storage.root)
                return
            storage.write(word, *_FILE)
        except Exception:  # a store that fails now may not fail at the next touch; the lease lasts for several
            _log.warning("The lock of %s could not be touched.", storage.root, exc_info=True)


def _owner(storage: Storage) -> str:
    with suppress(Exception):  # the file is being replaced, or is gone
        return storage.read(*_FILE)
    return ""


def _age(storage: Storage, word: str) -> float:
    """Return the seconds since the lease was touched, by the clock of the store alone."""
    probe = (*_FILE[:-1], f".{word}.probe")
    storage.write("", *probe)
    try:
        return storage.modified(*probe) - storage.modified(*_FILE)
    finally:
        storage.remove(*probe)
