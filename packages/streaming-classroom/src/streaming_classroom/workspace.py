"""The learner's workspace: copies of the lessons outside git, which the learner owns.

A copy that the learner has neither changed nor run follows the course.  Any other copy stays as it is, and a new
version of the course is put beside it, once.  A cell with an output counts as work, because outputs answer the
learner's own predictions.  A file that cannot be read, or whose origin is unknown, is the learner's.

``.course.json`` has the digests of the texts that the course may have put there, written before the files are, and for
each file the digest of the last version that was given, written afterwards.  Each file is written whole.  So a process
may be killed at any step: the next one does what is missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout

from streaming_classroom.errors import NotAvailable, SetupError
from streaming_classroom.files import directories, ownership
from streaming_classroom.runner import InvalidNotebook, NoLessons, find_lessons

LOCK_TIMEOUT = 60  # seconds; an update takes one or two
_LOCK, _RECORD = ".course.lock", ".course.json"
_NEW = "new in the course"
_NAMED_LIMIT = 3  # lessons that a line names; of more it says how many
_WITHOUT = "`python course.py lab --with-outputs` opens the course's own lessons without it."
# JupyterLab does not check the file before it saves, and then offers to overwrite it.
_RELOAD = "If it is open in JupyterLab, choose File > Reload Notebook from Disk there now."


@dataclass
class _Record:
    """The digests of the course's texts, and of the last version of each file in the workspace."""

    known: set[str] = field(default_factory=set)
    given: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> _Record:
        """Return a workspace's record; an unreadable one counts as empty, so that every file is the learner's."""
        try:
            entries = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
            return cls(set(map(str, entries["known"])), dict(entries["given"]))
        except (OSError, ValueError, TypeError, KeyError):
            return cls()

    def write(self, folder: Path) -> None:
        """Write the record, if it has changed."""
        if self != _Record.read(folder):
            entries = {"known": sorted(self.known), "given": dict(sorted(self.given.items()))}
            ownership.write_atomically(folder / _RECORD, json.dumps(entries, indent=1) + "\n")


@dataclass
class WorkspaceReport:
    """The changes of an update, by the titles of lessons.

    ``beside`` are new versions, also of pictures and includes, written beside a learner's changed copy; ``unreadable``
    are the course's own files; ``kept`` has the name of the learner's copy of each lesson started over, or None.
    """

    folder: Path
    lessons: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    kept: dict[str, str | None] = field(default_factory=dict)


def update(now: datetime | None = None) -> WorkspaceReport:
    """Create the workspace, or bring it up to date.

    Parameters
    ----------
    now : datetime, optional
        The date in the names of files.

    Raises
    ------
    SetupError
        The folder belongs to somebody else, cannot be written, or is locked by another process.
    """
    with _open_workspace() as (folder, record):
        return _follow(_course_files(), folder, record, now or datetime.now(), WorkspaceReport(folder))


def start_over(lessons: Sequence[str], now: datetime | None = None) -> WorkspaceReport:
    """Write fresh copies of lessons, and keep the learner's under a name with the date.

    Parameters
    ----------
    lessons : sequence of str
        Numbers (``05``) or titles (``05-Triggers``).
    now : datetime, optional
        The date in the names of files.

    Raises
    ------
    LessonNotFound
        The course has no such lesson; nothing was changed.
    NotAvailable
        The notebook is the learner's own; nothing was changed.
    InvalidNotebook
        The course's lesson cannot be read; nothing was changed.
    SetupError
        As in :func:`update`.
    """
    names = [_name_of_lesson(path) for path in find_lessons(lessons, directories.notebooks())]
    for name in names:
        source = directories.notebooks() / Path(name).name
        try:
            _as_given(source)
        except ValueError as error:
            raise InvalidNotebook(source, f"it cannot be read ({error})") from error
    now = now or datetime.now()
    with _open_workspace() as (folder, record):
        report = WorkspaceReport(folder)
        for name in names:
            path = folder / name
            report.kept[path.stem] = None
            if _exists(path) and not _is_untouched(path, record.known):
                kept = _free_name(path, f"until {now:%Y-%m-%d %H.%M}")
                path.rename(kept)
                report.kept[path.stem] = kept.name
        return _follow({name: directories.notebooks() / Path(name).name for name in names}, folder, record, now, report)


def line(report: WorkspaceReport) -> str:
    """Return one line: the number of lessons, their folder, and the changes."""
    folder = report.folder / "notebooks"
    with suppress(ValueError):
        folder = folder.relative_to(directories.PROJECT)
    total = f"{len(report.lessons)} lesson{'s are' if len(report.lessons) != 1 else ' is'} in {folder.as_posix()}"
    is_new = len(report.made) == len(report.lessons)
    changes = [
        "" if is_new else _phrase(report.made, "is new", "are new"),
        _phrase(report.updated, "follows the course's new version", "follow the course's new versions"),
        _phrase(report.beside, "has a new version beside yours", "have new versions beside yours"),
    ]
    changes += [f"the course's own {name} cannot be read" for name in report.unreadable]
    total += ", without outputs: they are yours" * is_new
    return "; ".join([total, *filter(None, changes)]) + "."


def started_over(report: WorkspaceReport) -> str:
    """Return a line for each lesson that was started over."""
    return "\n".join(
        f"{lesson} is fresh. "
        + (f"What you had is {kept} beside it. " if kept else "There was no work in it that had to be kept. ")
        + _RELOAD
        for lesson, kept in report.kept.items()
    )


def _phrase(names: Sequence[str], one: str, many: str) -> str:
    if len(names) > _NAMED_LIMIT:
        return f"{len(names)} {many}"
    return f"{', '.join(names)} {one if len(names) == 1 else many}" if names else ""


def _course_files() -> dict[str, Path]:
    """Return the course's files by their names in a workspace: the includes and pictures, then the lessons."""
    notebooks, includes = directories.notebooks(), directories.includes()
    found = [("notebooks", notebooks, path) for path in _visible(notebooks / "images", "**/*")]
    for pattern in ("*.md", "*.sql", "*.py"):  # the glossary, and the sources of pipelines
        found += [("notebooks", notebooks, path) for path in _visible(notebooks, pattern)]
    found += [("Includes", includes, path) for path in _visible(includes, "**/*.py")]
    with suppress(NoLessons):
        found += [("notebooks", notebooks, path) for path in find_lessons([], notebooks)]
    return {f"{folder}/{path.relative_to(root).as_posix()}": path for folder, root, path in found}


def _visible(folder: Path, pattern: str) -> list[Path]:
    parts = {path: path.relative_to(folder).parts for path in folder.glob(pattern) if path.is_file()}
    return sorted(path for path, names in parts.items() if not any(name.startswith(".") for name in names))


def _name_of_lesson(path: Path) -> str:
    if path.parent not in (directories.notebooks(), directories.work() / "notebooks"):
        raise NotAvailable(f"{path} is no lesson of the course.", "Start over with the number of one, such as 05.")
    if not (directories.notebooks() / path.name).is_file():
        raise NotAvailable(f"{path} is a notebook of your own.", "Start over with the number of a lesson, such as 05.")
    return f"notebooks/{path.name}"


@contextmanager
def _open_workspace() -> Iterator[tuple[Path, _Record]]:
    """Lock the workspace; yield its folder and its record."""
    try:
        folder = ownership.claim(directories.work(), mark=ownership.WORKSPACE)
        with FileLock(folder / _LOCK, timeout=LOCK_TIMEOUT):
            yield folder, _Record.read(folder)
    except Timeout:
        problem = f"Another `course.py` has been at work in {directories.work()} for {LOCK_TIMEOUT} seconds."
        raise SetupError(problem, "End it, then run the same command again.") from None
    except OSError as error:
        problem = f"{error.filename or directories.work()} could not be read or written: {error.strerror or error}."
        raise SetupError(problem, f"Put that right, and run the same command again; {_WITHOUT}") from error


def _follow(
    files: dict[str, Path], folder: Path, record: _Record, now: datetime, report: WorkspaceReport
) -> WorkspaceReport:
    contents = {}
    for name, source in files.items():
        try:
            contents[name] = _as_given(source)
        except ValueError:
            report.unreadable.append(source.name)
    digests = {name: _digest(name, content) for name, content in contents.items()}
    record.known |= set(filter(None, digests.values()))
    record.write(folder)
    for name, content in contents.items():
        path, digest, titles = folder / name, digests[name], [Path(name).stem] * name.endswith(".ipynb")
        report.lessons += titles
        if not _exists(path):
            _write(path, content)
            report.made += titles
        elif _text_of(path) == digest:  # with outputs or without
            _remove_new_versions(path, record.known)
        elif _is_untouched(path, record.known):
            _write(path, content)
            report.updated += titles
        elif record.given.get(name) != digest:
            _remove_new_versions(path, record.known)
            _write(_free_name(path, f"{_NEW}, {now:%Y-%m-%d}"), content)
            report.beside.append(path.stem)
        record.given[name] = digest
    record.write(folder)
    return report


def _remove_new_versions(path: Path, known: set[str]) -> None:
    """Remove the versions beside a file that the learner has neither changed nor run."""
    for other in path.parent.iterdir():
        if other.name.startswith(f"{path.stem} ({_NEW}, ") and other.is_file() and _is_untouched(other, known):
            other.unlink()


def _as_given(source: Path) -> bytes:
    """Return a file as the learner gets it: a notebook without outputs."""
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


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(content)
    partial.replace(path)


def _free_name(path: Path, note: str) -> Path:
    names = (f"{path.stem} ({note}{f', {number}' if number > 1 else ''}){path.suffix}" for number in count(1))
    return next(other for name in names if not _exists(other := path.with_name(name)))


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _is_untouched(path: Path, known: set[str]) -> bool:
    """Whether a file has a text of the course and nothing else; a link may lead to a file of the learner's."""
    return not path.is_symlink() and _text_of(path, without_work=True) in known


def _text_of(path: Path, without_work: bool = False) -> str | None:
    try:
        return _digest(path.name, path.read_bytes(), without_work)
    except OSError:
        return None


def _digest(name: str, content: bytes, without_work: bool = False) -> str | None:
    """Return a digest of a file's text, or of a notebook's cells without their outputs.

    None if it cannot be read, or, with ``without_work``, if a cell has been run.
    """
    if name.endswith(".ipynb"):
        try:
            cells = json.loads(content)["cells"]
            if without_work and any(cell.get("outputs") or cell.get("execution_count") for cell in cells):
                return None
            texts = [
                [cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("tags"), cell.get("attachments")]
                for cell in cells
            ]
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        content = json.dumps(texts).encode()
    return hashlib.sha256(content).hexdigest()
