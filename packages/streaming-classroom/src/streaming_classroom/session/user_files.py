"""The user's name, and the directories of the user."""

from __future__ import annotations

import getpass
import os
import shutil

from streaming_classroom import environment
from streaming_classroom.files import directories, ownership
from streaming_classroom.files.directories import classroom_files

_made: set[str] = set()  # what this kernel may remove again


def username() -> str:
    """Return the user's name: the platform's, else ``CLASSROOM_USER``, else a fixed one on one machine.

    A private home needs no private name, and a fixed one keeps user names out of saved outputs.
    """
    if environment.is_databricks():
        # A session costs seconds, and only the platform is asked.
        from streaming_classroom.session.spark_session import get_spark

        return get_spark().sql("SELECT current_user()").first()[0]
    return os.environ.get("CLASSROOM_USER") or ("learner" if environment.is_one_machine() else getpass.getuser())


def userhome() -> str:
    """Return the directory that is the user's own, in Spark's spelling."""
    return classroom_files().spark_path(f"dbfs:/user/{username()}")


def base_path() -> str:
    """Return the directory of the lessons' directories."""
    return f"{userhome()}/streaming-classroom"


def make_working_dir() -> str:
    """Return the directory of notebooks without a lesson of their own, created if necessary."""
    path = _working_dir()
    ownership.claim(directories.home())
    classroom_files().local_path(path).mkdir(parents=True, exist_ok=True)
    _made.add(path)
    return path


def has_working_dir() -> bool:
    """Whether this kernel has asked for the directory of notebooks without a lesson, and not removed it since."""
    return _working_dir() in _made


def remove_working_dir() -> str:
    """Remove the directory of notebooks without a lesson, and return its path."""
    path = _working_dir()
    remove_tree(path)
    _made.discard(path)
    return path


def remove_tree(path: str) -> None:
    """Remove a directory; a stream that has just stopped may still be writing a last file."""
    local = classroom_files().local_path(path)
    for _attempt in range(5):
        shutil.rmtree(local, ignore_errors=True)
        if not local.exists():
            return
    shutil.rmtree(local)


def _working_dir() -> str:
    return f"{base_path()}/working_dir"
