"""The sections of a lesson, from one heading of the second level to the next, over cells: numbered, then the ending."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from bs4.element import PageElement, Tag

from .cell_html import text_of, tree
from .lesson_file import Cell, Lesson
from .problem import Problem

RULE = "sections"
ENDING = ("Experiment", "On open-source Spark", "On Databricks", "Recap", "Questions", "Further reading")
#: What differs on open-source Spark and on Databricks, if anything does, and questions that are not in the quiz.
OPTIONAL = ("On open-source Spark", "On Databricks", "Questions")
_NUMBERED = re.compile(r"(\d+)\. \S.*")


@dataclass(frozen=True)
class Section:
    """One section.

    Parameters
    ----------
    cell, heading
        Where it begins.
    inside
        What stands below the heading, each part of a cell's tree with its cell; of a cell with code, the cell alone.
    """

    cell: Cell
    heading: Tag
    inside: list[tuple[Cell, PageElement | None]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The text of its heading."""
        return text_of(self.heading)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be read in it."""
        return not any(_is_content(cell, part) for cell, part in self.inside)

    def find_all(self, name: str) -> Iterator[tuple[Cell, Tag]]:
        """Yield its tags of a name, each with its cell."""
        return ((cell, part) for cell, part in self.inside if getattr(part, "name", None) == name)


def sections(lesson: Lesson) -> list[Section]:
    """Return the sections of a lesson, in order; what stands before the first heading is in none."""
    found: list[Section] = []
    for cell in lesson.cells:
        for part in tree(cell.source).descendants if cell.kind == "markdown" else [None]:
            if isinstance(part, Tag) and part.name == "h2":
                found.append(Section(cell, part))
            elif found and not (part and found[-1].heading in part.parents):
                found[-1].inside.append((cell, part))
    return found


def section_named(lesson: Lesson, title: str) -> Section | None:
    """Return the section of this title, unless it is missing or empty, which has rules of its own."""
    return next((section for section in sections(lesson) if section.title == title and not section.is_empty), None)


def numbering(lesson: Lesson) -> Iterator[Problem]:
    """The sections before the ending are numbered 1, 2, 3 …, and there is at least one."""
    steps = [section for section in sections(lesson) if section.title not in ENDING]
    if not steps:
        yield lesson.problem(RULE, "divide the lesson into sections: '## 1. …', '## 2. …'")
    for expected, step in enumerate(steps, start=1):
        number = _NUMBERED.fullmatch(step.title)
        if number is None or int(number[1]) != expected:
            yield _at(lesson, step, f"number this section: '## {expected}. …'")


def ending(lesson: Lesson) -> Iterator[Problem]:
    """Experiment, recap and further reading are there, once each, in this order, after all else.

    What is different elsewhere may stand between the first two, and questions before the last.
    """
    found = sections(lesson)
    titles = [section.title for section in found]
    for missing in (title for title in ENDING if title not in (*titles, *OPTIONAL)):
        yield lesson.problem("ending", f"add the section '## {missing}'")
    for before, section in pairwise(found):
        if _rank(section) < _rank(before):
            yield _at(lesson, section, f"move this section before '## {before.title}'")
        elif _rank(section) == _rank(before) >= 0:
            yield _at(lesson, section, f"make one section of the two named '{section.title}'")


def content(lesson: Lesson) -> Iterator[Problem]:
    """No section is empty."""
    for section in sections(lesson):
        if section.is_empty:
            yield _at(lesson, section, "write this section, or leave its heading out")


def _is_content(cell: Cell, part: PageElement | None) -> bool:
    if part is None:
        return cell.kind == "code" and bool(cell.source.strip())
    return getattr(part, "name", None) == "img" or (not isinstance(part, Tag) and bool(text_of(part)))


def _at(lesson: Lesson, section: Section, message: str) -> Problem:
    return lesson.problem(RULE, message, section.cell, section.heading.sourceline)


def _rank(section: Section) -> int:
    """Return the place in the ending; -1 for what stands before it."""
    return ENDING.index(section.title) if section.title in ENDING else -1
