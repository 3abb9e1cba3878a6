from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from streaming_classroom.exercises import catalogue
from streaming_classroom.runner.lesson_files import (
    ENDING,
    LEFT_OUT,
    exercises,
    find_lessons,
    read_lesson,
    solved,
    transplant,
    without_classic_cells,
)
from streaming_classroom.runner.results import EXERCISE, MAY_FAIL, NEEDS_CLASSIC, InvalidNotebook, RunnerError

HOME = Path("/tmp/home/runs/1/x")


def executed(*outputs: nbformat.NotebookNode) -> nbformat.NotebookNode:
    cell = new_code_cell("changed by somebody", id="other", execution_count=1, outputs=list(outputs))
    cell.metadata["papermill"] = {"duration": 1.0}
    return new_notebook(cells=[cell], metadata={"papermill": {"duration": 2.0}})


def lesson() -> nbformat.NotebookNode:
    cell = new_code_cell("print(1)", id="mine", metadata={"tags": ["a"], "execution": {"x": "now"}})
    return new_notebook(cells=[cell], metadata={"language_info": {"name": "python", "version": "3.11.2"}, "my": 1})


def saved(*outputs: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return transplant(lesson(), executed(*outputs), HOME).cells[0].outputs


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no json", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "format 4"),
        (b'{"nbformat": 3, "worksheets": []}', "format 4"),
        (
            b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}',
            "cells/0",
        ),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "'cells' is a required property"),
    ],
)
def test_what_is_not_a_notebook_is_refused_in_one_sentence(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content)
    with pytest.raises(InvalidNotebook, match=reason) as caught:
        read_lesson(path)
    assert "\n" not in str(caught.value)


def test_an_ending_is_saved_by_a_run_with_solutions_only_and_folded() -> None:
    nb = lesson()
    nb.cells[0].metadata["tags"] = [ENDING]
    nb.cells[0].outputs = [new_output("stream", text="as saved\n")]
    ran = executed(new_output("stream", text="3 < 4\n"), new_output("display_data", {"text/html": "<b>four</b>"}))
    assert transplant(nb, ran, HOME).cells[0].outputs == nb.cells[0].outputs
    [output] = transplant(nb, ran, HOME, solved=True).cells[0].outputs
    assert output.data["text/html"] == (
        "<details><summary>How it ends</summary><pre>3 &lt; 4\n</pre><b>four</b></details>"
    )
    assert transplant(lesson(), ran, HOME, solved=True).cells[0].outputs == []


def test_nothing_but_outputs_and_counts_is_taken_over() -> None:
    nb = transplant(lesson(), executed(new_output("stream", text="1\n")), HOME)
    (cell,) = nb.cells
    assert (cell.id, cell.source, cell.metadata, cell.execution_count) == (
        "mine",
        "print(1)",
        {"tags": ["a"]},
        1,
    )
    assert nb.metadata.my == 1
    assert "papermill" not in nb.metadata


def test_an_error_keeps_the_cells_frames_and_loses_the_machines_paths() -> None:
    frames = [
        "Cell In[1], line 1\n----> 1 x",
        "\x1b[36mFile \x1b[39m~/venv/x.py:12, in f()",
        "ValueError: no",
    ]
    (error,) = saved(new_output("error", ename="ValueError", evalue="no", traceback=frames))
    assert error.traceback == [frames[0], frames[2]]


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


def test_a_path_is_relative_to_the_current_directory(notebooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(notebooks)
    assert find_lessons(["notes.ipynb"], notebooks / "elsewhere") == [notebooks / "notes.ipynb"]


def test_a_lesson_asked_for_twice_runs_once_in_the_order_asked(notebooks: Path) -> None:
    assert names(find_lessons(["2", "1", "02"], notebooks)) == ["02-Two.ipynb", "01-One.ipynb"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("42", r"There is no lesson '42'\. .*`python course\.py list` shows all 4\."),
        ("07M", r"There is no lesson '07M'\. The nearest are 07"),
        ("", "There is no lesson ''"),
        ("missing.ipynb", r"There is no notebook 'missing\.ipynb'"),
        ("README.md", r"'README\.md' is no notebook: their names end in \.ipynb, \.py, \.sql"),
    ],
)
def test_an_unknown_lesson_is_an_error_that_names_the_nearest(
    notebooks: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.chdir(notebooks)
    (notebooks / "README.md").touch()
    with pytest.raises(RunnerError, match=said):
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


def test_a_lessons_number_is_the_lesson_where_a_folder_is_named_so(
    notebooks: Path, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "here" / "07").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    assert names(find_lessons(["07"], notebooks)) == ["07-Seven.ipynb"]


def starter(source: str = "query = None"):
    return new_code_cell(source, metadata={"tags": [EXERCISE]})


def test_solutions_are_in_and_checks_must_find_them_right() -> None:
    cells = [starter(), new_markdown_cell("x"), new_code_cell('DA.check("01.3")\n'), new_code_cell("x = 1")]
    given = new_notebook(cells=cells)
    done = solved(given)
    sources = [cell.source for cell in done.cells]
    assert sources == [catalogue.find("01.3").solution.strip(), "x", 'DA.check("01.3").or_fail()', "x = 1"]
    assert given.cells[0].source == "query = None"


def test_a_check_belongs_to_the_exercise_before_it() -> None:
    cells = [new_code_cell('DA.check("01.1")'), starter("a"), starter("b"), new_code_cell('DA.check("01.3")')]
    given = new_notebook(cells=cells)
    assert [(cell.source, name) for cell, _, name in exercises(given)] == [("b", "01.3")]


def test_a_cell_that_needs_classic_compute_only_says_so_where_it_is_left_out() -> None:
    other, classic = (
        new_code_cell("a = 1"),
        new_code_cell("kill()", metadata={"tags": [MAY_FAIL, NEEDS_CLASSIC]}),
    )
    notebook = new_notebook(cells=[other, classic])
    left = without_classic_cells(notebook).cells
    assert [cell.source for cell in left] == ["a = 1", f"print({LEFT_OUT!r})"]
    assert MAY_FAIL not in left[1].metadata["tags"] and notebook.cells[1].source == "kill()"
