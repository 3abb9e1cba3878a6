"""Brings a workspace up to date with the course, and starts a lesson over.

Both hold the workspace's lock, and both are nothing but steps that may be killed after any of them and done again.

``known`` are the texts that the course may have put there, written *before* it does, so that a copy of one is not taken
for the learner's; ``given`` are, for each file, those that the learner has been given, written *after*, so that none is
left out.
A file that is lost or cannot be read means that nothing is known: then everything is the learner's.

The lock ends with its process, so that one that was killed keeps nobody out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom.errors import NotAvailable, SetupError
from streaming_classroom.files import directories, ownership
from streaming_classroom.runner import InvalidNotebook, find_lessons
from streaming_classroom.workspace import safe_files
from streaming_classroom.workspace.course_files import CourseFile, course_files, lesson_of
from streaming_classroom.workspace.workspace_report import WorkspaceReport

LOCK_TIMEOUT = 60  # seconds; the whole takes one or two
_LOCK = ".course.lock"
_WITHOUT = "`python course.py lab --with-outputs` opens the course's own lessons without it."


@contextmanager
def locked_folder() -> Iterator[Path]:
    """Let one process at a time change the workspace, and explain what the disk refuses.

    Raises
    ------
    SetupError
        Somebody else has filled the folder, it cannot be written, or another process does not let go of it.
    """
    try:
        folder = ownership.claim(directories.work(), mark=ownership.WORKSPACE)
        with _locked(folder):
            yield folder
    except OSError as error:
        problem = f"{error.filename or directories.work()} could not be read or written: {error.strerror or error}."
        raise SetupError(problem, f"Put that right, and run the same command again; {_WITHOUT}") from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        with FileLock(folder / _LOCK, timeout=LOCK_TIMEOUT):
            yield
    except Timeout:
        problem = f"Another `course.py` has been at work in {folder} for {LOCK_TIMEOUT} seconds."
        raise SetupError(problem, "End it, then run the same command again.") from None


NAME = ".course.json"


@dataclass
class Manifest:
    """The texts that are the course's, and those of each file that were given."""

    known: set[str] = field(default_factory=set)
    given: dict[str, set[str]] = field(default_factory=dict)

    def has_given(self, name: str, digest: str) -> bool:
        """Whether the learner has been given a text already."""
        return digest in self.given.get(name, ())

    def note_given(self, name: str, digest: str) -> None:
        """The learner has a text now."""
        self.given.setdefault(name, set()).add(digest)


def read(folder: Path) -> Manifest:
    """Return a workspace's manifest; an empty one where there is none that can be read."""
    try:
        entries = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return Manifest(set(entries["known"]), {name: set(texts) for name, texts in entries["given"].items()})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Manifest()


def write(folder: Path, manifest: Manifest) -> None:
    """Write a manifest, if it is another one than is there."""
    if manifest != read(folder):
        entries = {
            "known": sorted(manifest.known),
            "given": {name: sorted(texts) for name, texts in sorted(manifest.given.items())},
        }
        text = json.dumps(entries, indent=1) + "\n"
        safe_files.write_over(folder / NAME, text.encode("utf-8"))


def update(now: datetime | None = None) -> WorkspaceReport:
    """Make the workspace, or bring it up to date.

    Parameters
    ----------
    now : datetime, optional
        The time that names of files tell.

    Raises
    ------
    SetupError
        Somebody else has filled the folder, it cannot be written, or another process does not let go of it.
    """
    with _opened(now) as workspace:
        files = workspace.readable(course_files())
        workspace.learn(files)
        for file in files:
            workspace.follow(file)
        workspace.remove_what_has_gone(files)
        return workspace.report


def start_over(lessons: Sequence[str], now: datetime | None = None) -> WorkspaceReport:
    """Give fresh copies of lessons; what the learner had is kept under a name that says until when.

    Parameters
    ----------
    lessons : sequence of str
        Numbers (``05``) or titles (``05-Triggers``).
    now : datetime, optional
        The time that names of files tell.

    Raises
    ------
    LessonNotFound
        No lesson of the course is called so; nothing was changed.
    NotAvailable
        It is a notebook of the learner's own.
    InvalidNotebook
        The course's lesson cannot be read; nothing was changed.
    SetupError
        As :func:`update`.
    """
    files = [_lesson_of_the_course(path) for path in find_lessons(lessons, directories.notebooks())]
    with _opened(now) as workspace:
        workspace.learn(files)
        for file in files:
            workspace.keep_what_was_done(file)
            workspace.follow(file)
        return workspace.report


class Workspace:
    """A learner's folder while it is locked.

    Parameters
    ----------
    folder : Path
        The folder.
    now : datetime
        The time that names of files tell.
    """

    def __init__(self, folder: Path, now: datetime) -> None:
        self._folder = folder
        self._now = now
        self._texts = read(folder)
        self.report = WorkspaceReport(folder)

    def recover(self) -> None:
        """Put right what a killed process has left."""
        below = {(self._folder / file.name).parent for file in course_files()}
        for folder in sorted(below | {self._folder, self._folder / "notebooks"}):
            safe_files.recover(folder, self._is_the_courses)

    def readable(self, files: list[CourseFile]) -> list[CourseFile]:
        """Return the files that can be given, and report those that cannot."""
        return [file for file in files if self._is_readable(file)]

    def learn(self, files: list[CourseFile]) -> None:
        """Note the texts that the course has now, before any of them is put anywhere."""
        self._texts.known.update(file.digest for file in files)
        self.save()

    def save(self) -> None:
        """Write down what is known and given."""
        write(self._folder, self._texts)

    def follow(self, file: CourseFile) -> None:
        """Make a file, bring it up to date, or put the new version beside the learner's."""
        path = self._folder / file.name
        if file.is_lesson:
            self.report.lessons.append(path.stem)
        if not _is_there(path):
            self._make(file, path, self.report.back if file.name in self._texts.given else self.report.made)
        elif _untouched(path, path.name) != file.digest and safe_files.remove(path, self._is_the_courses):
            self._make(file, path, self.report.updated)
        elif not self._has_text(path, file) and not self._texts.has_given(file.name, file.digest):
            self._put_beside(file, path)
        self._texts.note_given(file.name, file.digest)
        self._tidy(file, path)

    def keep_what_was_done(self, file: CourseFile) -> None:
        """Move the learner's file out of the way, if there is work in it."""
        path = self._folder / file.name
        self.report.kept[path.stem] = None
        if _is_there(path) and not self._is_the_courses(path, path.name):
            until = f"{self._now:until %Y-%m-%d %H.%M}"
            self.report.kept[path.stem] = safe_files.keep(path, _names(path, until)).name

    def remove_what_has_gone(self, files: list[CourseFile]) -> None:
        """Remove the lessons that the course has no more, unless the learner has worked on them."""
        there = {file.source.name.casefold() for file in files}
        there |= {error.notebook.name.casefold() for error in self.report.unreadable}
        for name in sorted(self._texts.given):
            path = self._folder / name
            if name.endswith(safe_files.NOTEBOOK) and path.name.casefold() not in there:
                for gone in [*self._new_ones(path), path]:
                    if _is_there(gone) and safe_files.remove(gone, self._is_the_courses):
                        self.report.removed.append(gone.stem)

    def _is_readable(self, file: CourseFile) -> bool:
        try:
            return bool(file.digest)
        except InvalidNotebook as error:
            self.report.unreadable.append(error)
            return False

    def _make(self, file: CourseFile, path: Path, told: list[str]) -> None:
        if not safe_files.put(path, file.content):  # somebody has saved one this very moment: it is theirs
            self._put_beside(file, path)
        elif file.is_lesson:
            told.append(path.stem)

    def _put_beside(self, file: CourseFile, path: Path) -> None:
        if not any(_untouched(other, other.name) == file.digest for other in self._new_ones(path)):
            names = map(_names(path, f"{self._now:new in the course, %Y-%m-%d}"), count(1))
            next(name for name in names if safe_files.put(path.with_name(name), file.content))
        self.report.beside.append(path.stem)

    def _tidy(self, file: CourseFile, path: Path) -> None:
        """Of new versions that the learner has not worked on, leave the newest, and that only beside older work."""
        has_it = self._has_text(path, file)
        for other in self._new_ones(path):
            if has_it or _untouched(other, other.name) != file.digest:
                safe_files.remove(other, self._is_the_courses)

    def _new_ones(self, path: Path) -> list[Path]:
        """Return what was put beside a file."""
        name = re.compile(rf"{re.escape(path.stem)} \(new in the course, .*\){re.escape(path.suffix)}")
        return sorted(other for other in path.parent.glob("*") if name.fullmatch(other.name))

    def _is_the_courses(self, path: Path, name: str) -> bool:
        return _untouched(path, name) in self._texts.known

    def _has_text(self, path: Path, file: CourseFile) -> bool:
        """Whether a file has the course's text, with or without outputs."""
        try:
            return safe_files.digest(path.name, path.read_bytes()) == file.digest
        except (OSError, ValueError):
            return False


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _untouched(path: Path, name: str) -> str | None:
    """Return the digest of a file with no work in it; None for one that may be the learner's, or cannot be read."""
    try:
        return None if path.is_symlink() else safe_files.untouched_digest(name, path.read_bytes())
    except OSError:
        return None


def _names(path: Path, says: str) -> Callable[[int], str]:
    """Return the names that a copy may have, by their number: the first has none."""

    def name_of(number: int) -> str:
        return f"{path.stem} ({says}{f', {number}' if number > 1 else ''}){path.suffix}"

    return name_of


def _lesson_of_the_course(path: Path) -> CourseFile:
    if path.parent not in (directories.notebooks(), directories.work() / "notebooks"):
        raise NotAvailable(f"{path} is no lesson of the course.", "Start over with the number of one, such as 05.")
    file = lesson_of(directories.notebooks() / path.name)
    if not file.source.is_file():
        raise NotAvailable(f"{path} is a notebook of your own.", "Start over with the number of a lesson, such as 05.")
    return file


@contextmanager
def _opened(now: datetime | None) -> Iterator[Workspace]:
    """Open the workspace; write down what was given, at the end of what was done without an error."""
    with locked_folder() as folder:
        workspace = Workspace(folder, now or datetime.now())
        workspace.recover()
        yield workspace
        workspace.save()
