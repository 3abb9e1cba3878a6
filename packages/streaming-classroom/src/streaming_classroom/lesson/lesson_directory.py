"""A lesson's directory and schema, and the lock that keeps a second kernel from running it or cleaning it up.

Names that differ are places that differ, whatever letters they are written in.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom.errors import LessonBusy, NotAvailable
from streaming_classroom.files import directories, ownership
from streaming_classroom.session import user_files

_LONGEST = 40  # characters of a name that are kept: a file's name may have 255 bytes, and a schema's has the user's too
_OWNER_TIMEOUT = 2.0  # seconds; a kernel that is being restarted needs a moment to die


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
    """A lesson's name, schema and directory, and the lock that a kernel holds while it has the lesson open."""

    lesson: str
    schema: str
    working_dir: str
    lock: FileLock

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
        f"{identifier(user_files.username())}_{name}",
        f"{user_files.base_path()}/{name}",
        # Not a thread's own: the instructor's panel starts over in another thread than the set-up cell's.
        present.lock if is_present else FileLock(file, thread_local=False),
    )
