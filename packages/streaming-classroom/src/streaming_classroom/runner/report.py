"""Reports of a run: a table with every failure for a person, JUnit XML for CI.

An annotation is a line of output that begins with ``::error``; GitHub shows ten of a step beside the files, and all in
the log. Its parts are escaped as GitHub's own toolkit does it: in the message percent signs and line ends, in the
properties colons and commas as well.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table
from rich.text import Text

from streaming_classroom.runner.lesson_file import source_lines
from streaming_classroom.runner.results import Failure, LessonResult, SuiteResult

ROOT = "GITHUB_WORKSPACE"  # to which the paths of annotations are relative
SUMMARY = "GITHUB_STEP_SUMMARY"  # a file that takes Markdown
LARGEST_SUMMARY = 1_000_000  # bytes; GitHub takes 1 MiB of a step, and nothing of a larger one
_MARKS = {"passed": "passed", "failed": "**failed**", "interrupted": "interrupted", "not run": "not run"}
_MARKUP = re.compile(r"([\\`*_\[\]<>|~#&])")


@contextmanager
def without_commands(console: Console) -> Iterator[None]:
    """Prevent GitHub from reading the output of a ``with`` block as commands: it may come from a notebook."""
    token = secrets.token_hex(16)
    _line(console, f"::stop-commands::{token}")
    try:
        yield
    finally:
        _line(console, f"::{token}::")


def report_to_github(result: SuiteResult, console: Console) -> None:
    """Print an annotation for each failure; add a table to the job's summary."""
    lines: dict[Path, dict[tuple[int, int], int]] = {}
    for lesson in result.lessons:
        for failure in lesson.failures:
            _line(console, annotation(failure, lines.setdefault(failure.notebook, _lines_of(failure.notebook))))
    if path := os.environ.get(SUMMARY):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(summary(result))


def annotation(failure: Failure, lines: dict[tuple[int, int], int]) -> str:
    """Return the command that shows a failure beside its line; `lines` are those of the cells in the file."""
    properties = {"file": _in_repository(failure.notebook), "title": f"{failure.notebook.stem}: {failure.name}"}
    if line := _line_of(failure, lines):
        properties["line"] = str(line)
    told = ",".join(f"{name}={_escaped(value, property=True)}" for name, value in sorted(properties.items()))
    where = f"{failure.place}: " if failure.place else ""
    return f"::error {told}::{_escaped(where + failure.message)}"


def summary(result: SuiteResult) -> str:
    """Return the Markdown of the summary: a row per lesson, then the failures, within GitHub's limit."""
    passed = sum(lesson.outcome == "passed" for lesson in result.lessons)
    rows = [
        f"### {passed} of {len(result.lessons)} notebooks passed in {result.seconds:.1f} s",
        "",
        "| notebook | result | cells | seconds | what failed |",
        "| --- | --- | ---: | ---: | --- |",
        *map(_row, result.lessons),
    ]
    failures = [failure for lesson in result.lessons for failure in lesson.failures]
    rows += ["", *(f"* {_plain_text(str(failure))}" for failure in failures)] if failures else []
    text = "\n".join([*rows, "", ""])
    if len(text.encode()) <= LARGEST_SUMMARY:
        return text
    kept = text.encode()[:LARGEST_SUMMARY].decode(errors="ignore").rpartition("\n")[0]
    return f"{kept}\n\nThe rest is in the log.\n"


def _row(lesson: LessonResult) -> str:
    failed = ", ".join(
        f"{failure.name} ({failure.place})" if failure.place else failure.name for failure in lesson.failures
    )
    cells = [lesson.lesson, _MARKS[lesson.outcome], f"{lesson.cells}/{lesson.total}", f"{lesson.seconds:.1f}", failed]
    return f"| {_plain_text(cells[0])} | {' | '.join(cells[1:4])} | {_plain_text(cells[4])} |"


def _plain_text(text: str) -> str:
    """Return Markdown that renders as the text, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _line_of(failure: Failure, lines: dict[tuple[int, int], int]) -> int | None:
    """Return the line of the file: that of the cell's line, else of its first; without a cell, the failure's own."""
    if failure.cell is None:
        return failure.line
    return lines.get((failure.cell, failure.line or 1), lines.get((failure.cell, 1)))


def _lines_of(notebook: Path) -> dict[tuple[int, int], int]:
    try:
        return source_lines(notebook) if notebook.suffix.lower() == ".ipynb" else {}
    except OSError:  # it has gone meanwhile
        return {}


def _in_repository(notebook: Path) -> str:
    root = Path(os.environ.get(ROOT) or Path.cwd()).absolute()
    path = notebook.absolute()
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def _escaped(text: str, property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if property else text


def _line(console: Console, text: str) -> None:
    """Print one line without styles and line breaks."""
    console.print(Text(text), soft_wrap=True)


_STYLE = {"passed": "green", "failed": "bold red", "interrupted": "yellow", "not run": "yellow"}
_OF_ALL = ("tests", "failures", "errors", "time")  # what Jenkins' schema lets the whole report have
# XML 1.0 has no way to write these, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def print_summary(result: SuiteResult, console: Console) -> None:
    """Print a table with a row per lesson, then the failures with the files to inspect."""
    console.print(_table(result))
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
    suite = ElementTree.Element("testsuite", {"name": "lessons", **_counts(result)})
    for lesson in result.lessons:
        suite.append(_case(lesson))
    root = ElementTree.Element(
        "testsuites", {name: value for name, value in _counts(result).items() if name in _OF_ALL}
    )
    root.append(suite)
    ElementTree.indent(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _table(result: SuiteResult) -> Table:
    table = Table("Lesson", "Result")
    table.add_column("Cells", justify="right", no_wrap=True)
    table.add_column("Seconds", justify="right", no_wrap=True)
    table.add_column("What failed")
    for lesson in result.lessons:
        table.add_row(
            Text(lesson.lesson),
            Text(lesson.outcome, style=_STYLE[lesson.outcome]),
            f"{lesson.cells}/{lesson.total}",
            f"{lesson.seconds:.1f}",
            Text("\n".join(_in_short(lesson))),
        )
    return table


def _in_short(lesson: LessonResult) -> list[str]:
    return [f"{failure.name}, {failure.place}" if failure.place else failure.name for failure in lesson.failures]


def _counts(result: SuiteResult) -> dict[str, str]:
    outcomes = [lesson.outcome for lesson in result.lessons]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failed")),
        "errors": str(outcomes.count("interrupted")),
        "skipped": str(outcomes.count("not run")),
        "time": f"{result.seconds:.3f}",
    }


def _case(lesson: LessonResult) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname="notebooks", name=lesson.lesson, time=f"{lesson.seconds:.3f}")
    if lesson.outcome == "failed":
        kinds = ", ".join(dict.fromkeys(failure.name for failure in lesson.failures))
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
