"""How many minutes a lesson and each of its sections take a learner: reading, running, trying, answering.

`.venv/bin/python tools/section_times.py` writes them into the lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from streaming_classroom.runner.lesson_files import STATED_MINUTES
from streaming_classroom.runner.results import EXERCISE

from .exercises import FIRST_CELLS, exercises_of, quiz_questions
from .lesson import Cell, Lesson, Problem
from .markdown import text_of, tree

WORDS_PER_MINUTE = 180
MINUTES_PER_CELL = 25 / 60  # to read a cell, run it and read its output
MINUTES_PER_EXERCISE = 6  # with its check
MINUTES_PER_LINE = 2  # for the early exercise of one line
MINUTES_PER_WRAP_UP = 113  # its one task, of four streams
MINUTES_PER_QUIZ = 4
LONGEST = {"L": 50, "W": 120}  # minutes, by the letter of a form
LONGEST_LESSON = 45
STATED_OF_SECTION = re.compile(r"\n\n\*(\d+) minutes?\*(?=\n|$)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@dataclass
class Part:
    """A numbered section with its minutes, or all text and cells outside of such sections.

    Attributes
    ----------
    cell : Cell, optional
        Where the section begins; None for everything outside of sections.
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
        found = STATED_OF_SECTION.match("\n" + "\n".join(self.cell.source.splitlines()[self.line :]))
        return int(found[1]) if found else None

    @property
    def minutes(self) -> int:
        """Whole minutes, at least one."""
        return max(1, round(self.needs))


def stated_time(lesson: Lesson) -> Iterator[Problem]:
    """Each section says its minutes, and the opening cell their sum, without the waits; the sum is not too long."""
    planned = parts(lesson)
    for part in planned:
        if part.cell is not None and part.stated != part.minutes:
            message = f"state the section's time below its heading: '*{format_minutes(part.minutes)}*'"
            yield lesson.problem("time", message, part.cell, part.line)
    cell, total = lesson.cells[0], sum(part.minutes for part in planned)
    stated = STATED_MINUTES.search(cell.source) if cell.kind == "markdown" else None
    if stated and int(stated[2]) != total:
        message = f"state {total} minutes, the sum of the sections', of the opening and of what follows the sections"
        yield lesson.problem("time", message, cell)
    if total > (longest := LONGEST.get(lesson.form, LONGEST_LESSON)):
        message = f"shorten it, or move a part to a companion: it takes {total} minutes, {longest} at most"
        yield lesson.problem("core", message, cell)


def parts(lesson: Lesson) -> list[Part]:
    """Return the part outside of numbered sections, and then each section, with its minutes."""
    rest = Part(None, 0)
    found, current = [rest], rest
    for cell in lesson.cells:
        if cell.kind != "markdown":
            current.needs += 0 if cell is lesson.code[0] else _minutes_of_code(cell, lesson)
            continue
        masked = _FENCED.sub(lambda fence: re.sub(r"[^\n]", " ", fence[0]), cell.source)
        starts = [heading.start() for heading in re.finditer(r"^## ", masked, re.MULTILINE)]
        current.needs += _words(cell.source[: starts[0] if starts else None]) / WORDS_PER_MINUTE
        for start, end in pairwise([*starts, len(cell.source)]):
            text = cell.source[start:end]
            is_numbered = re.match(r"## \d+\. \S", text)
            current = Part(cell, cell.source.count("\n", 0, start) + 1) if is_numbered else rest
            found += [current] if is_numbered else []
            current.needs += _words(text) / WORDS_PER_MINUTE
    return found


def format_minutes(number: int) -> str:
    """Return minutes in words: ``1 minute``, ``2 minutes``."""
    return f"{number} minute{'s' if number != 1 else ''}"


def _minutes_of_code(cell: Cell, lesson: Lesson) -> float:
    if EXERCISE in cell.tags:
        return MINUTES_PER_WRAP_UP if lesson.form == "W" else _minutes_of_exercise(cell, lesson)
    if cell.source.startswith("DA.check("):
        return 0
    if cell.source.startswith("DA.quiz("):
        return MINUTES_PER_QUIZ / max(1, len(quiz_questions(lesson)))
    return MINUTES_PER_CELL


def _minutes_of_exercise(cell: Cell, lesson: Lesson) -> float:
    """Return the minutes that the exercise states, those of a line for an early exercise of one line, or of any."""
    starters = {exercise.starter.strip(): exercise for exercise in exercises_of(lesson)}
    exercise = starters.get(cell.source.strip())
    if exercise is None:
        return MINUTES_PER_EXERCISE
    new = set(exercise.solution.splitlines()) - set(exercise.starter.splitlines())
    is_line = not lesson.form and cell in lesson.code[:FIRST_CELLS] and len(new) == 1
    return exercise.minutes or (MINUTES_PER_LINE if is_line else MINUTES_PER_EXERCISE)


def _words(text: str) -> int:
    """Return the words of a text, without those that are folded; neighboring cells of a table are read at a glance."""
    soup = tree(STATED_OF_SECTION.sub("", text))
    cells = sum(len(row.find_all("td")) - 1 for row in soup.find_all("tr") if row.td)
    folded = sum(len(text_of(fold).split()) for fold in soup.find_all("details"))
    return len(text_of(soup).split()) - folded - cells
