"""Answers the exercises of a lesson in a kernel, as the tests of answers do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode

from kernel_harness import Notebook
from streaming_classroom.exercises import Exercise, catalogue
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import exercises, find_lessons

SECONDS = 240  # for a cell or a check; CI's machines are slow


@dataclass(frozen=True)
class Task:
    """An exercise as it stands in a lesson, with the source of the cell that asks for its verdict."""

    exercise: Exercise
    check: str

    def verdict(self, notebook: Notebook, code: str, seconds: float = SECONDS) -> str:
        """Run an answer, which may end with an error or not at all, and return what the check says of it.

        One that waits for a stream that never ends is interrupted after these seconds, as a person would do.
        """
        with suppress(TimeoutError):
            notebook.run(code.strip(), seconds)
        return notebook.ok(self.check, SECONDS).text


def code_of(number: str) -> Iterator[tuple[NotebookNode, Task | None]]:
    """Yield the code cells of a lesson from top to bottom, with the task where a cell is an exercise's."""
    [path] = find_lessons([number], directories.notebooks())
    lesson = nbformat.read(path, as_version=4)
    tasks = {id(cell): Task(catalogue.find(name), check.source) for cell, check, name in exercises(lesson)}
    yield from ((cell, tasks.get(id(cell))) for cell in lesson.cells if cell.cell_type == "code")
