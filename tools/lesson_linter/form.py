"""The parts of a lesson: opening cell, set-up and clean-up, sections, predictions, and review questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from bs4.element import PageElement, Tag

from streaming_classroom.runner.results import MAY_FAIL

from .exercises import quiz_questions
from .lesson import Cell, Lesson, Problem
from .links import OFFICIAL_HOSTS, split_address
from .markdown import text_of, tree

QUESTION = "**The question:**"
OBJECTIVES = "**After this lesson, you can**"
INSTRUCTORS = "For instructors"
PREDICT = "**Predict:**"
INCLUDE = "%run ../Includes/Classroom-Setup"
CLEANUP = "DA.cleanup()"
ENDING = ("Experiment", "On open-source Spark", "On Databricks", "Recap", "Questions", "Further reading")
OPTIONAL = ("On open-source Spark", "On Databricks", "Questions")  # differences, and questions outside of the quiz
FEWEST_OBJECTIVES, FEWEST_PREDICTIONS, FEWEST_QUESTIONS, FEWEST_READINGS = 3, 3, 5, 2

_TITLE = re.compile(r"# (\d{2,}[A-Za-z]?) · (.+)")
_START = re.compile(r'DA = start_lesson\("([^"]+)"(?:, [^\n]*)?\)')
_NUMBERED = re.compile(r"(\d+)\. \S.*", re.DOTALL)


def opening(lesson: Lesson) -> Iterator[Problem]:
    """The first cell has title, why, question, objectives, time, and the note for instructors."""
    cell = lesson.cells[0]
    title = f"# {lesson.number} · {lesson.title.replace('-', ' ')}"
    found = _TITLE.fullmatch(cell.lines[0].rstrip())
    if not lesson.number:
        yield lesson.problem("file-name", "name the file like 07-Title.ipynb")
    elif not (found and found[1] == lesson.number and _words(found[2]) == _words(lesson.title)):
        yield lesson.problem("title", f"begin with the line '{title}', as the file is named", cell, 1)
    if cell.kind != "markdown":
        yield lesson.problem("title", "begin with a Markdown cell", cell)
        return
    paragraphs = [text_of(paragraph) for paragraph in tree(cell.source).find_all("p", recursive=False)]
    if not paragraphs or paragraphs[0].startswith(QUESTION.strip("*")):
        yield lesson.problem("why", "say why in a paragraph between the title and the question", cell, 1)
    asked = [text for text in paragraphs if text.startswith(QUESTION.strip("*"))]
    if not (asked and asked[0].endswith("?") and QUESTION in cell.source):
        yield lesson.problem("question", f"add a line '{QUESTION} …?' to the opening cell", cell)
    below = cell.source.partition(OBJECTIVES)[2]
    items = re.match(r"\s*((?:[*-] .*\n?(?:  .*\n?)*)*)", below)[1]
    if len(re.findall(r"^[*-] ", items, re.MULTILINE)) < FEWEST_OBJECTIVES:
        line = cell.find_line(OBJECTIVES)
        yield lesson.problem(
            "objectives", f"list at least {FEWEST_OBJECTIVES} objectives below '{OBJECTIVES}'", cell, line
        )
    if not re.search(r"^\*\*Time:\*\* \d+ minutes\b", cell.source, re.MULTILINE):
        yield lesson.problem("time", "add a line '**Time:** NN minutes.' to the opening cell", cell)
    folds = tree(cell.source).find_all("details")
    notes = [text_of(fold) for fold in folds if fold.summary and text_of(fold.summary) == INSTRUCTORS]
    if not notes or not re.search(r"\bminutes?\b|\btimes\b", notes[0]):
        message = f"add a note <details><summary>{INSTRUCTORS}</summary> that says where its minutes go"
        yield lesson.problem("instructors", message, cell, cell.find_line(INSTRUCTORS))


def set_up(lesson: Lesson) -> Iterator[Problem]:
    """The first cell with code runs the include, and the second starts this lesson."""
    first, second = [*lesson.code[:2], None, None][:2]
    if first is None or first.source != INCLUDE:
        yield lesson.problem("set-up", f"let the first cell with code be the line '{INCLUDE}', alone", first)
    elif first.number != 2:
        yield lesson.problem("set-up-is-second", "make the cell that sets up the second one", first)
    started = second and _START.fullmatch(second.source)
    if not started or started[1] != lesson.number:
        wanted = f'DA = start_lesson("{lesson.number}", ...)'
        yield lesson.problem("set-up", f"let the second cell with code be the line '{wanted}', alone", second)


def cleanup(lesson: Lesson) -> Iterator[Problem]:
    """The last cell cleans up, and does nothing else."""
    last = lesson.cells[-1]
    if last.kind != "code" or last.source != CLEANUP:
        yield lesson.problem("cleanup", f"let the last cell be the line '{CLEANUP}', alone", last)
    for cell in lesson.code:
        if cell is not last and cell.source == CLEANUP:
            yield lesson.problem("cleanup", "clean up in the last cell only", cell, 1)


@dataclass(frozen=True)
class Section:
    """The parts of a lesson from one heading of the second level to the next, over cells.

    Parameters
    ----------
    cell, title
        Where it begins, and the text of its heading.
    inside
        The parts of the trees below the heading, each with its cell; for a cell with code, the cell alone.
    """

    cell: Cell
    title: str
    inside: list[tuple[Cell, PageElement | None]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether it has neither text nor code."""
        return not any(part is None or text_of(part).strip() for _cell, part in self.inside)

    def find_all(self, name: str) -> list[tuple[Cell, Tag]]:
        """Return its tags of a name, each with its cell."""
        trees = [(cell, part) for cell, part in self.inside if isinstance(part, Tag)]
        own = [(cell, part) for cell, part in trees if part.name == name]
        return own + [(cell, tag) for cell, part in trees for tag in part.find_all(name)]


def sections(lesson: Lesson) -> list[Section]:
    """Return the sections of a lesson, in order; the parts before the first heading belong to none."""
    found: list[Section] = []
    for cell in lesson.cells:
        for part in tree(cell.source).children if cell.kind == "markdown" else [None]:
            if isinstance(part, Tag) and part.name == "h2":
                found.append(Section(cell, text_of(part)))
            elif found:
                found[-1].inside.append((cell, part))
    return found


def sectioning(lesson: Lesson) -> Iterator[Problem]:
    """Sections are numbered and not empty; experiment, recap and reading follow, once each, in this order."""
    found = sections(lesson)
    steps = [section for section in found if section.title not in ENDING]
    if not steps:
        yield lesson.problem("sections", "divide the lesson into sections: '## 1. …', '## 2. …'")
    for expected, step in enumerate(steps, start=1):
        number = _NUMBERED.fullmatch(step.title)
        if number is None or int(number[1]) != expected:
            yield _at(lesson, step, f"number this section: '## {expected}. …'")
    for section in found:
        if section.is_empty:
            yield _at(lesson, section, "write this section, or leave its heading out")
    titles = [section.title for section in found]
    for missing in (title for title in ENDING if title not in (*titles, *OPTIONAL)):
        yield lesson.problem("ending", f"add the section '## {missing}'")
    ranks = [ENDING.index(title) if title in ENDING else -1 for title in titles]
    for (before, section), (rank_before, rank) in zip(pairwise(found), pairwise(ranks), strict=True):
        if rank < rank_before or rank == rank_before >= 0:
            yield _at(lesson, section, f"move this section before '## {before.title}'")


def predictions(lesson: Lesson) -> Iterator[Problem]:
    """The learner predicts, at least three times, the result of the next cell."""
    found = [(cell, match) for cell in lesson.markdown for match in re.finditer(re.escape(PREDICT), cell.source)]
    if len(found) < FEWEST_PREDICTIONS:
        message = f"let the learner predict at least {FEWEST_PREDICTIONS} results: '{PREDICT} …?'"
        yield lesson.problem("predictions", message)
    for cell, match in found:
        line = cell.source.count("\n", 0, match.start()) + 1
        if "?" not in cell.source[match.end() :].split(PREDICT, 1)[0]:
            yield lesson.problem("predictions", "ask for the prediction with a question mark", cell, line)
        below = lesson.after(cell)
        if below is None or below.kind != "code":
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


def review_questions(lesson: Lesson) -> Iterator[Problem]:
    """At least five questions with those of the quiz; the others are numbered, each with its folded answer."""
    folds = [
        fold for section in sections(lesson) if section.title == "Questions" for fold in section.find_all("details")
    ]
    if len(folds) + len(quiz_questions(lesson)) < FEWEST_QUESTIONS:
        message = f"ask at least {FEWEST_QUESTIONS} questions, in the quiz or each a <details> with its answer"
        yield lesson.problem("questions", message)
    for number, (cell, fold) in enumerate(folds, start=1):
        summary = text_of(fold.summary) if fold.summary else ""
        found = _NUMBERED.fullmatch(summary)
        if found is None or int(found[1]) != number or not summary.endswith("?"):
            yield lesson.problem("questions", f"number this question {number}: '{number}. …?'", cell)
        if not text_of(fold).removeprefix(summary).strip():
            yield lesson.problem("questions", f"write the answer of question {number} below its summary", cell)


def reading(lesson: Lesson) -> Iterator[Problem]:
    """Further reading is official documentation."""
    for section in (section for section in sections(lesson) if section.title == ENDING[-1]):
        found = section.find_all("a")
        if len(found) < FEWEST_READINGS:
            yield lesson.problem(
                "reading", f"link at least {FEWEST_READINGS} pages of official documentation", section.cell
            )
        for cell, link in found:
            address = split_address(link.get("href", ""))
            if address is not None and address.scheme == "https" and address.hostname not in OFFICIAL_HOSTS:
                message = f"link official documentation here: {address.hostname} is not in the linter's list"
                yield lesson.problem("reading", message, cell, cell.find_line(link["href"]))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _at(lesson: Lesson, section: Section, message: str) -> Problem:
    return lesson.problem("sections", message, section.cell, section.cell.find_line(f"## {section.title}"))
