"""What a lesson asks: predictions before a cell is run, a quiz by questions, others with folded answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bs4.element import Tag

from streaming_classroom.exercises import Question, catalogue
from streaming_classroom.files import directories

from .cell_html import text_of
from .lesson_file import Cell, Lesson
from .problem import Problem
from .sections import section_named

PREDICT = "**Predict:**"
FEWEST_PREDICTIONS = 3
SECTION = "Questions"
FEWEST_QUESTIONS = 5
_QUIZ = re.compile(r"DA\.quiz\((\d+)\)")
_QUESTION = re.compile(r"(\d+)\. \S.*\?", re.DOTALL)


def predictions(lesson: Lesson) -> Iterator[Problem]:
    """The learner predicts, at least three times, what the next cell will show."""
    found = [(cell, match) for cell in lesson.markdown for match in re.finditer(re.escape(PREDICT), cell.source)]
    if len(found) < FEWEST_PREDICTIONS:
        message = f"let the learner predict at least {FEWEST_PREDICTIONS} results: '{PREDICT} …?'"
        yield lesson.problem("predictions", message)
    for cell, match in found:
        line = cell.source.count("\n", 0, match.start()) + 1
        asked = cell.source[match.end() :].split(PREDICT, 1)[0]
        if "?" not in asked:
            yield lesson.problem("predictions", "ask for the prediction with a question mark", cell, line)
        if not _is_code(lesson.after(cell)):
            message = "let the cell that shows the answer follow the prediction"
            yield lesson.problem("predictions", message, cell, line)


def review_questions(lesson: Lesson) -> Iterator[Problem]:
    """At least five with those of the quiz; the answers of the others are folded, numbered without gaps, not empty."""
    section = section_named(lesson, SECTION)
    folds = section.find_all("details") if section else ()
    found = [(cell, fold) for cell, fold in folds if not fold.find_parent("details")]
    if len(found) + len(quiz_questions(lesson)) < FEWEST_QUESTIONS:
        message = f"ask at least {FEWEST_QUESTIONS} questions, in the quiz or each a <details> with its answer"
        where = (section.cell, section.heading.sourceline) if section else (None, None)
        yield lesson.problem("questions", message, *where)
    for number, (cell, fold) in enumerate(found, start=1):
        yield from (lesson.problem("questions", message, cell, fold.sourceline) for message in _wrong(fold, number))


def quiz(lesson: Lesson) -> Iterator[Problem]:
    """A lesson asks each question of its quiz once, in order, each in a cell of its own; no other lesson does."""
    questions = quiz_questions(lesson)
    asked = 0
    for cell in (cell for cell in lesson.code if "DA.quiz" in cell.source):
        if not questions:
            yield lesson.problem("quiz", "write this lesson's quiz in exercises/", cell)
        elif (number := _QUIZ.fullmatch(cell.source.strip())) is None:
            yield lesson.problem("quiz", "let this cell show one question: 'DA.quiz(1)'", cell)
        elif int(number[1]) != asked + 1:
            yield lesson.problem("quiz", f"ask question {asked + 1} here: the quiz is in the lesson's order", cell)
        else:
            asked += 1
    if asked < len(questions):
        yield lesson.problem("quiz", f"ask 'DA.quiz({asked + 1})' at the end of the section that it is about")


def quiz_questions(lesson: Lesson) -> tuple[Question, ...]:
    """Return the questions that the source has; somebody else's notebook of the same number has none there."""
    return catalogue.quiz_of(lesson.number) if lesson.path.is_relative_to(directories.notebooks()) else ()


def _wrong(fold: Tag, number: int) -> Iterator[str]:
    """Yield what to do about a question."""
    summary = text_of(fold.summary) if fold.summary else ""
    question = _QUESTION.fullmatch(summary)
    if question is None:
        yield f"make the summary a numbered question: '{number}. …?'"
    elif int(question[1]) != number:
        yield f"number this question {number}"
    if not text_of(fold).removeprefix(summary).strip():
        yield "write the answer below the summary"


def _is_code(cell: Cell | None) -> bool:
    return cell is not None and cell.kind == "code"
