"""The exercises of a lesson, and what their source says of them: notebook and source must not differ."""

from __future__ import annotations

import re
from collections.abc import Iterator

from streaming_classroom.exercises import catalogue
from streaming_classroom.exercises.exercise import Exercise
from streaming_classroom.files import directories
from streaming_classroom.runner.results import EXERCISE

from .lesson_file import Cell, Lesson
from .problem import Problem

FEWEST_WRONG, FEWEST_HINTS, MOST_HINTS = 3, 2, 3
_HEADING = re.compile(r"^### Your turn (?P<id>\S+): (?P<title>.+)$", re.MULTILINE)


def same_as_source(lesson: Lesson) -> Iterator[Problem]:
    """Each exercise of the source is in the notebook, in its order, with its title, its starter and its check."""
    wanted = source(lesson)
    cells = [cell for cell in lesson.code if EXERCISE in cell.tags]
    for exercise, cell in zip(wanted, cells, strict=False):
        yield from _differences(lesson, exercise, cell)
    for exercise in wanted[len(cells) :]:
        yield lesson.problem(
            "exercises", f"put exercise {exercise.id} into a cell with the tag {EXERCISE}, or take it out of the source"
        )
    for cell in cells[len(wanted) :]:
        yield lesson.problem("exercises", "write this exercise's source in exercises/", cell)


def complete(lesson: Lesson) -> Iterator[Problem]:
    """Each exercise has two or three hints, a wrap-up none, and at least three wrong answers with their verdicts."""
    for exercise in source(lesson):
        if lesson.is_wrap_up:
            if exercise.hints:
                yield lesson.problem("exercises", f"take the hints of {exercise.id} away: a wrap-up has none")
        elif not FEWEST_HINTS <= len(exercise.hints) <= MOST_HINTS:
            yield lesson.problem("exercises", f"give exercise {exercise.id} two or three hints")
        if len(exercise.wrong) < FEWEST_WRONG:
            yield lesson.problem("exercises", f"give exercise {exercise.id} three wrong answers or more")


def source(lesson: Lesson) -> tuple[Exercise, ...]:
    """Return what the source has; somebody else's notebook of the same number has nothing there."""
    return catalogue.of_lesson(lesson.number) if lesson.path.is_relative_to(directories.notebooks()) else ()


def _differences(lesson: Lesson, exercise: Exercise, cell: Cell) -> Iterator[Problem]:
    before, after = lesson.cells[cell.number - 2], lesson.cells[cell.number : cell.number + 1]
    heading = _HEADING.search(before.source) if before.kind == "markdown" else None
    if heading is None or (heading["id"], heading["title"]) != (exercise.id, exercise.title):
        wanted = f"### Your turn {exercise.id}: {exercise.title}"
        yield lesson.problem("exercises", f"let '{wanted}' stand in the cell above the exercise", cell)
    if cell.source.strip() != exercise.starter.strip():
        yield lesson.problem("exercises", f"let the cell be the starter of exercise {exercise.id}", cell)
    if not after or after[0].source.strip() != f'DA.check("{exercise.id}")':
        yield lesson.problem("exercises", f'let the next cell be DA.check("{exercise.id}"), alone', cell)
