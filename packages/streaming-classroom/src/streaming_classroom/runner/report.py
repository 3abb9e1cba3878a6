"""Reports of a run: a table with every failure for a person, JUnit XML for CI."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table
from rich.text import Text

from streaming_classroom.runner.results import LessonResult, SuiteResult

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
