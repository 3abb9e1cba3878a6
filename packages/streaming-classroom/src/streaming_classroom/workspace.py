"""The learner's workspace: copies of the lessons outside git, which the learner owns.

A copy that the learner has neither changed nor run follows the course.  Any other copy stays as it is, and a new
version of the course is put beside it, once.  A cell with an output counts as work, because outputs answer the
learner's own predictions.  A file that cannot be read, or whose origin is unknown, is the learner's.

``.course.json`` has the digest of the last version of each file that the course has put there.  Each file is written
whole, and recorded afterwards, so a process may be killed at any step: the next one does what is missing.

``course.py reset`` removes everything the lessons created in the home, and nothing else.  Only a folder that bears
the course's marker is touched, of it only what lessons are known to create, and not while a lesson is working in it.
A stranger's file in it stays, and so does the folder around it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom.errors import NotAvailable, SetupError
from streaming_classroom.files import directories
from streaming_classroom.kafka import broker
from streaming_classroom.runner.lesson_files import find_lessons
from streaming_classroom.runner.results import InvalidNotebook, RunnerError

LOCK_TIMEOUT = 60  # seconds; an update takes one or two
_LOCK, _RECORD = ".course.lock", ".course.json"
_NEW = "new in the course"
_NAMED_LIMIT = 3  # lessons that a line names; of more it says how many
_WITHOUT = "`python course.py lab --with-outputs` opens the course's own lessons without it."
# JupyterLab does not check the file before it saves, and then offers to overwrite it.
_RELOAD = "If it is open in JupyterLab, choose File > Reload Notebook from Disk there now."
# What lessons, runs, brokers and JupyterLab put into a home.
CHILDREN = ("dbfs", "jupyterlab", "kafka", "locks", "logs", "registered", "runs")
_LOCKS = ("locks/*.lock", "runs/*/run.lock", "runs/*/*/locks/*.lock")


@dataclass
class WorkspaceReport:
    """The changes of an update, by the titles of lessons.

    ``beside`` are new versions, also of pictures and includes, written beside a learner's changed copy; ``unreadable``
    are the course's own files.
    """

    folder: Path
    lessons: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return one line: the number of lessons, their folder, and the changes."""
        folder = self.folder / "notebooks"
        with suppress(ValueError):
            folder = folder.relative_to(directories.PROJECT)
        total = f"{len(self.lessons)} lesson{'s are' if len(self.lessons) != 1 else ' is'} in {folder.as_posix()}"
        is_new = len(self.made) == len(self.lessons)
        changes = [
            "" if is_new else _phrase(self.made, "is new", "are new"),
            _phrase(self.updated, "follows the course's new version", "follow the course's new versions"),
            _phrase(self.beside, "has a new version beside yours", "have new versions beside yours"),
            *(f"the course's own {name} cannot be read" for name in self.unreadable),
        ]
        total += ", without outputs: they are yours" * is_new
        return "; ".join([total, *filter(None, changes)]) + "."


def update(now: datetime | None = None) -> WorkspaceReport:
    """Create the workspace, or bring it up to date; ``now`` is the date in the names of files.

    Raises SetupError if the folder belongs to somebody else, cannot be written, or is locked by another process.
    """
    with _open_workspace() as (folder, given):
        report = WorkspaceReport(folder)
        for name, source in _course_files().items():
            try:
                content = _without_outputs(source)
            except ValueError:
                report.unreadable.append(source.name)
                continue
            path, digest, titles = folder / name, _digest(name, content), [Path(name).stem] * name.endswith(".ipynb")
            report.lessons += titles
            before = given.get(name)
            if not os.path.lexists(path):
                directories.write_atomically(path, content)
                report.made += titles
            elif before is not None and _digest_of_untouched(path) == before != digest:
                directories.write_atomically(path, content)
                report.updated += titles
            elif before != digest:
                versions = [it for it in path.parent.iterdir() if it.name.startswith(f"{path.stem} ({_NEW}, ")]
                for version in versions:
                    if before is not None and _digest_of_untouched(version) == before:
                        version.unlink()
                if digest not in map(_digest_of_untouched, [path, *versions]):
                    directories.write_atomically(_free_name(path, f"{_NEW}, {now or datetime.now():%Y-%m-%d}"), content)
                    report.beside.append(path.stem)
            if before != digest:
                given[name] = digest
                _write_record(folder, given)
        return report


def start_over(lessons: Sequence[str], now: datetime | None = None) -> dict[str, str | None]:
    """Write fresh copies of lessons; return the name of the learner's copy of each, kept under the date, or None.

    ``lessons`` are numbers (``05``) or titles (``05-Triggers``).  Before anything is changed, RunnerError is raised for
    an unknown or unreadable lesson, NotAvailable for a notebook of the learner's own, and SetupError as in
    :func:`update`.
    """
    contents = {}
    for path in find_lessons(lessons, directories.notebooks()):
        source = directories.notebooks() / path.name
        if path.parent not in (source.parent, directories.work() / "notebooks") or not source.is_file():
            raise NotAvailable(f"{path} is no lesson of the course.", "Start over with the number of one, such as 05.")
        try:
            contents[f"notebooks/{path.name}"] = _without_outputs(source)
        except ValueError as error:
            raise InvalidNotebook(source, f"it cannot be read ({error})") from error
    kept_as: dict[str, str | None] = {}
    with _open_workspace() as (folder, given):
        for name, content in contents.items():
            path = folder / name
            kept_as[path.stem] = None
            if os.path.lexists(path) and _digest_of_untouched(path) != given.get(name, ""):
                kept = _free_name(path, f"until {now or datetime.now():%Y-%m-%d %H.%M}")
                path.rename(kept)
                kept_as[path.stem] = kept.name
            directories.write_atomically(path, content)
            given[name] = _digest(name, content)
            _write_record(folder, given)
    return kept_as


def started_over(kept_as: dict[str, str | None]) -> str:
    """Return a line for each lesson that was started over."""
    return "\n".join(
        f"{lesson} is fresh. "
        + (f"What you had is {kept} beside it. " if kept else "There was no work in it that had to be kept. ")
        + _RELOAD
        for lesson, kept in kept_as.items()
    )


def _phrase(names: Sequence[str], one: str, many: str) -> str:
    if len(names) > _NAMED_LIMIT:
        return f"{len(names)} {many}"
    return f"{', '.join(names)} {one if len(names) == 1 else many}" if names else ""


def _course_files() -> dict[str, Path]:
    """Return the course's files by their names in a workspace: the includes and pictures, then the lessons."""
    notebooks, includes = directories.notebooks(), directories.PROJECT / "Includes"
    found = [path for path in sorted((notebooks / "images").rglob("*")) if path.is_file()]
    for pattern in ("*.md", "*.sql", "*.py"):  # the glossary, and the sources of pipelines
        found += sorted(notebooks.glob(pattern))
    names = {f"notebooks/{path.relative_to(notebooks).as_posix()}": path for path in found}
    names |= {f"Includes/{path.relative_to(includes).as_posix()}": path for path in sorted(includes.rglob("*.py"))}
    with suppress(RunnerError):
        names |= {f"notebooks/{path.name}": path for path in find_lessons([], notebooks)}
    return {name: path for name, path in names.items() if not any(part.startswith(".") for part in Path(name).parts)}


@contextmanager
def _open_workspace() -> Iterator[tuple[Path, dict[str, str]]]:
    """Lock the workspace; yield its folder, and the digests of the last versions that the course has put there."""
    try:
        folder = directories.claim(directories.work(), mark=directories.WORKSPACE)
        with FileLock(folder / _LOCK, timeout=LOCK_TIMEOUT):
            try:
                recorded = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
                given = {name: digest for name, digest in recorded.items() if isinstance(digest, str)}
            except (OSError, ValueError, AttributeError):  # every file is the learner's then
                given = {}
            yield folder, given
    except Timeout:
        problem = f"Another `course.py` has been at work in {directories.work()} for {LOCK_TIMEOUT} seconds."
        raise SetupError(problem, "End it, then run the same command again.") from None
    except OSError as error:
        problem = f"{error.filename or directories.work()} could not be read or written: {error.strerror or error}."
        raise SetupError(problem, f"Put that right, and run the same command again; {_WITHOUT}") from error


def _write_record(folder: Path, given: dict[str, str]) -> None:
    directories.write_atomically(folder / _RECORD, json.dumps(dict(sorted(given.items())), indent=1) + "\n")


def _without_outputs(source: Path) -> bytes:
    """Return a file as the learner gets it: a notebook without outputs; ValueError for one that cannot be read."""
    content = source.read_bytes()
    if source.suffix != ".ipynb":
        return content
    import nbformat

    nb = nbformat.v4.reads(content.decode("utf-8"))
    nb.metadata.pop("widgets", None)  # the state of those that its outputs showed
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.pop("execution", None)
    return (nbformat.v4.writes(nb).rstrip("\n") + "\n").encode("utf-8")


def _free_name(path: Path, note: str) -> Path:
    names = (f"{path.stem} ({note}{f', {number}' if number > 1 else ''}){path.suffix}" for number in count(1))
    return next(other for name in names if not os.path.lexists(other := path.with_name(name)))


def _digest_of_untouched(path: Path) -> str | None:
    """Return the digest of a copy, or None if a cell has been run or it cannot be read; a link may lead elsewhere."""
    try:
        return None if path.is_symlink() else _digest(path.name, path.read_bytes())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _digest(name: str, content: bytes) -> str:
    """Return a digest of a file's text, or of a notebook's cells; ValueError if a cell has been run."""
    if name.endswith(".ipynb"):
        cells = json.loads(content)["cells"]
        if any(cell.get("outputs") or cell.get("execution_count") for cell in cells):
            raise ValueError
        texts = [
            [cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("tags"), cell.get("attachments")]
            for cell in cells
        ]
        content = json.dumps(texts).encode()
    return hashlib.sha256(content).hexdigest()


def remove(home: Path) -> list[Path] | None:
    """Remove the files of lessons from a home, and the home itself if it is then empty.

    Returns the other entries of the home, or None without a home; SetupError if it is in use or not the course's.
    """
    if not home.exists():
        return None
    if not directories.is_claimed(home):
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
        strangers = sorted(path for path in home.iterdir() if path.name != directories.MARKER)
        if not strangers:
            (home / directories.MARKER).unlink()
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
