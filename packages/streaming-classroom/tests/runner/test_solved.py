from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from streaming_classroom.exercises import catalogue
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import exercises, find_lessons, solved
from streaming_classroom.runner.results import EXERCISE


def lesson(*cells) -> nbformat.NotebookNode:
    return new_notebook(cells=list(cells))


def starter(source: str = "query = None"):
    return new_code_cell(source, metadata={"tags": [EXERCISE]})


def test_solutions_are_in_and_checks_must_find_them_right() -> None:
    given = lesson(starter(), new_markdown_cell("x"), new_code_cell('DA.check("01.3")\n'), new_code_cell("x = 1"))
    done = solved(given)
    sources = [cell.source for cell in done.cells]
    assert sources == [catalogue.find("01.3").solution.strip(), "x", 'DA.check("01.3").or_fail()', "x = 1"]
    assert given.cells[0].source == "query = None"


def test_a_check_belongs_to_the_exercise_before_it() -> None:
    given = lesson(new_code_cell('DA.check("01.1")'), starter("a"), starter("b"), new_code_cell('DA.check("01.3")'))
    assert [(cell.source, name) for cell, _, name in exercises(given)] == [("b", "01.3")]


@pytest.mark.parametrize("number", catalogue.lessons())
def test_each_lesson_has_the_exercises_of_its_source(number: str) -> None:
    [path] = find_lessons([number], directories.notebooks())
    found = [name for _, _, name in exercises(nbformat.read(path, as_version=4))]
    assert found == [exercise.id for exercise in catalogue.exercises_of(number)]
