"""Remove everything the lessons created, and nothing else.

The home may have been moved by ``CLASSROOM_HOME``, so a directory that does not look like one is left alone;
so is one that a lesson is working in.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom import places
from streaming_classroom.errors import SetupError

# What every home has after its first lesson or run.
_SIGNS = ("dbfs", "logs", "runs", "locks")


def remove(home: Path) -> bool:
    """Remove the home; return whether there was one.

    Raises
    ------
    SetupError
        It is in use, cannot be removed, or is a directory that holds more than lessons create.
    """
    if not home.exists():
        return False
    _refuse_foreign(home)
    if lesson := next(_open_lessons(home), None):
        raise SetupError(
            f"Lesson {lesson} is open in a kernel or running.",
            "Shut that kernel down, or close JupyterLab, and run the same command again.",
        )
    try:
        shutil.rmtree(home)
    except OSError as error:
        problem = f"{error.filename or home} could not be removed: {error.strerror}."
        raise SetupError(problem, "Make it removable, or remove it by hand.") from error
    return True


def _refuse_foreign(home: Path) -> None:
    above = {path for start in (places.PROJECT, Path.home(), places.cache()) for path in (start, *start.parents)}
    ours = any((home / sign).is_dir() for sign in _SIGNS) or not any(home.iterdir())
    if home.resolve() in above or not ours:
        raise SetupError(
            f"{home} does not look like a directory that only lessons wrote to, so nothing was removed.",
            "Set CLASSROOM_HOME to one that is theirs alone, or remove by hand what they created.",
        )


def _open_lessons(home: Path) -> Iterator[str]:
    """Yield the lessons that a live process has open; the lock of a dead one is free."""
    for pattern in ("locks/*.lock", "runs/*/*/locks/*.lock"):
        for file in sorted(home.glob(pattern)):
            lock = FileLock(file)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                yield file.stem
            finally:
                lock.release()
