"""The first cell: title, why, the question, the objectives, the time, and the note for instructors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bs4.element import Tag

from .cell_html import text_of, tree
from .lesson_file import Cell, Lesson
from .problem import Problem

QUESTION = "**The question:**"
OBJECTIVES = "**After this lesson, you can**"
FEWEST_OBJECTIVES = 3
INSTRUCTORS = "For instructors"

_TITLE = re.compile(r"# (\d{2,}[A-Za-z]?) · (.+)")
_TIME = re.compile(r"\*\*Time:\*\* \d+ minutes\b")
_MINUTES = re.compile(r"\bminutes?\b", re.IGNORECASE)


def file_name(lesson: Lesson) -> Iterator[Problem]:
    """The file has a lesson's name."""
    if not lesson.number:
        yield lesson.problem("file-name", "name the file like 07-Title.ipynb")


def title(lesson: Lesson) -> Iterator[Problem]:
    """The first line is ``# NN · Title``, both as in the file's name."""
    cell = lesson.cells[0]
    wanted = f"# {lesson.number} · {lesson.title.replace('-', ' ')}"
    found = _TITLE.fullmatch(cell.lines[0].rstrip())
    if cell.kind != "markdown":
        yield lesson.problem("title", f"begin with a Markdown cell whose first line is '{wanted}'", cell)
    elif lesson.number and not (found and found[1] == lesson.number and _words(found[2]) == _words(lesson.title)):
        yield lesson.problem("title", f"begin with the line '{wanted}', as the file is named", cell, 1)


def why(lesson: Lesson) -> Iterator[Problem]:
    """A paragraph stands between the title and the question."""
    cell = lesson.cells[0]
    if cell.kind != "markdown":
        return
    asked = _line_of(cell, QUESTION) or len(cell.lines) + 1
    if not any(text_of(part) for part in tree(cell.source).find_all("p") if part.sourceline < asked):
        yield lesson.problem("why", "say why in a paragraph between the title and the question", cell, 1)


def question(lesson: Lesson) -> Iterator[Problem]:
    """The lesson says which question it answers."""
    cell = lesson.cells[0]
    if cell.kind != "markdown":
        return
    line = _line_of(cell, QUESTION)
    if line is None:
        yield lesson.problem("question", f"add a line '{QUESTION} …?' to the opening cell", cell)
    elif not _paragraph(cell, line).endswith("?"):
        yield lesson.problem("question", "end the lesson's question with a question mark", cell, line)


def objectives(lesson: Lesson) -> Iterator[Problem]:
    """A list says what the learner will be able to do."""
    cell = lesson.cells[0]
    if cell.kind != "markdown":
        return
    line = _line_of(cell, OBJECTIVES)
    if line is None:
        yield lesson.problem("objectives", f"add a line '{OBJECTIVES}' with a list to the opening cell", cell)
    elif len(_list_below(cell, line)) < FEWEST_OBJECTIVES:
        yield lesson.problem("objectives", f"list at least {FEWEST_OBJECTIVES} objectives below this line", cell, line)


def time(lesson: Lesson) -> Iterator[Problem]:
    """The lesson says how long it takes."""
    cell = lesson.cells[0]
    if cell.kind == "markdown" and not any(_TIME.match(line) for line in cell.lines):
        yield lesson.problem("time", "add a line '**Time:** NN minutes.' to the opening cell", cell)


def instructors(lesson: Lesson) -> Iterator[Problem]:
    """A folded note tells instructors what to show, and how long it takes."""
    cell = lesson.cells[0]
    if cell.kind != "markdown":
        return
    summaries = tree(cell.source).select("details > summary")
    note = next((summary.parent for summary in summaries if text_of(summary) == INSTRUCTORS), None)
    if note is None:
        message = f"add a folded note <details><summary>{INSTRUCTORS}</summary> to the opening cell"
        yield lesson.problem("instructors", message, cell)
    elif not _MINUTES.search(text_of(note)):
        yield lesson.problem(
            "instructors", "say in the note for instructors where its minutes go", cell, note.sourceline
        )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _line_of(cell: Cell, beginning: str) -> int | None:
    return next((number for number, line in enumerate(cell.lines, start=1) if line.startswith(beginning)), None)


def _paragraph(cell: Cell, line: int) -> str:
    """Return what stands from a line to the next blank one."""
    return "\n".join(cell.lines[line - 1 :]).split("\n\n", 1)[0].rstrip()


def _list_below(cell: Cell, line: int) -> list[Tag]:
    """Return the items of the list that comes next below a line; none if something else comes next."""
    blocks = tree(cell.source).find_all(True, recursive=False)
    below = next((block for block in blocks if block.sourceline > line), None)
    return [item for item in below.find_all("li") if text_of(item)] if below and below.name in ("ul", "ol") else []
