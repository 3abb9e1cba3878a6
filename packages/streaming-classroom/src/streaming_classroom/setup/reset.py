"""``course.py reset``: removes everything the lessons created, and nothing else.

Only a folder that bears the course's marker is touched, of it only what lessons are known to create, and not while a
lesson is working in it.  A stranger's file in it stays, and so does the folder around it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom.errors import SetupError
from streaming_classroom.files import ownership
from streaming_classroom.kafka import broker

# What lessons, runs, brokers and JupyterLab put into a home.
CHILDREN = ("dbfs", "jupyterlab", "kafka", "locks", "logs", "registered", "runs")
_LOCKS = ("locks/*.lock", "runs/*/run.lock", "runs/*/*/locks/*.lock")


def remove(home: Path) -> list[Path] | None:
    """Remove the files of lessons from a home, and the home itself if it is then empty.

    Returns the other entries of the home, or None without a home; SetupError if it is in use or not the course's.
    """
    if not home.exists():
        return None
    if not ownership.is_claimed(home):
        raise SetupError(
            f"{home} is not a folder that the course has made, so nothing was removed.",
            "Set CLASSROOM_HOME to the folder that lessons used, or remove their files by hand.",
        )
    if broker.status():
        raise SetupError(
            "Kafka's broker is running, for a kernel or because of `python course.py kafka start`.",
            "Shut the kernels down, or run `python course.py kafka stop`, and run the same command again.",
        )
    if lesson := next(_open_lessons(home), None):
        raise SetupError(
            f"Lesson {lesson} is open in a kernel or running.",
            "Shut that kernel down, or close JupyterLab, and run the same command again.",
        )
    try:
        for child in (home / name for name in CHILDREN):
            if child.is_symlink():  # what it leads to stays
                child.unlink()
            elif child.is_dir():
                shutil.rmtree(child)
        strangers = sorted(path for path in home.iterdir() if path.name != ownership.MARKER)
        if not strangers:
            (home / ownership.MARKER).unlink()
            home.rmdir()
        return strangers
    except OSError as error:
        problem = f"{error.filename or home} could not be removed: {error.strerror}."
        raise SetupError(problem, "Make it removable, or remove it by hand.") from error


def _open_lessons(home: Path) -> Iterator[str]:
    """Yield the lessons that a live process has open; the lock of a dead one is free."""
    for pattern in _LOCKS:
        for file in sorted(home.glob(pattern)):
            lock = FileLock(file)
            try:
                lock.acquire(timeout=0)
            except Timeout:
                yield file.parent.name if file.name == "run.lock" else file.stem
            finally:
                lock.release()
