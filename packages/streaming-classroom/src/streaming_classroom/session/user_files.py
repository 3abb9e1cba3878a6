"""The user's name and directories, and each lesson's directory, schema and lock.

The lock keeps a second kernel from running a lesson or cleaning it up.  Names that differ are places that differ,
whatever letters they are written in.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import shutil
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom import environment
from streaming_classroom.errors import LessonBusy, NotAvailable
from streaming_classroom.files import directories, ownership
from streaming_classroom.files.directories import classroom_files

_LONGEST = 40  # characters of a name that are kept: a file's name may have 255 bytes, and a schema's has the user's too
VOLUME = "lesson"  # the volume of a lesson's schema, which has its files
_OWNER_TIMEOUT = 2.0  # seconds; a kernel that is being restarted needs a moment to die

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


def identifier(text: str) -> str:
    """Return a text as a name that SQL, file systems and URLs take without quotes; NotAvailable for an empty one.

    Different texts give different names: a digest is added where letters were lost.
    """
    text = unicodedata.normalize("NFC", text)
    if not text.strip():
        raise NotAvailable("A lesson needs a name.", 'Pass one to start_lesson, such as "03-triggers".')
    plain = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text) and len(text) <= _LONGEST:
        return plain
    return "_".join(filter(None, (plain[:_LONGEST].strip("_"), hashlib.sha256(text.encode()).hexdigest()[:8])))


@dataclass(frozen=True)
class LessonDirectory:
    """A lesson's name, schema and directory, and the lock that a kernel holds while it has the lesson open.

    Attributes
    ----------
    catalog : str or None
        The catalog of the schema where the directory is a volume of that schema; None for a directory of ``dbfs:/``.
    """

    lesson: str
    schema: str
    working_dir: str
    lock: FileLock
    catalog: str | None = None

    def in_volume(self, catalog: str) -> LessonDirectory:
        """Return the lesson's place in a catalog: the schema, and a volume of it as the directory."""
        return replace(self, catalog=catalog, working_dir=f"/Volumes/{catalog}/{self.schema}/{VOLUME}")

    def take(self) -> None:
        """Lock the working directory; LessonBusy if another live kernel holds the lock."""
        ownership.claim(directories.home())
        Path(self.lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        try:
            self.lock.acquire(timeout=_OWNER_TIMEOUT)
        except Timeout:
            raise LessonBusy(self.lesson, self.working_dir) from None

    def leave(self) -> None:
        """Release the lock."""
        self.lock.release(force=True)


def lesson_directory(lesson: str, present: LessonDirectory | None = None) -> LessonDirectory:
    """Return the place of a lesson; where this kernel has it at present, with the lock that it holds."""
    name = identifier(lesson)
    file = directories.home() / "locks" / f"{name}.lock"
    is_present = present is not None and Path(present.lock.lock_file) == file
    return LessonDirectory(
        lesson,
        f"{identifier(username())}_{name}",
        f"{base_path()}/{name}",
        # Not a thread's own: the instructor's panel starts over in another thread than the set-up cell's.
        present.lock if is_present else FileLock(file, thread_local=False),
    )
