"""Errors of a request to run lessons, named after what the user must do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from streaming_classroom.errors import ClassroomError


class RunnerError(ClassroomError):
    """Root of what the headless runner raises."""


# eq=False keeps the hash of an exception, which the traceback machinery relies on.
@dataclass(eq=False)
class LessonNotFound(RunnerError):
    """Name another lesson: the one asked for does not exist."""

    name: str
    notebooks: Path
    available: tuple[str, ...]

    def __str__(self) -> str:
        there = f"there are {', '.join(self.available)}" if self.available else "there are none"
        if Path(self.name).suffix:
            return f"There is no notebook {self.name!r}. Of the course's own, {there}."
        return f"There is no lesson {self.name!r} in {self.notebooks}; {there}."


@dataclass(eq=False)
class NoLessons(RunnerError):
    """Name a directory with lessons: running nothing is not a success."""

    notebooks: Path | None = None

    def __str__(self) -> str:
        where = f" in {self.notebooks}" if self.notebooks else ""
        return (
            f"There is no lesson to run{where}: lessons are files named like 07-Title.ipynb, notebooks end in .ipynb."
        )


@dataclass(eq=False)
class InvalidNotebook(RunnerError):
    """Repair the file: it is not a notebook that Jupyter would open."""

    notebook: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.notebook} is not a valid notebook: {self.reason}."


@dataclass(eq=False)
class LessonChanged(RunnerError):
    """Run the lesson again: its file was edited while it ran."""

    notebook: Path

    def __str__(self) -> str:
        return f"{self.notebook} was edited while it ran, so its outputs were not saved; run it again."


@dataclass(eq=False)
class UnknownParameter(RunnerError):
    """Correct the name: no notebook that is run takes a value by it."""

    name: str
    nearest: str | None = None

    def __str__(self) -> str:
        meant = f" Did you mean {self.nearest}?" if self.nearest else ""
        return f"No notebook that is run has a widget or a variable named {self.name!r}.{meant}"
