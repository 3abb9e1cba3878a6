"""Spark's log files in the home: one per process, the newest few kept."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from streaming_classroom.files import directories

KEPT = 20


def new_log() -> Path:
    """Return the path of this process's log, after removing the oldest of many that processes have left.

    Other kernels may do the same at the same time.
    """
    directories.logs().mkdir(parents=True, exist_ok=True)
    logs = sorted(directories.logs().glob("spark-*.log"), key=_last_written)
    # A log that is still written to may be the oldest: that of a session that has had nothing to say for long.
    for old in [path for path in logs if not _is_in_use(path)][: -KEPT + 1]:
        old.unlink(missing_ok=True)
    return directories.logs() / f"spark-{os.getpid()}.log"


def _last_written(log: Path) -> float:
    try:
        return log.stat().st_mtime
    except FileNotFoundError:  # another kernel has removed it in this moment
        return 0.0


def _is_in_use(log: Path) -> bool:
    number = log.stem.removeprefix("spark-")
    return number.isdecimal() and psutil.pid_exists(int(number))
