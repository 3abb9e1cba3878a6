"""How many minutes a lesson takes by plan: reading, typing, predicting and trying, each at a learner's rate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from streaming_classroom.runner.results import EXERCISE

from .cell_html import text_of, tree
from .lesson_file import Cell, Lesson
from .problem import Problem
from .questions import PREDICT

WORDS_A_MINUTE = 200
MINUTES_A_LINE = 4 / 60
MINUTES_A_PREDICTION = 0.5
MINUTES_AN_EXERCISE = 5
TOLERANCE = 0.1
LONGEST = 35  # minutes, after which a learner wants a break
_STATED = re.compile(r"^\*\*Time:\*\* (\d+) minutes\b", re.MULTILINE)


def stated_time(lesson: Lesson) -> Iterator[Problem]:
    """The opening cell promises no less time than the plan asks for; waits come on top and are not counted."""
    cell = lesson.cells[0]
    stated = _STATED.search(cell.source) if cell.kind == "markdown" else None
    planned = minutes(lesson)
    if stated and int(stated[1]) < planned * (1 - TOLERANCE):
        yield lesson.problem(
            "time", f"state {round(planned)} minutes, which is what its plan takes, or shorten it", cell
        )


def core(lesson: Lesson) -> Iterator[Problem]:
    """A lesson can be worked through in one go; what is more goes into its companion."""
    planned = minutes(lesson)
    if round(planned, 1) > LONGEST:
        message = f"shorten it, or move a part to a companion: it takes {planned:.1f} minutes, {LONGEST} at most"
        yield lesson.problem("core", message, lesson.cells[0])


def minutes(lesson: Lesson) -> float:
    """Return the minutes that a learner needs, with exercises; folded text is not read, and nothing is waited for."""
    words = sum(_words(cell) for cell in lesson.markdown)
    predictions = sum(cell.source.count(PREDICT) for cell in lesson.markdown)
    typed = [cell for cell in lesson.code if EXERCISE in cell.tags]
    same_everywhere = lesson.code[:1]  # the include, which nobody reads twice
    read = [cell for cell in lesson.code if cell not in typed and cell not in same_everywhere]
    lines = sum(bool(line.strip()) for cell in read for line in cell.lines)
    return (
        words / WORDS_A_MINUTE
        + lines * MINUTES_A_LINE
        + predictions * MINUTES_A_PREDICTION
        + len(typed) * MINUTES_AN_EXERCISE
    )


def _words(cell: Cell) -> int:
    folded = sum(len(text_of(fold).split()) for fold in tree(cell.source).find_all("details"))
    return len(text_of(tree(cell.source)).split()) - folded
