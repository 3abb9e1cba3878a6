from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_file import source_lines

LESSONS = sorted(directories.notebooks().glob("*.ipynb"))


def test_a_line_of_a_cell_is_found_and_not_an_output_that_says_the_same(tmp_path: Path) -> None:
    output = new_output("display_data", data={"application/json": {"source": ["b = 2"]}, "text/plain": "b = 2"})
    cells = [new_markdown_cell('say "b = 2": [1, {2}]'), new_code_cell("a = 1\nb = 2", outputs=[output])]
    path = tmp_path / "a.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    found = source_lines(path)
    assert found.keys() == {(1, 1), (2, 1), (2, 2)}
    assert [lines[found[2, number] - 1].strip() for number in (1, 2)] == ['"a = 1\\n",', '"b = 2"']
    assert found[2, 2] == len(lines) - [line.strip() for line in reversed(lines)].index('"b = 2"')


def test_a_source_of_one_string_is_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [{"source": "a\nb"}]}, indent=1))
    assert source_lines(path) == {(1, 1): 4, (1, 2): 4}


@pytest.mark.parametrize("lesson", LESSONS[::9], ids=lambda path: path.stem)
def test_each_line_of_a_lesson_is_where_it_is_said_to_be(lesson: Path) -> None:
    lines = lesson.read_text(encoding="utf-8").splitlines()
    found = source_lines(lesson)
    cells = nbformat.read(lesson, 4).cells
    for number, cell in enumerate(cells, start=1):
        for part, text in enumerate(cell.source.splitlines(keepends=True), start=1):
            assert json.loads(lines[found[number, part] - 1].strip().removesuffix(",")) == text


@pytest.mark.parametrize("text", ["", "{", "]]}", '"', '{"cells": 3}', "\x00[[["])
def test_what_is_no_notebook_has_no_lines(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    assert source_lines(tmp_path / "a.ipynb") == {}
