"""The lock of the set-up, which ends with its process, and the errors of the disk as errors of the set-up."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories, ownership

LOCK_TIMEOUT = 1200  # seconds; a whole set-up over a slow line

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextmanager
def setup_lock(report: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of the set-up, under which the cache may be changed; SetupError after a long wait."""
    ownership.claim_cache()
    lock = FileLock(directories.cache() / "setup.lock")
    try:
        _acquire(lock, report)
        yield
    finally:
        lock.release()


@contextmanager
def setup_errors() -> Iterator[None]:
    """Raise a SetupError with the fix in the place of an error of the operating system."""
    try:
        yield
    except OSError as error:
        raise explain(error) from error


def explain(error: OSError) -> SetupError:
    """Return the SetupError for an error of the operating system, with its fix."""
    place = error.filename or directories.cache()
    if error.errno in _FULL:
        return SetupError(f"The disk of {place} is full.", "Free 1 GB there, and run the same command again.")
    elsewhere = "or set CLASSROOM_CACHE to a folder of your own with 1 GB to spare, and run the same command again."
    if error.errno in _READ_ONLY:
        return SetupError(f"{place} cannot be written: {error.strerror}.", f"Make it writable, {elsewhere}")
    return SetupError(f"The set-up failed: {error}.", f"Fix its cause, {elsewhere}")


def _acquire(lock: FileLock, report: Callable[[str], None]) -> None:
    try:
        lock.acquire(blocking=False)
        return
    except Timeout:
        report("Another set-up is running; waiting for it ...")
    try:
        lock.acquire(timeout=LOCK_TIMEOUT)
    except Timeout:
        problem = f"Another set-up has been running for {LOCK_TIMEOUT // 60} minutes."
        raise SetupError(problem, "End it, then run the same command again.") from None
