"""Begin a lesson: `.venv/bin/python tools/new_lesson.py 17 "Rate Limits"` writes a notebook that has a lesson's form.

The parts to write stand in it as `...`; `python course.py lint 17` lists them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lesson_linter.form import FEWEST_QUESTIONS
from notebook_dialect.conversion import jupyter_metadata
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import render

WORD = r"[\w.]+"
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
QUESTION = """<details><summary>{question}. ...?</summary>

...
</details>"""
ENDING = """## Experiment

* Change ...

## Recap

* ...

## Questions

{questions}

## Further reading

* [...](https://spark.apache.org/docs/latest/)
* [...](https://docs.delta.io/latest/index.html)"""


def write(number: str, title: str, folder: Path) -> Path:
    """Write the notebook, unless the lesson exists, and return its path."""
    if not re.fullmatch(r"\d{2,}", number):
        raise SystemExit(f"The number of a lesson must be like 17, not {number}.")
    if existing := sorted(folder.glob(f"{number}-*.ipynb")):
        raise SystemExit(f"Lesson {number} exists: {existing[0].name}.")
    cells = [
        new_markdown_cell(OPENING.format(number=number, title=title)),
        new_code_cell("%run ../Includes/Classroom-Setup"),
        new_code_cell(f'DA = start_lesson("{number}")'),
    ]
    for section in (1, 2, 3):
        cells.append(new_markdown_cell(SECTION.format(section=section)))
        cells.append(new_code_cell("...", metadata={"tags": ["nbval-check-output"]}))
        cells.append(new_markdown_cell("Explain what it has shown."))
    questions = "\n".join(QUESTION.format(question=question) for question in range(1, FEWEST_QUESTIONS + 1))
    cells += [new_markdown_cell(ENDING.format(questions=questions)), new_code_cell("DA.cleanup()")]
    for place, cell in enumerate(cells, start=1):
        cell.id = f"l{number}-{place:02}"
    path = folder / f"{'-'.join([number, *re.findall(WORD, title)])}.ipynb"
    path.write_bytes(render(new_notebook(metadata=jupyter_metadata(), cells=cells)))
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit('Usage: tools/new_lesson.py 17 "Rate Limits"')
    written = write(sys.argv[1], sys.argv[2], directories.notebooks())
    print(f"Wrote {written.name} into notebooks/. `python course.py lint {sys.argv[1]}` lists the parts to write.")
