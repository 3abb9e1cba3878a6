"""A lesson with exercises has the learner type from its first page: a line, then a line to change, then an exercise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from streaming_classroom.runner.results import EXERCISE

from .lesson_file import Cell, Lesson
from .problem import Problem

FIRST_CELLS = 5  # code cells, with set-up
FEWEST_BEFORE = 3
#: A comment that asks for another line: ``# change this to 5 and run the cell again``.
_ASKS = re.compile(r"(?:#|--)[^\n]*\b(?:change|replace|write|fill in|remove)\b", re.IGNORECASE)
_HOW = "by a comment that says what to change, replace, write, fill in or remove, as in '# change 5 to 6'"


def early(lesson: Lesson) -> Iterator[Problem]:
    """One of the first five code cells asks for a line of the learner's own, and three do before the first exercise."""
    if not list(lesson.tagged(EXERCISE)):
        return
    if not any(_asks(cell) for cell in lesson.code[:FIRST_CELLS]):
        message = f"let one of the first {FIRST_CELLS} code cells ask for a line, {_HOW}"
        yield lesson.problem("own-lines", message, lesson.code[min(FIRST_CELLS, len(lesson.code)) - 1])
    before = sum(_asks(cell) for cell in takewhile(lambda cell: EXERCISE not in cell.tags, lesson.code))
    if before < FEWEST_BEFORE:
        message = f"let {FEWEST_BEFORE} cells before the first exercise ask for a line, {_HOW}; {before} do"
        yield lesson.problem("own-lines", message, next(lesson.tagged(EXERCISE)))


def _asks(cell: Cell) -> bool:
    return EXERCISE in cell.tags or bool(_ASKS.search(cell.source))
