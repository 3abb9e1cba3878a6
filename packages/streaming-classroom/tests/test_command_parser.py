"""What ``course.py`` says where a command is misspelled: one sentence that names the fix."""

from __future__ import annotations

import pytest

from streaming_classroom import cli
from streaming_classroom.files import directories


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("labs", "There is no command 'labs'. Did you mean lab?"),
        ("frobnicate", "There is no command 'frobnicate'. Choose one of lab, list, progress,"),
        ("lab --no-browser", "Options for JupyterLab come after `--`: python course.py lab -- --no-browser"),
        ("test --all -x", "Options for pytest come after `--`: python course.py test --all -- -x"),
        ("run 05 --jbos", "There is no option or argument '--jbos'. Did you mean --jobs?"),
        ("lab --port abc", "argument --port: 'abc' is not a whole number from 1 to 65535."),
        ("lab --port 99999", "argument --port: '99999' is not a whole number from 1 to 65535."),
        ("run --jobs 0", "argument --jobs: '0' is not a whole number from 1."),
        ("run --cell-timeout soon", "argument --cell-timeout: 'soon' is not a number of seconds."),
        ("run 05 -p mode", "argument -p/--parameter: 'mode' is not NAME=VALUE."),
        ("start-over", "the following arguments are required: LESSON"),
        ("bench nothing", "There is no name 'nothing'. Choose one of autoloader,"),
    ],
)
def test_a_mistake_is_told_with_its_fix(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.parse(line.split())

    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(said)


def test_versions_for_a_report_are_those_of_the_environment() -> None:
    from importlib.metadata import version

    assert f"Spark {version('pyspark')}" in cli.versions()


def test_the_list_has_each_lesson_with_its_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(directories.notebooks().glob("[0-9]*.ipynb")))
    assert lines[0].startswith("00   Start Here") and lines[0].endswith("of 2 right")
    assert all(" min" in line for line in lines)
