"""What only labs must keep to: there is enough to do, and the file does not say how it is done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from streaming_classroom.exercises.exercise import Exercise
from streaming_classroom.runner.results import EXERCISE

from .exercises import source
from .lesson_file import Cell, Lesson
from .machine_paths import strings
from .problem import Problem

FEWEST_EXERCISES = 3
_TAG = re.compile(r"<[^<>]*>")


def enough_exercises(lesson: Lesson) -> Iterator[Problem]:
    """A lab has at least three exercises."""
    if lesson.is_lab and len(list(lesson.tagged(EXERCISE))) < FEWEST_EXERCISES:
        yield lesson.problem(
            "lab", f"give the lab at least {FEWEST_EXERCISES} exercises, or make it a part of a lesson"
        )


def no_solutions(lesson: Lesson) -> Iterator[Problem]:
    """No cell of a lab has an exercise's solution in it, and no output: the box of a verdict has it, folded."""
    for exercise in source(lesson) if lesson.is_lab else ():
        for cell in lesson.cells:
            if _own_lines(exercise) <= _lines(cell):
                yield lesson.problem("lab", f"take the solution of exercise {exercise.id} out of this cell", cell)


def _own_lines(exercise: Exercise) -> set[str]:
    """Return the lines that a solution has and its starter has not."""
    return _stripped(exercise.solution) - _stripped(exercise.starter)


def _lines(cell: Cell) -> set[str]:
    shown = (text for output in cell.outputs for text in strings({**output, "metadata": {}}))
    return set().union(*(_stripped(text) | _stripped(_without_tags(text)) for text in (cell.source, *shown)))


def _without_tags(html: str) -> str:
    return unescape(_TAG.sub("\n", html))


def _stripped(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()} - {""}
