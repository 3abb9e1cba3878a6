from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from streaming_classroom.runner import Failure, LessonResult, SuiteResult

FAILURE = Failure(Path("n/07-X.ipynb"), 5, 2, "1 / 0", "failed cell", "ZeroDivisionError: division by zero", 3)


def suite(*outcomes: str, interrupted: bool = False) -> SuiteResult:
    lessons = tuple(LessonResult("x", Path("x.ipynb"), outcome) for outcome in outcomes)
    return SuiteResult(lessons, 1.0, Path(), interrupted)


def test_a_failure_says_notebook_cell_count_line_and_source() -> None:
    assert str(FAILURE) == "07-X.ipynb, cell 5 [3], line 2: ZeroDivisionError: division by zero\n    1 / 0"


def test_a_failure_of_the_whole_file_names_no_cell() -> None:
    assert str(Failure(Path("x.ipynb"), None, None, None, "invalid", "not a valid notebook")) == (
        "x.ipynb: not a valid notebook"
    )


def test_a_failure_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        FAILURE.cell = 1  # type: ignore[misc]


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


def test_importing_the_runner_imports_neither_spark_nor_papermill() -> None:
    heavy = "{'pyspark', 'papermill', 'jupyter_client', 'nbformat', 'rich'}"
    code = f"import sys, streaming_classroom.runner; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
