"""What set-up does inside the virtual environment, step by step.

Each step knows whether it is done, so a second start does nothing and an interrupted one goes on where it was.
A lock lets two set-ups at once do the work once.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from filelock import FileLock, Timeout

from streaming_classroom import datasets, environment, places
from streaming_classroom.errors import JarsUnavailable, JavaNotFound, SetupError
from streaming_classroom.setup import archive, jars, java

LOCK_TIMEOUT = 1200  # seconds; a whole set-up over a slow line


@dataclass(frozen=True)
class Step:
    """One step: what it is called, whether it is done, and how it is done."""

    title: str
    is_done: Callable[[], bool]
    do: Callable[[], object]


def steps() -> list[Step]:
    """Return the steps in the order in which they need each other."""
    return [
        Step("Java", lambda: java.find().java is not None, java.find_or_fetch),
        Step("Delta's jars", lambda: not jars.missing_or_damaged(), _fetch_jars),
        Step("Datasets", datasets_made, _make_datasets),
        Step("Class-data archive (makes every later start quicker)", _archive_made, _make_archive),
    ]


def set_up(report: Callable[[str], None], offset: int = 0) -> None:
    """Do every step that is not done.

    Parameters
    ----------
    report : callable
        Is given one line for each step that has work to do.
    offset : int, optional
        How many steps came before these, for the numbering.

    Raises
    ------
    SetupError
        A step could not be done; the message says what to do.
    """
    todo = steps()
    if all(step.is_done() for step in todo):
        return
    try:
        with setup_lock(report):
            for number, step in enumerate(todo, start=1 + offset):
                if not step.is_done():
                    report(f"[{number}/{len(todo) + offset}] {step.title} ...")
                    step.do()
    except OSError as error:
        raise SetupError(
            problem=f"{places.cache()} could not be written: {error.strerror or error}.",
            fix="Make room on the disk, or set CLASSROOM_CACHE to a directory with 1 GB to spare, and run again.",
        ) from error


def ensure_session_needs() -> java.Java:
    """Return the Java to use, after fetching what a session cannot start without.

    What a kernel does that was started without `course.py`; where set-up is done it costs a millisecond.
    """
    search = java.find_or_fetch()
    if search.java is None:
        raise JavaNotFound("There is no Java 17 or later here.", "Install one and run again.")
    if not all(path.exists() for path in jars.paths()):
        with setup_lock(lambda _line: None):
            jars.fetch(search.java)
    return search.java


def setup_lock(report: Callable[[str], None]):
    """Return the lock under which the cache is changed, acquired.

    Raises
    ------
    SetupError
        Another set-up has held it for longer than any set-up takes.
    """
    places.cache().mkdir(parents=True, exist_ok=True)
    lock = FileLock(places.cache() / "setup.lock")
    try:
        return lock.acquire(timeout=0.1)
    except Timeout:
        report("Another set-up is running; waiting for it ...")
    try:
        return lock.acquire(timeout=LOCK_TIMEOUT)
    except Timeout:
        raise SetupError(
            f"Another set-up has been running for {LOCK_TIMEOUT // 60} minutes.",
            "End it, then run the same command again.",
        ) from None


def _fetch_jars() -> None:
    found = java.find_or_fetch().java
    if found is None:
        raise JarsUnavailable("There is no Java to fetch the jars with.", "Install Java 17 or later.")
    jars.fetch(found)


def datasets_made() -> bool:
    return all(datasets.directory(name).exists() for name in datasets.names())


def _make_datasets() -> None:
    for name in datasets.names():
        datasets.generate(name)


def _archive_made() -> bool:
    """Whether there is nothing to gain: the archive is there, or this kind of session does not use it."""
    return not environment.fast_start() or archive.path().exists() or _failed_marker().exists()


def _make_archive() -> None:
    """Make the archive; where that fails, remember it, because lessons run without."""
    try:
        archive.make()
    except (subprocess.SubprocessError, OSError):
        _failed_marker().touch()


def _failed_marker():
    return archive.path().with_suffix(".failed")
