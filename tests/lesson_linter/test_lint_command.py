from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lesson_linter.__main__ import main
from streaming_classroom import cli
from streaming_classroom.files import directories


@pytest.fixture
def course(draft, monkeypatch):
    """Point the course to the draft."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(directories, "PROJECT", draft.directory.parent)
    (draft.directory.parent / "pyproject.toml").touch()
    return draft


def test_lessons_without_problems_are_exit_code_0(course, capsys) -> None:
    course.write()
    assert main([]) == 0
    assert capsys.readouterr().out == "1 lesson, no problems.\n"


@pytest.mark.parametrize("lesson", ["7", "07", "07-A-Small-Lesson", "notebooks/07-A-Small-Lesson.ipynb"])
def test_each_problem_is_a_line_and_the_exit_code_is_1(course, capsys, monkeypatch, lesson: str) -> None:
    monkeypatch.chdir(course.directory.parent)
    course.change(4, "Files land one after the other on a road", "")
    course.write()
    assert main([lesson]) == 1
    assert capsys.readouterr().out == (
        "notebooks/07-A-Small-Lesson.ipynb: cell 4 (l07-04), line 7: "
        "the picture has no alt text: say what it shows\n"
        "1 lesson, 1 problem.\n"
    )


def test_a_broken_file_does_not_hide_the_next_lesson(course, capsys) -> None:
    course.write()
    (course.directory / "06-Broken.ipynb").write_text("{", encoding="utf-8")
    (course.directory / "08-Empty.ipynb").touch()
    assert main([]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "3 lessons, 2 problems."


def test_no_lesson_and_an_unknown_one_are_an_error(course, capsys) -> None:
    assert main([]) == 1
    assert "There is no lesson" in capsys.readouterr().err
    assert main(["99"]) == 1
    assert "There is no lesson '99'" in capsys.readouterr().err


def test_it_starts_no_spark_and_does_not_even_import_it(draft: Path) -> None:
    code = (
        "import sys; from lesson_linter.__main__ import main\n"
        f"code = main([{str(draft.write())!r}])\n"
        "print({'pyspark', 'papermill', 'pandas'} & sys.modules.keys(), code)"
    )
    environ = os.environ | {"PYTHONUTF8": "1"} | cli._with_tools()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, env=environ)
    assert done.stdout == "1 lesson, no problems.\nset() 0\n", done.stderr
