"""A learner's progress, kept over restarts: tries, hints, verdicts, times.

The file is in the workspace, beside the learner's lessons, so that nobody who empties the home or the cache loses it.
A home that ``CLASSROOM_HOME`` names has a file of its own, as a headless run must not change a learner's progress.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories, ownership

_SECONDS = 10  # for another kernel to write its own line
NAME = "exercises.json"


@dataclass
class ExerciseProgress:
    """What became of one exercise, one question of a quiz, or one prediction.

    Attributes
    ----------
    tries : int
        How many verdicts there were on something made.
    hints : int
        How many hints were asked for with ``DA.hint``.
    right : str
        When it was right first, in ISO format with its offset; empty before.
    saw_solution : bool
        Whether ``DA.solution`` was asked for before it was right.
    chosen : str
        What was chosen first of a question, or predicted last.
    """

    tries: int = 0
    hints: int = 0
    right: str = ""
    saw_solution: bool = False
    chosen: str = ""


def learners_file() -> Path:
    """Return the file with the learner's progress; a file that an older version left in the home moves there first."""
    in_home, folder = directories.home() / NAME, directories.work() / "progress"
    if os.environ.get("CLASSROOM_HOME"):
        return in_home
    try:
        ownership.claim(directories.work(), mark=ownership.WORKSPACE)
        ownership.claim(folder)
    except (SetupError, OSError):  # a folder of somebody else's, or one that cannot be written
        return in_home
    if in_home.exists() and not (folder / NAME).exists():
        with suppress(FileNotFoundError):  # another kernel has moved it
            shutil.move(in_home, folder / NAME)
    return folder / NAME


@dataclass
class ExerciseRecord:
    """The file with what was done; several kernels may use it.

    Parameters
    ----------
    path : Path, optional
        The file; by default the learner's.
    """

    path: Path = field(default_factory=learners_file)

    def read(self) -> dict[str, ExerciseProgress]:
        """Return what was done, by exercise; nothing where there is no file, or one that cannot be read."""
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))
            return {name: ExerciseProgress(**entry) for name, entry in entries.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def tried(self, exercise: str, is_right: bool) -> None:
        """Note a verdict."""
        with self._changing(exercise) as done:
            done.tries += 1
            if is_right and not done.right:
                done.right = _now()

    def hint(self, exercise: str, number: int) -> None:
        """Note that so many hints have been asked for."""
        with self._changing(exercise) as done:
            done.hints = max(done.hints, number)

    def solution(self, exercise: str) -> None:
        """Note that the solution was asked for."""
        with self._changing(exercise) as done:
            done.saw_solution = done.saw_solution or not done.right

    def chose(self, lesson: str, question: int, letter: str, is_right: bool) -> None:
        """Note a choice in a lesson's quiz; what counts is the first one of a question."""
        with self._changing(question_name(lesson, question)) as done:
            if not done.chosen:
                done.chosen = letter
                done.right = _now() if is_right else ""
            done.tries += 1

    def predicted(self, name: str, value: str) -> None:
        """Note what somebody has predicted; the last one stays."""
        with self._changing(name) as done:
            done.tries += 1
            done.chosen = value

    def _changing(self, exercise: str) -> _Change:
        return _Change(self, exercise)


def _kept(done: ExerciseProgress) -> dict[str, object]:
    """Return what is written of an entry: a version of the course that knows of no choices reads those without one."""
    return {name: value for name, value in asdict(done).items() if value or name != "chosen"}


def question_name(lesson: str, question: int) -> str:
    """Return the name by which a question of a lesson's quiz is noted, such as ``05 quiz 2``."""
    return f"{lesson.upper()} quiz {question}"


def _now() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


class _Change:
    """One change of the file, with nobody else at it."""

    def __init__(self, record: ExerciseRecord, exercise: str) -> None:
        self._record, self._exercise = record, exercise

    def __enter__(self) -> ExerciseProgress:
        ownership.claim(self._record.path.parent)
        self._lock = FileLock(self._record.path.with_suffix(".lock"), timeout=_SECONDS)
        self._lock.acquire()
        self._all = self._record.read()
        return self._all.setdefault(self._exercise, ExerciseProgress())

    def __exit__(self, kind: object, *_rest: object) -> None:
        try:
            if kind is None:
                entries = {name: _kept(done) for name, done in sorted(self._all.items())}
                text = json.dumps(entries, indent=1) + "\n"
                incoming = self._record.path.with_suffix(f".{os.getpid()}")
                incoming.write_text(text, encoding="utf-8")
                incoming.replace(self._record.path)
        finally:
            self._lock.release()
