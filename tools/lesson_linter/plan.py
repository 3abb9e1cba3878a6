"""How many minutes a lesson and each of its sections take a learner: reading, running, trying, answering.

`.venv/bin/python tools/section_times.py` writes them into the lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from streaming_classroom.exercises import Exercise
from streaming_classroom.runner.lesson_files import STATED_MINUTES
from streaming_classroom.runner.results import EXERCISE

from .exercises import FIRST_CELLS, exercises_of
from .lesson import Cell, Lesson, Problem
from .markdown import text_of, tree

WORDS_PER_MINUTE = 150
MINUTES_PER_CELL = 40 / 60  # to read a cell, run it and read its output
MINUTES_PER_EXERCISE = 12  # with its check and a second try
MINUTES_PER_TASK = 10  # of a lab or of a lesson of tasks, whose story is known
MINUTES_PER_LINE = 3  # for the early exercise of one line
MINUTES_PER_QUESTION = 1  # of a quiz
MINUTES_PER_WRAP_UP = 110  # its one task, of four streams
LONGEST = {"L": 60, "W": 120}  # minutes without what is optional, by the letter of a form
LONGEST_LESSON = 45
#: Lessons whose exercises are the tasks of one story, as in a lab: they are planned, and limited, as a lab is.
LESSONS_OF_TASKS = frozenset({"13"})
STATED_OF_SECTION = re.compile(r"\n\n\*(\d+) minutes?(, optional)?\*(?=\n|$)")
STATED_WITH_OPTIONAL = re.compile(r"^(\*\*Time:\*\* \d+ minutes?; )(\d+)( with what is optional)", re.MULTILINE)
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
    extra : float
        Those of them that optional exercises need.
    """

    cell: Cell | None
    line: int
    needs: float = 0.0
    extra: float = 0.0

    @property
    def stated(self) -> str | None:
        """The time that stands below the heading, such as ``4 minutes, optional``."""
        found = self._stated()
        return found[0].strip("\n*") if found else None

    @property
    def is_optional(self) -> bool:
        """Whether the section says that it is optional."""
        found = self._stated()
        return bool(found and found[2])

    def _stated(self) -> re.Match[str] | None:
        if self.cell is None:
            return None
        return STATED_OF_SECTION.match("\n" + "\n".join(self.cell.source.splitlines()[self.line :]))

    @property
    def minutes(self) -> int:
        """Whole minutes, at least one."""
        return max(1, round(self.needs))

    @property
    def core(self) -> int:
        """The minutes without what is optional."""
        return 0 if self.is_optional else max(1, self.minutes - round(self.extra))

    @property
    def to_state(self) -> str:
        """The time as it should stand below the heading."""
        return format_minutes(self.minutes) + (", optional" if self.is_optional else "")


def stated_time(lesson: Lesson) -> Iterator[Problem]:
    """Each section says its minutes, and the opening cell their sums, without the waits; the core is not too long."""
    planned = parts(lesson)
    for part in planned:
        if part.cell is not None and part.stated != part.to_state:
            message = f"state the section's time below its heading: '*{part.to_state}*'"
            yield lesson.problem("time", message, part.cell, part.line)
    cell, core, total = lesson.cells[0], sum(part.core for part in planned), sum(part.minutes for part in planned)
    text = cell.source if cell.kind == "markdown" else ""
    if (stated := STATED_MINUTES.search(text)) and int(stated[2]) != core:
        message = (
            f"state {core} minutes, the sum of the opening, the sections and what follows, without what is optional"
        )
        yield lesson.problem("time", message, cell)
    whole = STATED_WITH_OPTIONAL.search(text)
    if stated and (int(whole[2]) if whole else core) != total:
        message = f"state after the first minutes: '; {total} with what is optional'"
        yield lesson.problem("time", message, cell)
    if core > (longest := LONGEST.get(_planned_form(lesson), LONGEST_LESSON)):
        message = f"shorten it, or make a part optional: it takes {core} minutes, {longest} at most"
        yield lesson.problem("core", message, cell)


def parts(lesson: Lesson) -> list[Part]:
    """Return the part outside of numbered sections, and then each section, with its minutes."""
    rest = Part(None, 0)
    found, current = [rest], rest
    for cell in lesson.cells:
        if cell.kind != "markdown":
            minutes = 0 if cell is lesson.code[0] else _minutes_of_code(cell, lesson)
            current.needs += minutes
            current.extra += minutes if _is_optional(cell, lesson) else 0
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
        return MINUTES_PER_QUESTION
    return MINUTES_PER_CELL


def _is_optional(cell: Cell, lesson: Lesson) -> bool:
    exercise = _exercise(cell, lesson) if EXERCISE in cell.tags else None
    return exercise is not None and exercise.is_optional


def _minutes_of_exercise(cell: Cell, lesson: Lesson) -> float:
    """Return the minutes that the exercise states, those of a line for an early exercise of one line, or of any."""
    usual = MINUTES_PER_TASK if _planned_form(lesson) == "L" else MINUTES_PER_EXERCISE
    exercise = _exercise(cell, lesson)
    if exercise is None:
        return usual
    new = set(exercise.solution.splitlines()) - set(exercise.starter.splitlines())
    is_line = not lesson.form and cell in lesson.code[:FIRST_CELLS] and len(new) == 1
    return exercise.minutes or (MINUTES_PER_LINE if is_line else usual)


def _planned_form(lesson: Lesson) -> str:
    """Return the form by which a lesson is planned: that of a lab for a lesson of tasks, otherwise its own."""
    return "L" if lesson.number in LESSONS_OF_TASKS else lesson.form


def _exercise(cell: Cell, lesson: Lesson) -> Exercise | None:
    return next((one for one in exercises_of(lesson) if one.starter.strip() == cell.source.strip()), None)


def _words(text: str) -> int:
    """Return the words of a text, without those that are folded; neighboring cells of a table are read at a glance."""
    soup = tree(STATED_OF_SECTION.sub("", text))
    cells = sum(len(row.find_all("td")) - 1 for row in soup.find_all("tr") if row.td)
    folded = sum(len(text_of(fold).split()) for fold in soup.find_all("details"))
    return len(text_of(soup).split()) - folded - cells
