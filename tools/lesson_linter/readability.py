"""How hard a lesson's prose is to read: the Flesch-Kincaid grade, years of American school.

Only sentences count: paragraphs and list items.  Headings, tables, pictures and addresses are left out, and each piece
of code counts as one short word, so that a sentence about an API is not harder for its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cell_html import HEADINGS
from .lesson_file import Lesson
from .passages import STAND_IN, passages
from .problem import Problem

HARDEST = 10.0
FEWEST_WORDS = 200  # of fewer, one long sentence would decide
_TAGS_LEFT_OUT = frozenset((*HEADINGS, "table", "img"))
_POINT_IN_A_WORD = re.compile(r"(?<=\w)[.?!](?=\w)")  # of 28.6 and foreachBatch.py: no sentence ends there
_END_OF_A_BLOCK = re.compile(r"[\s.,;:!?]*$")


def readable(lesson: Lesson) -> Iterator[Problem]:
    """The prose of a lesson has a reading grade of ten at most."""
    if (found := grade(lesson)) > HARDEST:
        message = f"shorten sentences: the reading grade is {found:.1f}, and {HARDEST:g} is the most"
        yield lesson.problem("readability", message)


def grade(lesson: Lesson) -> float:
    """Return the Flesch-Kincaid grade of a lesson's prose; 0 where there is too little of it to tell."""
    from textstat import textstat

    prose = " ".join(_sentences(lesson))
    return textstat.flesch_kincaid_grade(prose) if len(prose.split()) >= FEWEST_WORDS else 0.0


def _sentences(lesson: Lesson) -> Iterator[str]:
    """Yield each paragraph and list item, ended by a full stop."""
    for cell in lesson.markdown:
        for passage in passages(cell.source):
            if not passage.tags & _TAGS_LEFT_OUT and passage.text.strip():
                text = _POINT_IN_A_WORD.sub("", passage.text.replace(STAND_IN, "code"))
                yield _END_OF_A_BLOCK.sub(".", text, count=1)
