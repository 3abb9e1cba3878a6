"""The course's directories on disk: project, home, cache, notebooks.

Four roots, and nothing is ever written outside them: the *project* (this checkout), the *cache* (what set-up
fetched or made once; deleting it costs time, never work), the *home* (what lessons create; `reset` empties it) and
the *workspace* (the learner's own copies of the lessons, which nothing of ours removes).  The environment variables
``CLASSROOM_CACHE``, ``CLASSROOM_HOME`` and ``CLASSROOM_WORK`` move the last three.
"""

from __future__ import annotations

import os
from pathlib import Path

from notebook_dialect.files.filesystem import FileSystem
from streaming_classroom import environment

PROJECT = Path(__file__).resolve().parents[5]


def cache() -> Path:
    """Directory of what set-up fetched or made: jars, archive, datasets, Java."""
    return Path(os.environ.get("CLASSROOM_CACHE") or PROJECT / ".cache").absolute()


def is_default_cache() -> bool:
    """Whether the cache is the checkout's own folder, which nobody else has anything in."""
    return cache() == PROJECT / ".cache"


def home() -> Path:
    """Directory of what lessons create: file-system root, logs, runs."""
    return Path(os.environ.get("CLASSROOM_HOME") or PROJECT / ".classroom").absolute()


def logs() -> Path:
    """Directory of Spark's logs, one file a kernel."""
    return home() / "logs"


def notebooks() -> Path:
    """Directory of the lessons, as they are committed."""
    return PROJECT / "notebooks"


def includes() -> Path:
    """Directory of what lessons ``%run``."""
    return PROJECT / "Includes"


def work() -> Path:
    """Directory of the learner's own copies of the lessons."""
    return Path(os.environ.get("CLASSROOM_WORK") or PROJECT / "work").absolute()


def classroom_files() -> FileSystem:
    """Return what ``dbfs:/`` stands for: a folder of the home, as the environment is now."""
    return FileSystem(home() / "dbfs", home(), environment.spark_place())
