from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from streaming_classroom.runner.results import Failure, LessonResult, SuiteResult, print_summary, write_junit

FAILURE = Failure(Path("02-B.ipynb"), 5, 2, "raise [it]", "failed cell", "ValueError: <&> \x00\x1b[31m ä", 3)
RESULT = SuiteResult(
    (
        LessonResult("01-A", Path("01-A.ipynb"), "passed", seconds=1.5, cells=3, total=3),
        LessonResult(
            "02-B",
            Path("02-B.ipynb"),
            "failed",
            cells=1,
            total=4,
            failures=(FAILURE,),
            executed=Path("runs/02-B.ipynb"),
            kept=Path("runs/02-B"),
        ),
        LessonResult("03-C", Path("03-C.ipynb"), "interrupted"),
        LessonResult("04-D", Path("04-D.ipynb"), "not run"),
    ),
    seconds=2.0,
    interrupted=True,
)


def printed(width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_summary(RESULT, console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_junit_is_valid_xml_with_a_case_a_lesson(tmp_path: Path) -> None:
    write_junit(RESULT, tmp_path / "new" / "junit.xml")
    root = ElementTree.parse(tmp_path / "new" / "junit.xml").getroot()
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {"01-A": [], "02-B": ["failure"], "03-C": ["error"], "04-D": ["skipped"]}
    suite = root.find("testsuite")
    assert suite is not None
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["4", "1", "1", "1"]


def test_junit_says_what_failed_and_where(tmp_path: Path) -> None:
    write_junit(RESULT, tmp_path / "junit.xml")
    failure = ElementTree.parse(tmp_path / "junit.xml").getroot().find(".//failure")
    assert failure is not None and failure.text is not None
    assert "02-B.ipynb, cell 5 [3], line 2: ValueError: <&> ?" in failure.text
    assert failure.get("type") == "failed cell"


def test_the_summary_shows_every_lesson_and_every_failure() -> None:
    text = printed()
    assert all(name in text for name in ("01-A", "02-B", "03-C", "04-D", "3/3", "1/4"))
    assert "failed cell, cell 5 [3], line 2" in text
    assert "raise [it]" in text  # not taken for markup
    assert "1 of 4 lessons passed in 2.0 s, interrupted" in text


def suite(*outcomes: str, interrupted: bool = False) -> SuiteResult:
    lessons = tuple(LessonResult("x", Path("x.ipynb"), outcome) for outcome in outcomes)
    return SuiteResult(lessons, 1.0, interrupted)


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (suite("passed", "passed"), 0),
        (suite("passed", "failed"), 1),
        (suite("passed", "not run"), 1),
        (suite(), 1),
        (suite("passed", "interrupted", interrupted=True), 130),
    ],
)
def test_the_exit_code_is_zero_only_if_all_passed(result: SuiteResult, code: int) -> None:
    assert result.exit_code == code
