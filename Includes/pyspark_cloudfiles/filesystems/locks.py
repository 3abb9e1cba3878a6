"""A lock between processes that the operating system gives back, however its holder ends."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

from pyspark_cloudfiles.errors import StateInUse

# What a system answers when another holds the lock.
_HELD = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)
_PAUSE_SECONDS = 0.05


@contextlib.contextmanager
def held(path: str, timeout: float) -> Iterator[None]:
    """Hold the lock of a path: a hidden file beside it, which stays, because deleting it would let in two.

    Raises
    ------
    StateInUse
        Another thread or process still held it after ``timeout`` seconds.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(target.with_name(f".{target.name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _acquire(handle, path, timeout)
        _sign(handle)
        yield
    finally:
        os.close(handle)  # which also gives the lock back


def _acquire(handle: int, path: str, timeout: float) -> None:
    until = time.monotonic() + timeout
    while not _try(handle):
        if time.monotonic() >= until:
            raise StateInUse(
                f"{path} is in use by {_holder(handle)}: it did not become free in {timeout:g} seconds. "
                "Stop the other stream, or give this one its own checkpoint and schema location."
            )
        time.sleep(_PAUSE_SECONDS)


def _try(handle: int) -> bool:
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _lock(handle: int) -> None:
        # A byte far behind the text, which others must be able to read.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sign(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, f"process {os.getpid()}".encode())


def _holder(handle: int) -> str:
    os.lseek(handle, 0, os.SEEK_SET)
    return os.read(handle, 100).decode(errors="replace") or "another process"
