from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom.runner.lesson_files import find_lessons, lesson_number
from streaming_classroom.runner.results import RunnerError


@pytest.fixture
def notebooks(tmp_path: Path) -> Path:
    for name in (
        "02-Two.ipynb",
        "01-One.ipynb",
        "07-Seven.ipynb",
        "07L-Lab.ipynb",
        "notes.ipynb",
        "03-text.md",
    ):
        (tmp_path / name).write_text("{}")
    return tmp_path


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_no_names_means_every_numbered_notebook_sorted(notebooks: Path) -> None:
    expected = ["01-One.ipynb", "02-Two.ipynb", "07-Seven.ipynb", "07L-Lab.ipynb"]
    assert names(find_lessons([], notebooks)) == expected


@pytest.mark.parametrize("name", ["7", "07", "007", "07-Seven"])
def test_a_number_is_found_with_or_without_zeros(notebooks: Path, name: str) -> None:
    assert names(find_lessons([name], notebooks)) == ["07-Seven.ipynb"]


@pytest.mark.parametrize("name", ["07L", "7l"])
def test_a_letter_belongs_to_the_number(notebooks: Path, name: str) -> None:
    assert names(find_lessons([name], notebooks)) == ["07L-Lab.ipynb"]


def test_the_number_that_a_name_begins_with(notebooks: Path) -> None:
    numbers = [lesson_number(path.name) for path in find_lessons([], notebooks)]
    assert numbers == ["01", "02", "07", "07L"]
    assert lesson_number("07L-Three-Broken-Pipelines") == "07L"


def test_a_path_is_relative_to_the_current_directory(notebooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(notebooks)
    assert find_lessons(["notes.ipynb"], notebooks / "elsewhere") == [notebooks / "notes.ipynb"]


def test_a_lesson_asked_for_twice_runs_once_in_the_order_asked(notebooks: Path) -> None:
    assert names(find_lessons(["2", "1", "02"], notebooks)) == ["02-Two.ipynb", "01-One.ipynb"]


@pytest.mark.parametrize("name", ["42", "x", "missing.ipynb", ""])
def test_an_unknown_lesson_is_an_error_that_names_those_there_are(notebooks: Path, name: str) -> None:
    with pytest.raises(RunnerError, match="01, 02, 07, 07L"):
        find_lessons([name], notebooks)


@pytest.mark.parametrize("directory", [".", "missing"])
def test_an_empty_course_is_an_error(tmp_path: Path, directory: str) -> None:
    with pytest.raises(RunnerError, match="no lesson to run"):
        find_lessons([], tmp_path / directory)


def test_a_folder_has_its_notebooks_at_any_depth(notebooks: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    for name in ("b.ipynb", "deep/a.ipynb", ".ipynb_checkpoints/b-checkpoint.ipynb", "deep/module.py", "README.md"):
        (theirs / name).parent.mkdir(parents=True, exist_ok=True)
        (theirs / name).write_text("{}")
    (theirs / "c.py").write_text("# Databricks notebook source\n1\n")
    assert names(find_lessons([str(theirs)], notebooks)) == ["b.ipynb", "c.py", "a.ipynb"]


def test_a_folder_without_notebooks_is_an_error(notebooks: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunnerError, match="empty"):
        find_lessons([str(tmp_path / "empty")], notebooks)


def test_a_lessons_number_is_the_lesson_where_a_folder_is_named_so(
    notebooks: Path, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "here" / "07").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    assert names(find_lessons(["07"], notebooks)) == ["07-Seven.ipynb"]
