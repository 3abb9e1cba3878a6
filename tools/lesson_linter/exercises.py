"""Exercises and quizzes: the notebook has those of the source in `exercises/`, and no solution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from streaming_classroom.exercises import Exercise, Question, catalogue
from streaming_classroom.files import directories
from streaming_classroom.runner.results import EXERCISE

from .code import strings
from .lesson import Cell, Lesson, Problem

FEWEST_WRONG, FEWEST_HINTS, MOST_HINTS, FEWEST_IN_LAB = 3, 2, 3, 3
FIRST_CELLS = 6  # code cells, with set-up
_HEADING = re.compile(r"^### Your turn (?P<id>\S+): (?P<title>.+)$", re.MULTILINE)
_QUIZ = re.compile(r"DA\.quiz\((\d+)\)")
#: A comment that asks for another line: ``# change this to 5 and run the cell again``.
_ASKS = re.compile(r"(?:#|--)[^\n]*\b(?:change|replace|write|fill in|remove)\b", re.IGNORECASE)
_HOW = "by a comment that says what to change, replace, write, fill in or remove, as in '# change 5 to 6'"


def quiz_questions(lesson: Lesson) -> tuple[Question, ...]:
    """Return the questions of a lesson of the course; none for a notebook elsewhere with the same number."""
    return catalogue.quiz_of(lesson.number) if lesson.path.is_relative_to(directories.notebooks()) else ()


def exercises_of(lesson: Lesson) -> tuple[Exercise, ...]:
    """Return the exercises of a lesson of the course; none for a notebook elsewhere with the same number."""
    return catalogue.exercises_of(lesson.number) if lesson.path.is_relative_to(directories.notebooks()) else ()


def same_as_source(lesson: Lesson) -> Iterator[Problem]:
    """Each exercise of the source is in the notebook, in its order, with its title, its starter and its check."""
    wanted, cells = exercises_of(lesson), list(lesson.tagged(EXERCISE))
    for exercise, cell in zip(wanted, cells, strict=False):
        before, after = lesson.cells[cell.number - 2], lesson.after(cell)
        heading = _HEADING.search(before.source) if before.kind == "markdown" else None
        title = exercise.title + (" (optional)" if exercise.is_optional else "")
        if heading is None or (heading["id"], heading["title"]) != (exercise.id, title):
            title = f"### Your turn {exercise.id}: {title}"
            yield lesson.problem("exercises", f"let '{title}' stand in the cell above the exercise", cell)
        if cell.source.strip() != exercise.starter.strip():
            yield lesson.problem("exercises", f"let the cell be the starter of exercise {exercise.id}", cell)
        if after is None or after.source.strip() != f'DA.check("{exercise.id}")':
            yield lesson.problem("exercises", f'let the next cell be DA.check("{exercise.id}"), alone', cell)
    for exercise in wanted[len(cells) :]:
        message = f"put exercise {exercise.id} into a cell with the tag {EXERCISE}, or remove its folder"
        yield lesson.problem("exercises", message)
    for cell in cells[len(wanted) :]:
        yield lesson.problem("exercises", f"write this exercise in exercises/lesson_{lesson.number.lower()}", cell)


def complete(lesson: Lesson) -> Iterator[Problem]:
    """Each exercise has two or three hints, a wrap-up none, and at least three wrong answers with their verdicts."""
    for exercise in exercises_of(lesson):
        if lesson.form == "W":
            if exercise.hints:
                yield lesson.problem("exercises", f"take the hints of {exercise.id} away: a wrap-up has none")
        elif not FEWEST_HINTS <= len(exercise.hints) <= MOST_HINTS:
            yield lesson.problem("exercises", f"give exercise {exercise.id} two or three hints")
        if len(exercise.wrong) < FEWEST_WRONG:
            yield lesson.problem("exercises", f"give exercise {exercise.id} at least three wrong answers")


def labs(lesson: Lesson) -> Iterator[Problem]:
    """A lab has at least three exercises, and neither a cell nor an output has a solution."""
    if lesson.form != "L":
        return
    if len(list(lesson.tagged(EXERCISE))) < FEWEST_IN_LAB:
        message = f"give the lab at least {FEWEST_IN_LAB} exercises, or make it a part of a lesson"
        yield lesson.problem("lab", message)
    for exercise in exercises_of(lesson):
        solution = _stripped(exercise.solution) - _stripped(exercise.starter)
        for cell in lesson.cells:
            shown = [text for output in cell.outputs for text in strings({**output, "metadata": {}})]
            texts = [cell.source, *shown, *(unescape(re.sub(r"<[^<>]*>", "\n", text)) for text in shown)]
            if solution <= set().union(*map(_stripped, texts)):
                yield lesson.problem("lab", f"take the solution of exercise {exercise.id} out of this cell", cell)


def own_lines(lesson: Lesson) -> Iterator[Problem]:
    """One of the first six code cells is an exercise, or asks for a line of the learner's own."""
    if not any(lesson.tagged(EXERCISE)):
        return
    if not any(_asks(cell) for cell in lesson.code[:FIRST_CELLS]):
        message = f"let one of the first {FIRST_CELLS} code cells ask for a line, {_HOW}"
        yield lesson.problem("own-lines", message, lesson.code[min(FIRST_CELLS, len(lesson.code)) - 1])


def quiz(lesson: Lesson) -> Iterator[Problem]:
    """A lesson asks each question of its quiz once, in order, each in a cell of its own; no other lesson does."""
    questions = quiz_questions(lesson)
    asked = 0
    for cell in (cell for cell in lesson.code if "DA.quiz" in cell.source):
        if not questions:
            yield lesson.problem("quiz", "write this lesson's quiz, quiz.py in its folder of exercises/", cell)
        elif (number := _QUIZ.fullmatch(cell.source.strip())) is None:
            yield lesson.problem("quiz", "let this cell show one question: 'DA.quiz(1)'", cell)
        elif int(number[1]) != asked + 1:
            yield lesson.problem("quiz", f"ask question {asked + 1} here: the quiz is in the lesson's order", cell)
        else:
            asked += 1
    if asked < len(questions):
        yield lesson.problem("quiz", f"ask 'DA.quiz({asked + 1})' at the end of the section that it is about")


def _asks(cell: Cell) -> bool:
    return EXERCISE in cell.tags or bool(_ASKS.search(cell.source))


def _stripped(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()} - {""}
