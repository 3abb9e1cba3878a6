"""The command checks all lessons: each problem is a line, and nothing in a file makes it raise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lesson_linter import check
from lesson_linter.__main__ import main
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import find_lessons

from .conftest import Draft

MARKS = ["<details>", "</summary>", "<a href='", "<![", "<!--", "](", "![", "`", "```", "|", "## Questions", "%sql"]
TEXT = st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=5))).map("".join)


@pytest.fixture
def course(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Return the draft as the only lesson of the course."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(directories, "PROJECT", draft.directory.parent)
    return draft


@pytest.mark.slow
@pytest.mark.parametrize("lesson", find_lessons([], directories.notebooks()), ids=lambda path: path.stem)
def test_a_lesson_of_the_course_has_no_problem(lesson: Path) -> None:
    assert [str(problem) for problem in check(lesson)] == []


def test_each_problem_is_a_line_from_top_to_bottom(course: Draft, capsys: pytest.CaptureFixture[str]) -> None:
    course.change(13, "It is small.", "TODO: more")
    course.change(4, "Files land one after the other on a road", "")
    course.write()
    assert main(["7"]) == 1
    assert capsys.readouterr().out == (
        "notebooks/07-A-Small-Lesson.ipynb: cell 4 (l07-04), line 7: the picture has no alt text: say what it shows\n"
        "notebooks/07-A-Small-Lesson.ipynb: cell 13 (l07-13), line 9: write what is left to do in this line\n"
        "1 lesson, 2 problems.\n"
    )


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[]", b'{"nbformat": 4, "nbformat_minor": 5, "cells": [{}]}'])
def test_a_file_that_is_not_a_notebook_is_one_problem(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "07-A.ipynb").write_bytes(content)
    assert [problem.rule for problem in check(tmp_path / "07-A.ipynb")] == ["notebook"]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.tuples(st.booleans(), TEXT), max_size=4))
def test_no_text_makes_the_linter_raise(tmp_path: Path, cells: list[tuple[bool, str]]) -> None:
    new = [new_code_cell(source) if is_code else new_markdown_cell(source) for is_code, source in cells]
    (tmp_path / "07-A.ipynb").write_text(json.dumps(new_notebook(cells=new)), encoding="utf-8")
    problems = check(tmp_path / "07-A.ipynb")
    assert all(problem.line is None or problem.line >= 1 for problem in problems)
