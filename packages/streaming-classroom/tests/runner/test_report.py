from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from streaming_classroom.runner import Failure, LessonResult, SuiteResult
from streaming_classroom.runner.report import print_summary, write_junit

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
    directory=Path("runs"),
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


@pytest.fixture(scope="module")
def schema():
    """Give the schema of JUnit XML."""
    return pytest.importorskip("xmlschema").XMLSchema(Path(__file__).parent / "junit.xsd")


@pytest.mark.slow
def test_junit_keeps_the_schema_that_others_read_by(tmp_path: Path, schema) -> None:
    write_junit(RESULT, tmp_path / "junit.xml")
    schema.validate(tmp_path / "junit.xml")


@pytest.mark.slow
def test_the_schema_takes_what_pytest_writes_and_refuses_what_it_does_not_know(tmp_path: Path, schema) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_a(): print(1)\ndef test_b(): assert 0\n"
        "@pytest.mark.skip\ndef test_c(): pass\n@pytest.fixture\ndef f(): 1 / 0\ndef test_d(f): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "--junitxml=theirs.xml"]
    subprocess.run([*command, "test_it.py"], cwd=tmp_path, capture_output=True, timeout=120)
    text = (tmp_path / "theirs.xml").read_text(encoding="utf-8")
    schema.validate(text)
    for wrong in (text.replace("<failure", "<broken").replace("</failure", "</broken"), text.replace('tests="4"', "")):
        assert not schema.is_valid(wrong)


def test_a_broken_rule_is_a_failure_of_its_name(tmp_path: Path, schema) -> None:
    broken = Failure(Path("a.ipynb"), 2, 1, None, "rule", "wait for the stream", rule="sleeps")
    lesson = LessonResult("a", Path("a.ipynb"), "failed", failures=(broken, FAILURE))
    write_junit(SuiteResult((lesson,), 1.0, Path("runs")), tmp_path / "junit.xml")
    schema.validate(tmp_path / "junit.xml")
    failure = ElementTree.parse(tmp_path / "junit.xml").getroot().find(".//failure")
    assert failure is not None and failure.text is not None
    assert failure.get("type") == "sleeps, failed cell"
    assert failure.text.startswith("a.ipynb, cell 2, line 1: sleeps: wait for the stream\n")


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


def test_paths_are_not_broken_over_lines_in_a_narrow_log() -> None:
    assert str(Path("runs/02-B.ipynb")) in printed(width=20)
