"""Begin a lesson: `.venv/bin/python tools/new_lesson.py 17 "Rate Limits"` writes a notebook that has a lesson's form.

What is to be written stands in it as `...`; `python course.py lint 17` says what is left.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lesson_linter.form import FEWEST_QUESTIONS
from notebook_dialect.notebooks.convert import jupyters_metadata
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_file import render

OPENING = """# {number} · {title}

Say in a paragraph why somebody wants to know this.

**The question:** ...?

**After this lesson, you can**

* ...
* ...
* ...

**Time:** 45 minutes.

<details><summary>For instructors</summary>

Section 1 takes 10 minutes: say what to show.
</details>"""
SECTION = """## {section}. ...

*10 minutes*

Say what the next cell does.

**Predict:** what will it show?"""
ENDING = """## Experiment

* Change ...

## Recap

* ...

## Questions

{questions}

## Further reading

* [...](https://spark.apache.org/docs/latest/)
* [...](https://docs.delta.io/latest/index.html)"""
QUESTION = """<details><summary>{question}. ...?</summary>

...
</details>"""


def cells(number: str, title: str) -> list[nbformat.NotebookNode]:
    """Return the cells of a lesson that is still to be written."""
    sections = [
        cell
        for section in (1, 2, 3)
        for cell in (
            new_markdown_cell(SECTION.format(section=section)),
            new_code_cell("...", metadata={"tags": ["nbval-check-output"]}),
            new_markdown_cell("Explain what it has shown."),
        )
    ]
    questions = "\n".join(QUESTION.format(question=question) for question in range(1, FEWEST_QUESTIONS + 1))
    made = [
        new_markdown_cell(OPENING.format(number=number, title=title)),
        new_code_cell("%run ../Includes/Classroom-Setup"),
        new_code_cell(f'DA = start_lesson("{number}")'),
        *sections,
        new_markdown_cell(ENDING.format(questions=questions)),
        new_code_cell("DA.cleanup()"),
    ]
    for place, cell in enumerate(made, start=1):
        cell.id = f"l{number}-{place:02}"
    return made


def write(number: str, title: str, folder: Path) -> Path:
    """Write the notebook and return its path; one that is there is never written over."""
    if not re.fullmatch(r"\d{2,}", number):
        raise SystemExit(f"{number} is no number of a lesson: 17, for instance.")
    if there := sorted(folder.glob(f"{number}-*.ipynb")):
        raise SystemExit(f"There is a lesson {number} already: {there[0].name}.")
    words = re.findall(r"[\w.]+", title)
    path = folder / f"{number}-{'-'.join(words)}.ipynb"
    notebook = new_notebook(metadata=jupyters_metadata(), cells=cells(number, title))
    path.write_bytes(render(notebook))
    return path


def main(arguments: list[str]) -> None:
    """Write the lesson that the arguments name."""
    if len(arguments) != 2:
        raise SystemExit('Usage: tools/new_lesson.py 17 "Rate Limits"')
    path = write(*arguments, directories.notebooks())
    print(f"Wrote {path.name} into notebooks/. `python course.py lint {arguments[0]}` says what is left to do.")


if __name__ == "__main__":
    main(sys.argv[1:])
