"""Sharing one broker among all kernels of a home: joining, leaving, and ending an orphaned one.

What is known about it lies in the home's folder ``kafka``, and every change of that is made under a lock.  A process
joins by a lock of its own, which ends with it; :mod:`.supervisor` looks at those locks.
"""

from __future__ import annotations

import atexit
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock, Timeout

from streaming_classroom.errors import BrokerStartError
from streaming_classroom.files import directories, ownership
from streaming_classroom.kafka import broker
from streaming_classroom.kafka.supervisor import GRACE, BrokerDirectory
from streaming_classroom.setup.java import Java

CHANGE_TIMEOUT = broker.START_TIMEOUT + GRACE  # seconds; whoever holds the lock may be starting the broker
LOOK_EVERY = 0.05

_joined: dict[Path, tuple[int, FileLock]] = {}  # the process that joined, by the broker's folder, and its lock


@dataclass(frozen=True)
class Status:
    """A broker that runs: where it answers, its process, who uses it, and whether it stays when nobody does."""

    address: str
    pid: int
    users: tuple[int, ...]
    kept: bool


def place() -> BrokerDirectory:
    """Return the place of this home's broker."""
    return BrokerDirectory(directories.home() / "kafka")


def log() -> Path:
    """Return the file in which the broker's last words are."""
    return place().folder.parent / "logs" / "kafka.log"


def join(find_java: Callable[[], Java], keep: bool = False) -> str:
    """Return the address of the broker, started if there is none; until this process ends, it is needed.

    Parameters
    ----------
    find_java : callable
        Returns what runs it, if it must be started, after fetching what that needs.
    keep : bool
        Whether it is to stay until somebody stops it, and this process does not matter.

    Raises
    ------
    BrokerStartError
        It did not start; the message has its last words.
    """
    here = place()
    if not keep and _has_joined(here) and (address := _address(here)):
        return address
    ownership.claim(here.folder.parent)
    for folder in (here.users, here.alive.parent):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        changing = _changing(here).acquire()
    except Timeout:
        raise BrokerStartError(str(log()), "Another kernel is starting it, and has not come to an end.") from None
    with changing:
        if not keep:
            _register(here)
        address = _joinable(here)
        if address is None:
            _end_orphan(here)
            here.forget()
            # It must be needed before it runs, or its supervisor would end it at once.
            if keep:
                here.kept.touch()
            try:
                address = broker.start(find_java(), here, log()).address
            except BaseException:
                here.forget()
                raise
        if keep:
            here.kept.touch()
        return address


def leave() -> None:
    """Let go of the broker, if this process has joined one; where nobody else needs it, return when it is gone."""
    for folder, (process, lock) in list(_joined.items()):
        if process != os.getpid():  # of the process that this one was forked from
            continue
        del _joined[folder]
        lock.release()
        here = BrokerDirectory(folder)
        if folder.exists() and not here.is_needed():
            _await_end(here)


def stop() -> bool:
    """Stop the broker, whoever uses it, and return whether there was one; its messages are kept."""
    here = place()
    if not here.is_supervised():
        return False
    with _changing(here):
        here.stop.touch()
        here.state.unlink(missing_ok=True)
    return _await_end(here)


def status() -> Status | None:
    """Return what there is to say about the broker, or None if there is none."""
    here = place()
    state = _state(here)
    if state is None or not here.is_supervised():
        return None
    here.has_users()  # forgets the dead
    users = sorted(int(file.stem) for file in here.users.glob("*.lock"))
    return Status(state["address"], state["pid"], tuple(users), here.kept.exists())


def _changing(here: BrokerDirectory) -> FileLock:
    return FileLock(here.change, timeout=CHANGE_TIMEOUT)


def _register(here: BrokerDirectory) -> None:
    if _has_joined(here):
        return
    # Not of one thread: it is released by whichever leaves.
    lock = FileLock(here.users / f"{os.getpid()}.lock", thread_local=False)
    lock.acquire(timeout=CHANGE_TIMEOUT)
    _joined[here.folder] = (os.getpid(), lock)


def _has_joined(here: BrokerDirectory) -> bool:
    process, _lock = _joined.get(here.folder, (None, None))
    return process == os.getpid()


def _joinable(here: BrokerDirectory) -> str | None:
    """Return the address of a broker that runs; one that is ending, or that never answers, is waited for."""
    deadline = time.monotonic() + broker.STOP_TIMEOUT
    while here.is_supervised():
        address = _address(here)
        if address and broker.answers(address):
            return address
        if time.monotonic() > deadline:  # it hangs
            here.stop.touch()
            if not _await_end(here):
                raise BrokerStartError(str(log()), "The broker before it neither answers nor ends.")
        time.sleep(LOOK_EVERY)
    return None


def _address(here: BrokerDirectory) -> str | None:
    """Return where the broker answers that may be joined now."""
    state = _state(here)
    joinable = state is not None and not here.stop.exists() and here.is_supervised()
    return state["address"] if joinable else None


def _state(here: BrokerDirectory) -> dict[str, Any] | None:
    try:
        return json.loads(here.state.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _end_orphan(here: BrokerDirectory) -> None:
    """End the broker of a supervisor that was killed; the number of its process may be another one's by now."""
    state = _state(here)
    if state is None:
        return
    with suppress(psutil.NoSuchProcess):
        orphan = psutil.Process(state["pid"])
        if "kafka.Kafka" in orphan.cmdline() and abs(orphan.create_time() - state["began"]) < 5:
            orphan.terminate()
            with suppress(psutil.TimeoutExpired):
                orphan.wait(GRACE)
            orphan.kill()


def _await_end(here: BrokerDirectory) -> bool:
    """Return whether the supervisor has ended within its time."""
    try:
        with FileLock(here.alive, timeout=broker.STOP_TIMEOUT):
            here.stop.unlink(missing_ok=True)
            return True
    except Timeout:
        return False


atexit.register(leave)
