from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lesson_linter import Problem, check
from streaming_classroom.files import directories
from streaming_classroom.runner import find_lessons

LESSONS = find_lessons([], directories.notebooks())
NAME = "07-A-Small-Lesson.ipynb"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_the_courses_lessons_have_no_problem(lesson: Path) -> None:
    assert [str(problem) for problem in check(lesson)] == []


def test_a_good_lesson_has_no_problem(draft) -> None:
    assert draft.check() == []


def test_a_problem_says_where_it_is_as_far_as_it_knows(tmp_path: Path) -> None:
    inside = directories.PROJECT / "notebooks" / "03-A.ipynb"
    assert str(Problem(inside, 7, "l03-07", 3, "x", "do it")) == "notebooks/03-A.ipynb: cell 7 (l03-07), line 3: do it"
    assert str(Problem(inside, 7, "l03-07", None, "x", "do it")) == "notebooks/03-A.ipynb: cell 7 (l03-07): do it"
    outside = tmp_path / "03-A.ipynb"
    assert str(Problem(outside, None, None, None, "x", "do it")) == f"{outside.as_posix()}: do it"


def test_problems_come_from_top_to_bottom(draft) -> None:
    draft.change(13, "It is small.", "It is small!")
    draft.change(6, "It was one.", "It was one!")
    draft.metadata = {}
    assert [(problem.cell, problem.line) for problem in draft.check()] == [(None, None), (6, 1), (13, 9)]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is not JSON"),
        (b"{", "it is not JSON"),
        (b"\xff\xfe", "it is not JSON"),
        (b"[]", "not in notebook format 4"),
        (b"{}", "not in notebook format 4"),
        (b'{"nbformat": 3}', "not in notebook format 4"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "cells"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{}]}', "cells/0"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}', "no cells"),
        (b'{"nbformat": 4, "nbformat_minor": 99, "metadata": {}, "cells": []}', ""),
        (b'{"nbformat": 4, "nbformat_minor": null, "metadata": {}, "cells": []}', ""),
        (b'{"nbformat": 4, "nbformat_minor": "x", "metadata": {}, "cells": []}', ""),
        (b"[" * 100_000, ""),
    ],
)
def test_what_is_no_notebook_is_one_problem(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / NAME).write_bytes(content)
    (problem,) = check(tmp_path / NAME)
    assert (problem.cell, problem.rule) == (None, "notebook")
    assert says in problem.message
    assert "\n" not in str(problem)


def test_a_file_that_is_not_there_or_a_directory_is_one_problem(tmp_path: Path) -> None:
    assert [problem.rule for problem in [*check(tmp_path / NAME), *check(tmp_path)]] == ["notebook", "notebook"]


def test_a_file_that_is_no_text_is_one_problem(draft) -> None:
    raw = json.loads(draft.write().read_text(encoding="utf-8"))
    raw["cells"][2]["source"] = "\ud800"
    draft.path.write_text(json.dumps(raw), encoding="utf-8")
    assert [problem.rule for problem in check(draft.path)] == ["notebook"]


def test_a_lesson_that_was_never_run_is_one_problem(draft) -> None:
    for cell in draft.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
    (problem,) = draft.check()
    assert str(problem).endswith("save the lesson with its outputs: python course.py run 07 --save")


MARKS = ["<details>", "<summary>", "</details>", "</summary>", "<a href='", "<![", "<!--", "](", "![", "`", "```", "|"]
MARKS += [
    "## ",
    "## Questions",
    "## Further reading",
    "**Predict:**",
    "%sql",
    "%%",
    "%run",
    "!",
    "\\",
    "&#0;",
    "\0",
    "\r",
]
MARKS += ["http://[", "#", "1. ", "* ", "\n", "\n\n", "<script>", "mermaid", "'", '"""', "(", "\x0c", "\u2028", "if:"]
ANY_TEXT = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=5))).map("".join))
CELLS = st.lists(
    st.tuples(st.booleans(), ANY_TEXT, ANY_TEXT, st.sampled_from(["raises-exception", "x", "z"])), max_size=4
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=CELLS)
def test_no_text_makes_it_raise(tmp_path: Path, cells: list[tuple[bool, str, str, str]]) -> None:
    book = new_notebook()
    for is_code, source, text, tag in cells:
        cell = new_code_cell(source, execution_count=1) if is_code else new_markdown_cell(source)
        cell.metadata = nbformat.from_dict({"tags": [tag]})
        if is_code:
            cell.outputs = [new_output("stream", name="stdout", text=text)]
        book.cells.append(cell)
    (tmp_path / NAME).write_text(json.dumps(book), encoding="utf-8")
    for problem in check(tmp_path / NAME):
        assert problem.message
        if problem.line is not None:
            assert 1 <= problem.line <= len(book.cells[problem.cell - 1].source.replace("\r", "\n").split("\n"))
