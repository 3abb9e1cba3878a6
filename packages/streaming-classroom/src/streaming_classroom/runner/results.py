"""Results as values: a failure, a lesson, a suite.

Text is made in ``__str__`` only, so that the table, JUnit and a test read the same fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from streaming_classroom.errors import ClassroomError


class RunnerError(ClassroomError):
    """Root of the errors of the headless runner."""


# eq=False keeps the hash of an exception, which the traceback machinery relies on.
@dataclass(eq=False)
class LessonNotFound(RunnerError):
    """The requested lesson does not exist."""

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
    """The file is not a notebook that Jupyter would open."""

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


Kind = Literal[
    "failed cell",
    "did not raise",
    "stderr",
    "stream left active",
    "deadline",
    "dead kernel",
    "invalid",
    "save",
    "other output",
    "rule",
]
Outcome = Literal["passed", "failed", "interrupted", "not run"]

# Tags by which a cell says what it may do.
MAY_FAIL = "raises-exception"
EXERCISE = "exercise"  # a cell that the learner writes
MAY_WRITE_STDERR = "stderr-expected"

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

EXIT_INTERRUPTED = 130  # what a shell reports for a command that Ctrl-C ended: 128 + SIGINT


@dataclass(frozen=True)
class Failure:
    """A reason why a lesson failed, with its position if known.

    ``cell`` and ``line`` count from 1, ``line`` in the file if there is no cell; ``count`` is Jupyter's ``[n]``;
    ``rule`` is the linter's rule if `kind` is ``rule``.
    """

    notebook: Path
    cell: int | None
    line: int | None
    source: str | None
    kind: Kind
    message: str
    count: int | None = None
    rule: str | None = None

    @property
    def name(self) -> str:
        """The broken rule of the linter, or the kind of the failure."""
        return self.rule or self.kind

    @property
    def place(self) -> str:
        """The position in the notebook: ``cell 5 [3], line 2``."""
        if self.cell is None:
            return "" if self.line is None else f"line {self.line}"
        count = f" [{self.count}]" if self.count is not None else ""
        line = f", line {self.line}" if self.line is not None else ""
        return f"cell {self.cell}{count}{line}"

    def __str__(self) -> str:
        where = f", {self.place}" if self.place else ""
        source = f"\n    {self.source}" if self.source else ""
        rule = f"{self.rule}: " if self.rule else ""
        return f"{self.notebook.name}{where}: {rule}{self.message}{source}"


@dataclass(frozen=True)
class LessonResult:
    """The result of one lesson.

    ``cells`` of ``total`` code cells ran; ``kept`` is the directory with the files of a lesson that did not pass.
    """

    lesson: str
    notebook: Path
    outcome: Outcome
    seconds: float = 0.0
    cells: int = 0
    total: int = 0
    failures: tuple[Failure, ...] = ()
    executed: Path | None = None
    kept: Path | None = None


@dataclass(frozen=True)
class SuiteResult:
    """How a run of lessons went, in the order the lessons were asked for."""

    lessons: tuple[LessonResult, ...]
    seconds: float
    directory: Path
    interrupted: bool = False

    @property
    def passed(self) -> bool:
        """True only if there were lessons and every one of them passed."""
        return bool(self.lessons) and all(lesson.outcome == "passed" for lesson in self.lessons)

    @property
    def exit_code(self) -> int:
        """The exit code: 0, 1, or 130 after Ctrl-C."""
        if self.interrupted:
            return EXIT_INTERRUPTED
        return 0 if self.passed else 1


def plain(text: str) -> str:
    """Return `text` without terminal colours."""
    return _ANSI.sub("", text)
