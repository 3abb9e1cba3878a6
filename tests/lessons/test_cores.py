"""Whoever leaves out the sections that a lesson calls optional can run the rest."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from rich.console import Console

from lesson_linter.plan import STATED_OF_SECTION
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import find_lessons, lesson_number
from streaming_classroom.runner.suite import run_lessons

RUN_ANYWAY = "Run the cells of this section in any case"  # of a section that is optional to read, as the text says
LESSONS = [path for path in find_lessons([], directories.notebooks()) if ", optional*" in path.read_text("utf-8")]


def core_of(lesson: Path) -> NotebookNode:
    """Return a lesson without the code cells of its optional sections, as far as their texts allow that."""
    notebook = nbformat.read(lesson, as_version=4)
    kept, is_optional = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for section in re.findall(r"(?ms)^## .*?(?=^## |\Z)", cell.source):
                stated = STATED_OF_SECTION.search(section)
                is_optional = bool(stated and stated[2]) and RUN_ANYWAY not in section
        if cell.cell_type == "markdown" or not is_optional:
            kept.append(cell)
    notebook.cells = kept
    return notebook


@pytest.mark.exhaustive
@pytest.mark.parametrize("lesson", LESSONS, ids=[lesson_number(lesson.stem) for lesson in LESSONS])
def test_the_core_of_a_lesson_runs_alone(lesson: Path, tmp_path: Path) -> None:
    (tmp_path / "Includes").symlink_to(directories.PROJECT / "Includes", target_is_directory=True)
    copies = tmp_path / "notebooks"
    copies.mkdir()
    core = core_of(lesson)
    assert len(core.cells) < len(nbformat.read(lesson, as_version=4).cells)
    nbformat.write(core, copies / lesson.name)
    with Path(os.devnull).open("w") as nowhere:
        [run] = run_lessons([copies / lesson.name], home=tmp_path / "home", console=Console(file=nowhere)).lessons
    assert run.outcome == "passed", run.failures
