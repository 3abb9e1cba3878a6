"""The workspace's folder: marked as the course's own, changed by one process at a time.

The lock ends with its process, so that one that was killed keeps nobody out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories, ownership

LOCK_TIMEOUT = 60  # seconds; the whole takes one or two
_LOCK = ".course.lock"
_WITHOUT = "`python course.py lab --with-outputs` opens the course's own lessons without it."


@contextmanager
def locked_folder() -> Iterator[Path]:
    """Let one process at a time change the workspace, and explain what the disk refuses.

    Raises
    ------
    SetupError
        Somebody else has filled the folder, it cannot be written, or another process does not let go of it.
    """
    try:
        folder = ownership.claim(directories.work(), mark=ownership.WORKSPACE)
        with _locked(folder):
            yield folder
    except OSError as error:
        problem = f"{error.filename or directories.work()} could not be read or written: {error.strerror or error}."
        raise SetupError(problem, f"Put that right, and run the same command again; {_WITHOUT}") from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        with FileLock(folder / _LOCK, timeout=LOCK_TIMEOUT):
            yield
    except Timeout:
        problem = f"Another `course.py` has been at work in {folder} for {LOCK_TIMEOUT} seconds."
        raise SetupError(problem, "End it, then run the same command again.") from None
