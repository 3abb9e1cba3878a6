"""A lesson that is begun has the form of all lessons; what is left to write is what the linter names."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

import new_lesson
from lesson_linter import check

# What only its author can do.
LEFT = {"break", "pictures", "link-texts", "ran", "time", "checked", "unfinished"}


def test_it_keeps_the_form_and_leaves_what_only_an_author_can_write(tmp_path: Path) -> None:
    path = new_lesson.write("17", "Rate Limits", tmp_path)
    assert path.name == "17-Rate-Limits.ipynb"
    nbformat.validate(nbformat.read(path, 4))
    rules = {problem.rule for problem in check(path)}
    assert rules - LEFT == set()
    assert {"pictures", "ran"} <= rules
    left = sum(problem.rule == "unfinished" for problem in check(path))
    assert left == 30  # each of its lines that stands for an author's own


def test_a_lesson_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    path = new_lesson.write("17", "Rate Limits", tmp_path)
    before = path.read_bytes()
    with pytest.raises(SystemExit, match="There is a lesson 17 already"):
        new_lesson.write("17", "Others", tmp_path)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("number", ["x", "7", "17L", "../17"])
def test_what_is_no_number_of_a_lesson_is_refused(tmp_path: Path, number: str) -> None:
    with pytest.raises(SystemExit, match="is no number of a lesson"):
        new_lesson.write(number, "Rate Limits", tmp_path)
    assert list(tmp_path.iterdir()) == []
