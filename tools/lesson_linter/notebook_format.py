"""The notebook as a file: format, kernel, size, and ids that stay when cells move."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notebook_dialect.notebooks.convert import jupyters_metadata

from .lesson_file import Lesson
from .problem import Problem

OLDEST_MINOR = 5  # the first whose cells have ids
LARGEST = 300_000  # bytes


def form(lesson: Lesson) -> Iterator[Problem]:
    """It is what the runner saves: format 4.5, kernel python3, a newline at the end."""
    usual = jupyters_metadata()
    kernel = usual["kernelspec"]["name"]
    if lesson.minor < OLDEST_MINOR:
        yield lesson.problem("form", f"save the notebook in format 4.{OLDEST_MINOR}")
    if lesson.metadata.get("kernelspec", {}).get("name") != kernel:
        yield lesson.problem("form", f"choose the kernel {kernel}")
    elif any(lesson.metadata.get(name) != value for name, value in usual.items()):
        again = f"python course.py run {lesson.number} --save"
        yield lesson.problem("form", f"correct kernelspec and language_info, which JupyterLab would change: {again}")
    if not lesson.ends_in_newline:
        yield lesson.problem("form", "end the file with a newline")


def size(lesson: Lesson) -> Iterator[Problem]:
    """It is small enough to be read in a diff."""
    if lesson.size >= LARGEST:
        yield lesson.problem("size", f"show less: the file has {lesson.size:,} bytes, {LARGEST:,} are too many")


def ids(lesson: Lesson) -> Iterator[Problem]:
    """Each cell has an id of its own that says which lesson it is from."""
    seen: set[str] = set()
    for cell in lesson.cells:
        if not re.fullmatch(rf"l{re.escape(lesson.number)}-\d{{2,}}", cell.id):
            yield lesson.problem("ids", f"name the cell like l{lesson.number}-{cell.number:02}", cell)
        elif cell.id in seen:
            yield lesson.problem("ids", "give the cell an id that no other cell has", cell)
        seen.add(cell.id)
