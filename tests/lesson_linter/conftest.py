"""A small lesson without a problem, to break in one place at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lesson_linter import Problem, check
from notebook_dialect.conversion import jupyter_metadata
from streaming_classroom.exercises import catalogue

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" role="img" aria-label="A road">
  <defs><marker id="tip"/></defs>
  <rect width="9" height="9" rx="1" fill="#ffffff"/>
  <path d="M0 0H9" marker-end="url(#tip)"/><text x="1" y="5">files land</text>
</svg>
"""
OPENING = """# 07 · A Small Lesson

A course has a first lesson.

**The question:** how small can
a lesson be?

**After this lesson, you can**

* land a file;
* count its rows;
* say `why`.

**Time:** 7 minutes. No more.

<details><summary>For instructors</summary>

Section 1 takes five minutes.
</details>
"""
STEP = """## 1. A step

*2 minutes*

The files land, see [the first step](#1.-A-step) and `[0](x)`.

![Files land one after the other on a road](images/07-road.svg)

**Predict:** how many?"""
MORE = """It was one. An interval such as [0, 10) is balanced, and that that is so is no mistake.

**Predict:** and now?"""
LAST = """## 2. Another

*3 minutes*

**Predict:** still?"""
ENDING = """The class in brackets says `NAME_ERROR`.

## Experiment

* Change it.

## Recap

* It is small.

## Questions
"""
QUESTION = """
<details><summary>{0}. Is it <code>small</code>?</summary>

Yes.
</details>
"""
READING = """
## Further reading

* [The guide](https://spark.apache.org/docs/latest/)
* [Delta Lake](https://docs.delta.io/latest/index.html)"""


OneProblem = Callable[[], tuple[int | None, int | None, str, str]]


class Draft:
    """A lesson to change, write and check."""

    def __init__(self, directory: Path) -> None:
        self.name = "07-A-Small-Lesson.ipynb"
        self.directory = directory
        self.cells = _cells()
        (directory / "images").mkdir(parents=True)
        self.draw(SVG)

    @property
    def path(self) -> Path:
        """Return the notebook's file."""
        return self.directory / self.name

    @property
    def drawing(self) -> str:
        """Return the lesson's only picture."""
        return (self.directory / "images" / "07-road.svg").read_text(encoding="utf-8")

    def draw(self, svg: str) -> None:
        """Write the lesson's only picture."""
        (self.directory / "images" / "07-road.svg").write_text(svg, encoding="utf-8")

    def change(self, cell: int, old: str, new: str) -> None:
        """Replace a text, which must be there, in a cell's source."""
        assert old in self.cells[cell - 1].source
        self.cells[cell - 1].source = self.cells[cell - 1].source.replace(old, new, 1)

    def write(self) -> Path:
        """Write the notebook."""
        notebook = new_notebook(metadata=jupyter_metadata())
        notebook.cells = self.cells  # neither here nor by nbformat.write, which repair ids on the way
        self.path.write_text(nbformat.v4.writes(notebook) + "\n", encoding="utf-8")
        return self.path

    def check(self) -> list[Problem]:
        """Write the notebook and return its problems."""
        return check(self.write())


def _marked(source: str, text: str = "1\n") -> Any:
    """Return a cell whose output is compared."""
    output = new_output("stream", name="stdout", text=text)
    return new_code_cell(source, outputs=[output], metadata={"tags": ["nbval-check-output"]})


def _cells() -> list[Any]:
    error = new_output("error", ename="NameError", evalue="x", traceback=["NameError: x"])
    questions = "".join(QUESTION.format(number) for number in range(1, 6))
    cells = [
        new_markdown_cell(OPENING.rstrip()),
        new_code_cell("%run ../Includes/Classroom-Setup"),
        new_code_cell('DA = start_lesson("07")'),
        new_markdown_cell(STEP),
        _marked("print(1)  # the first"),
        new_markdown_cell(MORE),
        _marked("%sql\nSELECT 1 -- the second"),
        new_markdown_cell(LAST),
        _marked("print(1)"),
        _marked("print(1)"),
        _marked("!echo 1"),
        new_code_cell("x", outputs=[error], metadata={"tags": ["raises-exception"]}),
        new_markdown_cell(ENDING + questions + READING),
        new_code_cell("DA.cleanup()"),
    ]
    for position, cell in enumerate(cells, start=1):
        cell.id = f"l07-{position:02}"
    for count, cell in enumerate((cell for cell in cells if cell.cell_type == "code"), start=1):
        cell.execution_count = count
    return cells


@pytest.fixture
def draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Return a lesson that has no problem, with its include and its picture, without exercises and a quiz."""
    monkeypatch.setattr(catalogue, "exercises_of", lambda _number: ())
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: ())
    return Draft(tmp_path / "notebooks")


@pytest.fixture
def one_problem(draft: Draft) -> OneProblem:
    """Return a check that expects exactly one problem; a changed time counts only if it is the only one."""

    def check_draft() -> tuple[int | None, int | None, str, str]:
        found = draft.check()
        problems = [problem for problem in found if problem.rule != "time"] or found
        assert len(problems) == 1, [str(problem) for problem in problems]
        return problems[0].cell, problems[0].line, problems[0].rule, problems[0].message

    return check_draft
