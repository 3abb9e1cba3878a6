"""How many minutes a lesson and each of its sections take a learner: reading, running, trying, answering.

`.venv/bin/python tools/section_times.py` writes them into the lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from streaming_classroom.runner.results import EXERCISE

from .cell_html import text_of, tree
from .lesson_file import Cell, Lesson
from .problem import Problem
from .questions import quiz_questions

WORDS_A_MINUTE = 180
MINUTES_A_CELL = 25 / 60  # to read a cell, run it and read what it shows
MINUTES_AN_EXERCISE = 6  # with its check
MINUTES_A_WRAP_UP = 40  # its one task
MINUTES_A_QUIZ = 4
LONGEST, LONGEST_LAB = 45, 50
STATED = re.compile(r"^(\*\*Time:\*\* )(\d+)( minutes?\b)", re.MULTILINE)
STATED_OF_SECTION = re.compile(r"\n\n\*(\d+) minutes?\*(?=\n|$)")
_NUMBERED = re.compile(r"\d+\. \S")
_CHECK, _QUIZ, _QUESTION = "DA.check(", "DA.quiz()", "DA.quiz("


@dataclass
class Part:
    """A numbered section with its minutes, or all that stands in none: the opening, recap and readings.

    Attributes
    ----------
    cell : Cell, optional
        Where the section begins; None for what stands in none.
    line : int
        The line of its heading in that cell, from 1.
    needs : float
        Minutes by the plan.
    """

    cell: Cell | None
    line: int
    needs: float = 0.0

    @property
    def stated(self) -> int | None:
        """The minutes that stand below the heading."""
        if self.cell is None:
            return None
        heading = "\n".join(self.cell.source.splitlines()[self.line :])
        found = STATED_OF_SECTION.match(f"\n{heading}")
        return int(found[1]) if found else None

    @property
    def minutes(self) -> int:
        """Whole minutes, at least one."""
        return max(1, round(self.needs))


def stated_time(lesson: Lesson) -> Iterator[Problem]:
    """Each section says its minutes, and the opening cell their sum; waits come on top and are not counted."""
    planned = parts(lesson)
    for part in planned:
        if part.cell is not None and part.stated != part.minutes:
            message = f"state the section's time below its heading: '*{minutes_of(part.minutes)}*'"
            yield lesson.problem("time", message, part.cell, part.line)
    cell = lesson.cells[0]
    stated = STATED.search(cell.source) if cell.kind == "markdown" else None
    total = sum(part.minutes for part in planned)
    if stated and int(stated[2]) != total:
        message = f"state {total} minutes, the sum of the sections', of the opening and of what follows the sections"
        yield lesson.problem("time", message, cell)


def core(lesson: Lesson) -> Iterator[Problem]:
    """A lesson can be worked through in one go; what is more goes into its companion."""
    planned, longest = minutes(lesson), LONGEST_LAB if lesson.is_lab or lesson.is_wrap_up else LONGEST
    if planned > longest:
        message = f"shorten it, or move a part to a companion: it takes {planned} minutes, {longest} at most"
        yield lesson.problem("core", message, lesson.cells[0])


def minutes(lesson: Lesson) -> int:
    """Return the minutes that a learner needs, with exercises; folded text is not read, and nothing is waited for."""
    return sum(part.minutes for part in parts(lesson))


def parts(lesson: Lesson) -> list[Part]:
    """Return what stands in no numbered section, and then each section, with its minutes."""
    rest = Part(None, 0)
    found = [rest]
    now = rest
    for cell in lesson.cells:
        if cell.kind != "markdown":
            now.needs += 0 if cell is lesson.code[0] else _minutes_of_code(cell, lesson)
            continue
        for line, text in _cut_at_headings(cell):
            if line:
                is_numbered = _NUMBERED.match(text.removeprefix("## "))
                now = Part(cell, line) if is_numbered else rest
                found += [now] if is_numbered else []
            now.needs += _words(text) / WORDS_A_MINUTE
    return found


def minutes_of(number: int) -> str:
    """Return minutes in words: ``1 minute``, ``2 minutes``."""
    return f"{number} minute{'s' if number != 1 else ''}"


def _minutes_of_code(cell: Cell, lesson: Lesson) -> float:
    if EXERCISE in cell.tags:
        return MINUTES_A_WRAP_UP if lesson.is_wrap_up else MINUTES_AN_EXERCISE
    if cell.source.startswith(_CHECK):
        return 0
    if cell.source.startswith(_QUIZ):
        return MINUTES_A_QUIZ
    if cell.source.startswith(_QUESTION):
        return MINUTES_A_QUIZ / max(1, len(quiz_questions(lesson)))
    return MINUTES_A_CELL


def _cut_at_headings(cell: Cell) -> Iterator[tuple[int, str]]:
    """Yield a cell's text up to its first section, which has no line, and each section's with the heading's line."""
    lines = cell.source.splitlines()
    starts = [0, *(tag.sourceline - 1 for tag in tree(cell.source).find_all("h2")), len(lines)]
    for number, (start, end) in enumerate(pairwise(starts)):
        if start != end:
            yield (start + 1 if number else 0), "\n".join(lines[start:end])


def _words(text: str) -> int:
    read = tree(STATED_OF_SECTION.sub("", text))
    folded = sum(len(text_of(fold).split()) for fold in read.find_all("details"))
    return len(text_of(read).split()) - folded
