"""What every lesson begins and ends with: the cell that sets up, alone, and the cell that cleans up, alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lesson_file import Cell, Lesson
from .problem import Problem

CLEANUP = "DA.cleanup()"
_INCLUDES = "../Includes"
_SETUP = re.compile(r"^\s*%run\s+\S*Classroom-Setup", re.MULTILINE)


def set_up(lesson: Lesson) -> Iterator[Problem]:
    """The first cell with code runs the lesson's own include, which exists, and no other cell runs one."""
    wanted = f"%run {_INCLUDES}/Classroom-Setup-{lesson.number}"
    first, *others = lesson.code or [None]
    if first is None or first.source != wanted:
        yield lesson.problem("set-up", f"let the first cell with code be the line '{wanted}', alone", first)
    elif not (lesson.path.parent / _INCLUDES / f"Classroom-Setup-{lesson.number}.py").is_file():
        yield lesson.problem("set-up", f"write the include Includes/Classroom-Setup-{lesson.number}.py", first, 1)
    for cell in others:
        if again := _SETUP.search(cell.source):
            line = cell.source.count("\n", 0, again.end()) + 1
            yield lesson.problem("set-up", "run the set-up in the lesson's first cell with code only", cell, line)


def set_up_is_second(lesson: Lesson) -> Iterator[Problem]:
    """Nothing but the opening cell stands before the first cell with code."""
    first = next(iter(lesson.code), None)
    if first is not None and first.number != 2:
        yield lesson.problem("set-up-is-second", "make the cell that sets up the second one", first)


def cleanup(lesson: Lesson) -> Iterator[Problem]:
    """The last cell cleans up, and does nothing else."""
    last = lesson.cells[-1]
    if last.kind != "code" or last.source != CLEANUP:
        yield lesson.problem("cleanup", f"let the last cell be the line '{CLEANUP}', alone", last)
    yield from (_early(lesson, cell) for cell in lesson.code if cell is not last and cell.source == CLEANUP)


def _early(lesson: Lesson, cell: Cell) -> Problem:
    return lesson.problem("cleanup", "clean up in the last cell only", cell, 1)
