"""The review questions: numbered, folded, each with a question to see and an answer to find."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .elements import Fold, folds
from .lesson_file import Cell, Lesson
from .problem import Problem
from .sections import sections

SECTION = "Questions"
FEWEST_QUESTIONS = 5
_QUESTION = re.compile(r"(\d+)\. \S.*\?", re.DOTALL)


def questions(lesson: Lesson) -> Iterator[Problem]:
    """At least five folded answers, numbered without gaps, none empty."""
    section = next((section for section in sections(lesson) if section.heading.text == SECTION), None)
    if section is None or section.is_empty:
        return  # which the rules for sections report
    found = [(cell, fold) for cell, inside in section.parts for fold in folds(inside)]
    if len(found) < FEWEST_QUESTIONS:
        message = f"ask at least {FEWEST_QUESTIONS} questions, each a <details> with its answer"
        yield lesson.problem("questions", message, section.cell, section.heading.line)
    for number, (cell, fold) in enumerate(found, start=1):
        yield from _check(lesson, cell, fold, number)


def _check(lesson: Lesson, cell: Cell, fold: Fold, number: int) -> Iterator[Problem]:
    question = _QUESTION.fullmatch(fold.summary or "")
    if question is None:
        message = f"make the summary a numbered question: '{number}. …?'"
        yield lesson.problem("questions", message, cell, fold.line)
    elif int(question[1]) != number:
        yield lesson.problem("questions", f"number this question {number}", cell, fold.line)
    if not fold.hidden:
        yield lesson.problem("questions", "write the answer below the summary", cell, fold.line)
