"""The files that a workspace takes from the course: lessons without outputs, includes, pictures.

Those are ``../Includes/Classroom-Setup``, ``images/...`` and the glossary; the packages behind the includes are
installed, so that nothing of them is copied.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from streaming_classroom.files import directories
from streaming_classroom.runner import InvalidNotebook, NoLessons, find_lessons
from streaming_classroom.workspace import safe_files


@dataclass(frozen=True)
class CourseFile:
    """A file of the course and the text that it has now.

    Attributes
    ----------
    name : str
        Its path in the workspace, with slashes: ``notebooks/05-Triggers.ipynb``.
    source : Path
        Where the course has it.
    """

    name: str
    source: Path

    @cached_property
    def content(self) -> bytes:
        """What a learner gets, who has not run anything yet."""
        content = self.source.read_bytes()
        return safe_files.without_outputs(content) if self.is_lesson else content

    @cached_property
    def digest(self) -> str:
        """The digest of its text.

        Raises
        ------
        InvalidNotebook
            It is a notebook that nobody could open.
        """
        try:
            return safe_files.digest(self.name, self.source.read_bytes())
        except ValueError as error:
            raise InvalidNotebook(self.source, f"it cannot be read ({error})") from error

    @property
    def is_lesson(self) -> bool:
        """Whether it is a lesson, and not what lessons need."""
        return self.name.endswith(safe_files.NOTEBOOK)


def course_files() -> list[CourseFile]:
    """Return what a workspace has of the course as it is now, what lessons need first."""
    linked = _visible(directories.notebooks() / "images", "**/*")
    for kind in ("*.md", "*.sql", "*.py"):  # the glossary, and the sources of pipelines
        linked += _visible(directories.notebooks(), kind)
    found = [(f"notebooks/{path.relative_to(directories.notebooks()).as_posix()}", path) for path in linked]
    includes = _visible(directories.includes(), "**/*.py")
    found += [(f"Includes/{path.relative_to(directories.includes()).as_posix()}", path) for path in includes]
    found += [(f"notebooks/{path.name}", path) for path in _lessons()]
    return [CourseFile(name, path) for name, path in found]


def lesson_of(path: Path) -> CourseFile:
    """Return a lesson of the course by its path."""
    return CourseFile(f"notebooks/{path.name}", path)


def _lessons() -> list[Path]:
    with suppress(NoLessons):
        return find_lessons([], directories.notebooks())
    return []


def _visible(folder: Path, pattern: str) -> list[Path]:
    return sorted(
        path
        for path in folder.glob(pattern)
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
