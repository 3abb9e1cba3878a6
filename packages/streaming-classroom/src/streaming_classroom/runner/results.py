"""Results of a run as values, and their reports: a table with every failure for a person, JUnit XML for CI."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree

from streaming_classroom.errors import ClassroomError

if TYPE_CHECKING:
    from rich.console import Console


class RunnerError(ClassroomError):
    """Root of the errors of the headless runner."""


@dataclass(eq=False)  # keeps the hash of an exception, which the traceback machinery relies on
class InvalidNotebook(RunnerError):
    """The file is not a notebook that Jupyter would open."""

    notebook: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.notebook} is not a valid notebook: {self.reason}."


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
]
Outcome = Literal["passed", "failed", "interrupted", "not run"]

# Tags by which a cell says what it may do.
MAY_FAIL = "raises-exception"
EXERCISE = "exercise"  # a cell that the learner writes
MAY_WRITE_STDERR = "stderr-expected"
NEEDS_CLASSIC = "classic-compute"  # a cell that serverless compute cannot run, and that is left out there

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

STYLES = {"passed": "green", "failed": "bold red", "interrupted": "yellow", "not run": "yellow"}
_OF_ALL = ("tests", "failures", "errors", "time")  # what Jenkins' schema lets the whole report have
# XML 1.0 has no way to write these, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
EXIT_INTERRUPTED = 130  # what a shell reports for a command that Ctrl-C ended: 128 + SIGINT


@dataclass(frozen=True)
class Failure:
    """A reason why a lesson failed, with its position if known.

    ``cell`` and ``line`` count from 1, ``line`` in the file if there is no cell; ``count`` is Jupyter's ``[n]``.
    """

    notebook: Path
    cell: int | None
    line: int | None
    source: str | None
    kind: Kind
    message: str
    count: int | None = None

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
        return f"{self.notebook.name}{where}: {self.message}{source}"


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
    interrupted: bool = False

    @property
    def passed(self) -> bool:
        """True only if there were lessons and every one of them passed."""
        return bool(self.lessons) and all(lesson.outcome == "passed" for lesson in self.lessons)

    @property
    def exit_code(self) -> int:
        """The exit code: 0, 1, or 130 after Ctrl-C."""
        return EXIT_INTERRUPTED if self.interrupted else 0 if self.passed else 1


def plain(text: str) -> str:
    """Return `text` without terminal colours."""
    return _ANSI.sub("", text)


def print_summary(result: SuiteResult, console: Console) -> None:
    """Print a table with a row per lesson, then the failures with the files to inspect."""
    from rich.table import Table
    from rich.text import Text

    table = Table("Lesson", "Result")
    table.add_column("Cells", justify="right", no_wrap=True)
    table.add_column("Seconds", justify="right", no_wrap=True)
    table.add_column("What failed")
    for lesson in result.lessons:
        failures = [f"{found.kind}, {found.place}" if found.place else found.kind for found in lesson.failures]
        table.add_row(
            Text(lesson.lesson),
            Text(lesson.outcome, style=STYLES[lesson.outcome]),
            f"{lesson.cells}/{lesson.total}",
            f"{lesson.seconds:.1f}",
            Text("\n".join(failures)),
        )
    console.print(table)
    for lesson in result.lessons:
        for failure in lesson.failures:
            console.print(Text(str(failure)), soft_wrap=True)
        if lesson.failures and lesson.executed:
            console.print(Text(f"    executed notebook: {lesson.executed}"), soft_wrap=True)
        if lesson.kept:
            console.print(Text(f"    what {lesson.lesson} left: {lesson.kept}"), soft_wrap=True)
    passed = sum(lesson.outcome == "passed" for lesson in result.lessons)
    ending = ", interrupted" if result.interrupted else ""
    console.print(
        f"{passed} of {len(result.lessons)} lessons passed in {result.seconds:.1f} s{ending}", highlight=False
    )


def write_junit(result: SuiteResult, path: Path) -> None:
    """Write `result` to `path` as JUnit XML, one test case a lesson; directories are made as needed."""
    outcomes = [lesson.outcome for lesson in result.lessons]
    counts = {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failed")),
        "errors": str(outcomes.count("interrupted")),
        "skipped": str(outcomes.count("not run")),
        "time": f"{result.seconds:.3f}",
    }
    root = ElementTree.Element("testsuites", {name: counts[name] for name in _OF_ALL})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "lessons", **counts})
    for lesson in result.lessons:
        suite.append(_case(lesson))
    ElementTree.indent(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _case(lesson: LessonResult) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname="notebooks", name=lesson.lesson, time=f"{lesson.seconds:.3f}")
    if lesson.outcome == "failed":
        kinds = ", ".join(dict.fromkeys(failure.kind for failure in lesson.failures))
        first = _xml_text(lesson.failures[0].message) if lesson.failures else ""
        failure = ElementTree.SubElement(case, "failure", type=kinds, message=first)
        failure.text = _xml_text("\n".join(str(failure) for failure in lesson.failures))
    elif lesson.outcome == "interrupted":
        ElementTree.SubElement(case, "error", type="interrupted", message="the run was interrupted")
    elif lesson.outcome == "not run":
        ElementTree.SubElement(case, "skipped", message="the run was interrupted before")
    return case


def _xml_text(text: str) -> str:
    return _NOT_XML.sub("?", text)
