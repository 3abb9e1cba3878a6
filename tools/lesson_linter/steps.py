"""The way through a lesson: numbered sections, the ending, predictions, and a cell that breaks on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from streaming_classroom.runner.judge import MAY_FAIL

from .lesson_file import Cell, Lesson
from .problem import Problem
from .sections import Section, sections

ENDING = ("Experiment", "Recap", "Questions", "Further reading")
PREDICT = "**Predict:**"
FEWEST_PREDICTIONS = 3
_NUMBERED = re.compile(r"(\d+)\. \S.*")


def numbering(lesson: Lesson) -> Iterator[Problem]:
    """The sections before the ending are numbered 1, 2, 3 …, and there is at least one."""
    steps = [section for section in sections(lesson) if section.heading.text not in ENDING]
    if not steps:
        yield lesson.problem("sections", "divide the lesson into sections: '## 1. …', '## 2. …'")
    expected = 1
    for step in steps:
        number = _NUMBERED.fullmatch(step.heading.text)
        if number is None or int(number[1]) != expected:
            yield _at(lesson, step, f"number this section: '## {expected}. …'")
        expected += 1


def ending(lesson: Lesson) -> Iterator[Problem]:
    """Experiment, recap, questions and further reading are there, once each, in this order, after all else."""
    found = sections(lesson)
    titles = [section.heading.text for section in found]
    for missing in (title for title in ENDING if title not in titles):
        yield lesson.problem("sections", f"add the section '## {missing}'")
    for before, section in pairwise(found):
        if _rank(section) < _rank(before):
            yield _at(lesson, section, f"move this section before '## {before.heading.text}'")
        elif _rank(section) == _rank(before) >= 0:
            yield _at(lesson, section, f"make one section of the two named '{section.heading.text}'")


def content(lesson: Lesson) -> Iterator[Problem]:
    """No section is empty."""
    for section in sections(lesson):
        if section.is_empty:
            yield _at(lesson, section, "write this section, or leave its heading out")


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


def breaking(lesson: Lesson) -> Iterator[Problem]:
    """At least one cell fails on purpose, with its error committed, and is explained below."""
    failing = list(lesson.tagged(MAY_FAIL))
    if not failing:
        yield lesson.problem("break", f"break something on purpose, in a cell tagged {MAY_FAIL}")
    for cell in failing:
        if lesson.has_run and not any(output["output_type"] == "error" for output in cell.outputs):
            yield lesson.problem("break", f"let this cell fail, or take its tag {MAY_FAIL} away", cell)
        below = lesson.after(cell)
        if below is None or below.kind != "markdown":
            yield lesson.problem("break", "explain the error in a Markdown cell right below", cell)


def _at(lesson: Lesson, section: Section, message: str) -> Problem:
    return lesson.problem("sections", message, section.cell, section.heading.line)


def _rank(section: Section) -> int:
    """Return the place in the ending; -1 for what stands before it."""
    title = section.heading.text
    return ENDING.index(title) if title in ENDING else -1


def _is_code(cell: Cell | None) -> bool:
    return cell is not None and cell.kind == "code"
