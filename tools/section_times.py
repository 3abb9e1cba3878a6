"""Write into each lesson how long its sections and the whole take, by the plan of the linter.

`.venv/bin/python tools/section_times.py [05 ...]`, after a lesson has changed; `course.py lint` compares.
"""

from __future__ import annotations

import sys

import nbformat

from lesson_linter import plan
from lesson_linter.lesson import read
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import STATED_MINUTES, find_lessons


def write_times(number: str) -> None:
    """Put the minutes below each section's heading and their sum into the opening cell."""
    [path] = find_lessons([number], directories.notebooks())
    lesson = read(path)
    planned = plan.parts(lesson)
    notebook = nbformat.read(path, as_version=4)
    for part in reversed(planned):  # from below, so that the lines above stay where they are
        if part.cell is not None:
            cell = notebook.cells[lesson.cells.index(part.cell)]
            lines = cell.source.splitlines()
            head, below = "\n".join(lines[: part.line]), "\n".join(["", *lines[part.line :]])
            below = plan.STATED_OF_SECTION.sub("", below, count=1) if part.stated is not None else below
            cell.source = f"{head}\n\n*{plan.format_minutes(part.minutes)}*{below}"
    opening = notebook.cells[0]
    total = sum(part.minutes for part in planned)
    opening.source = STATED_MINUTES.sub(lambda found: f"{found[1]}{total}{found[3]}", opening.source)
    nbformat.write(notebook, path)
    print(f"{path.stem}: {total} minutes")


if __name__ == "__main__":
    every = [path.stem.split("-")[0] for path in find_lessons([], directories.notebooks())]
    for one in sys.argv[1:] or every:
        write_times(one)
