"""What every lesson begins and ends with: the cells that set up, each alone, and the cell that cleans up, alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lesson_file import Cell, Lesson
from .problem import Problem

CLEANUP = "DA.cleanup()"
INCLUDE = "../Includes/Classroom-Setup"
_SETUP = re.compile(r"^\s*%run\s+\S*Classroom-Setup", re.MULTILINE)
_START = re.compile(r'DA = start_lesson\("([^"]+)"(?:, [^\n]*)?\)')


def set_up(lesson: Lesson) -> Iterator[Problem]:
    """The first cell with code runs the include, the second starts this lesson, and no other cell runs an include."""
    first, *others = lesson.code or [None]
    if first is None or first.source != f"%run {INCLUDE}":
        yield lesson.problem("set-up", f"let the first cell with code be the line '%run {INCLUDE}', alone", first)
    second = next(iter(others), None)
    started = second and _START.fullmatch(second.source)
    if not started or started[1] != lesson.number:
        wanted = f'DA = start_lesson("{lesson.number}", ...)'
        yield lesson.problem("set-up", f"let the second cell with code be the line '{wanted}', alone", second)
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
