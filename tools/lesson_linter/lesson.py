"""A lesson's file as the rules see it: cells with numbers, tags and outputs, and the problems that rules report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import read_lesson
from streaming_classroom.runner.results import InvalidNotebook

#: The letters of numbers that are no lesson: a lab, a wrap-up, a companion.
FORMS = frozenset("LWX")
NAME = re.compile(r"(?P<number>\d{2,}[A-Za-z]?)-(?P<title>.+)\.ipynb")


@dataclass(frozen=True)
class Problem:
    """A change that an author must make.

    Parameters
    ----------
    notebook
        The lesson's file.
    cell, cell_id
        Number of the cell among all cells, from 1, and its id; None for a problem of the whole file.
    line
        Line in the cell's source, from 1, if it is known.
    rule
        The name of the broken rule, by which a lesson may be excused from it.
    message
        What to do, one short sentence.
    """

    notebook: Path
    cell: int | None
    cell_id: str | None
    line: int | None
    rule: str
    message: str

    def __str__(self) -> str:
        inside = self.notebook.is_relative_to(directories.PROJECT)
        notebook = self.notebook.relative_to(directories.PROJECT) if inside else self.notebook
        places = [f"cell {self.cell} ({self.cell_id})"] if self.cell is not None else []
        places += [f"line {self.line}"] if self.line is not None else []
        return ": ".join(part for part in (notebook.as_posix(), ", ".join(places), self.message) if part)


@dataclass(frozen=True)
class Cell:
    """One cell.

    Parameters
    ----------
    number
        Its place among all cells, from 1.
    id
        Its id, or ``no id``.
    count
        Its execution count; None if it has not run.
    outputs
        Its committed outputs, as in the file.
    """

    number: int
    id: str
    kind: Literal["code", "markdown", "raw"]
    source: str
    tags: tuple[str, ...] = ()
    count: int | None = None
    outputs: tuple[dict[str, Any], ...] = ()

    @property
    def lines(self) -> list[str]:
        """The lines of its source."""
        return self.source.split("\n")

    def find_line(self, text: str) -> int | None:
        """Return the first line that contains a text; None if no line does."""
        return next((number for number, line in enumerate(self.lines, start=1) if text in line), None)


@dataclass(frozen=True)
class Lesson:
    """One lesson; its number and title, which the file's name gives, are empty for a file of another name."""

    path: Path
    number: str
    title: str
    cells: tuple[Cell, ...]
    metadata: dict[str, Any]
    minor: int
    content: bytes

    @property
    def markdown(self) -> tuple[Cell, ...]:
        """The cells with text."""
        return tuple(cell for cell in self.cells if cell.kind == "markdown")

    @property
    def code(self) -> tuple[Cell, ...]:
        """The cells with code."""
        return tuple(cell for cell in self.cells if cell.kind == "code")

    @property
    def form(self) -> str:
        """``L`` for a lab, ``W`` for a wrap-up, ``X`` for a companion, empty for a lesson such as 10 or 10J."""
        letter = self.number.upper()[-1:]
        return letter if letter in FORMS else ""

    @property
    def has_run(self) -> bool:
        """Whether the file has the outputs of a run."""
        return any(cell.count is not None for cell in self.code)

    def tagged(self, tag: str) -> Iterator[Cell]:
        """Yield the code cells that have a tag."""
        return (cell for cell in self.code if tag in cell.tags)

    def after(self, cell: Cell) -> Cell | None:
        """Return the next cell; None after the last one."""
        return self.cells[cell.number] if cell.number < len(self.cells) else None

    def problem(self, rule: str, message: str, cell: Cell | None = None, line: int | None = None) -> Problem:
        """Return a problem of this lesson."""
        number, cell_id = (cell.number, cell.id) if cell else (None, None)
        return Problem(self.path, number, cell_id, line, rule, message)


def read(path: Path) -> Lesson:
    """Return the lesson in a file.

    Raises
    ------
    InvalidNotebook
        Jupyter would not open it.
    """
    try:
        notebook, content = read_lesson(path)
        cells = tuple(_cell(number, cell) for number, cell in enumerate(notebook.cells, start=1))
        "".join(cell.source for cell in cells).encode()  # half a surrogate pair is valid JSON, and no text
    except (RecursionError, TypeError, UnicodeEncodeError) as error:
        raise InvalidNotebook(path, f"it cannot be read: {error}") from error
    name = NAME.fullmatch(path.name)
    number, title = (name["number"], name["title"]) if name else ("", "")
    return Lesson(path, number, title, cells, notebook.metadata, notebook.get("nbformat_minor", 0), content)


def _cell(number: int, cell: Any) -> Cell:
    return Cell(
        number=number,
        id=cell.get("id", "no id"),
        kind=cell.cell_type,
        source=re.sub(r"\r\n?", "\n", cell.source),  # as Markdown and Python count lines
        tags=tuple(cell.metadata.get("tags", ())),
        count=cell.get("execution_count"),
        outputs=tuple(cell.get("outputs", ())),
    )
