"""The directory of a run, and the removal of old ones that nobody uses any more."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom.files import ownership

KEPT = 10  # runs whose notebooks are kept; a failed lesson's home has 40 MB
_NAME = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_LOCK = "run.lock"


@contextmanager
def new_run(home: Path) -> Iterator[Path]:
    """Give a directory below ``home/runs`` that no other run has, also if both start in the same second.

    While it is in use it is not removed, however many other runs begin meanwhile.

    Raises
    ------
    SetupError
        The home is a folder that the course has not made.
    """
    runs = ownership.claim(home.absolute()) / "runs"
    directory = runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
    directory.mkdir(parents=True)
    with FileLock(directory / _LOCK):
        _remove_old(runs)
        yield directory


def _remove_old(runs: Path) -> None:
    """Remove all but the newest few of the runs that have ended."""
    made = sorted(path for path in runs.iterdir() if _NAME.fullmatch(path.name) and not path.is_symlink())
    for old in made[:-KEPT]:
        lock = FileLock(old / _LOCK)
        try:
            lock.acquire(blocking=False)
        except Timeout:  # it is still going
            continue
        try:
            shutil.rmtree(old, ignore_errors=True)
        finally:
            lock.release()
