"""A lesson's file as the rules see it: cells with numbers, tags and outputs, and the way to report on one.

Reading is the runner's, strict: what Jupyter would not open is no lesson, and the reason is one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from notebook_dialect.notebooks import source as dialect
from notebook_dialect.notebooks.convert import ORIGIN, as_notebook
from streaming_classroom.runner.lesson_file import read_lesson
from streaming_classroom.runner.runner_errors import InvalidNotebook

from .problem import Problem

NAME = re.compile(r"(?P<number>\d{2,}[A-Za-z]?)-(?P<title>.+)\.ipynb")


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
    origin
        The line of the file where it begins; None in a notebook, whose cells are told by their numbers.
    """

    number: int
    id: str
    kind: Literal["code", "markdown", "raw"]
    source: str
    tags: tuple[str, ...] = ()
    count: int | None = None
    outputs: tuple[dict[str, Any], ...] = ()
    origin: int | None = None

    @property
    def lines(self) -> list[str]:
        """The lines of its source."""
        return self.source.split("\n")

    @property
    def is_python(self) -> bool:
        """Whether the cell is code in no other language, as ``%sql`` cells are, and no command of the shell."""
        first = self.source.lstrip()
        return self.kind == "code" and dialect.Cell(first, 1).magic is None and not first.startswith(("%%", "!"))


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Parameters
    ----------
    number, title
        What the file's name says; empty where it is no name of a lesson.
    size
        Bytes of the file.
    ends_in_newline
        Whether the file's last character is one.
    """

    path: Path
    number: str
    title: str
    cells: tuple[Cell, ...]
    metadata: dict[str, Any]
    minor: int
    size: int
    ends_in_newline: bool

    @property
    def markdown(self) -> tuple[Cell, ...]:
        """The cells with text."""
        return tuple(cell for cell in self.cells if cell.kind == "markdown")

    @property
    def code(self) -> tuple[Cell, ...]:
        """The cells with code."""
        return tuple(cell for cell in self.cells if cell.kind == "code")

    @property
    def is_lab(self) -> bool:
        """Whether it is a lab, ``NNL-Title.ipynb``: a lesson's ideas in one story, written by the learner."""
        return self.number.upper().endswith("L")

    @property
    def is_companion(self) -> bool:
        """Whether it is a companion, ``NNX-Title.ipynb``: what goes deeper than the lesson, and nobody needs later."""
        return self.number.upper().endswith("X")

    @property
    def is_wrap_up(self) -> bool:
        """Whether it is a wrap-up, ``NNW-Title.ipynb``: one large task on unseen data, without hints."""
        return self.number.upper().endswith("W")

    @property
    def has_run(self) -> bool:
        """Whether the file was saved with what any cell gave."""
        return any(cell.count is not None for cell in self.code)

    def tagged(self, tag: str) -> Iterator[Cell]:
        """Yield the code cells that have a tag."""
        return (cell for cell in self.code if tag in cell.tags)

    def after(self, cell: Cell) -> Cell | None:
        """Return the next cell; None after the last one."""
        return self.cells[cell.number] if cell.number < len(self.cells) else None

    def problem(self, rule: str, message: str, cell: Cell | None = None, line: int | None = None) -> Problem:
        """Return a breach of a rule in this lesson."""
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
    except RecursionError as error:
        raise InvalidNotebook(path, "it is nested too deeply") from error
    except TypeError as error:  # nbformat compares the number before it looks whether it is one
        raise InvalidNotebook(path, "its nbformat_minor is no number") from error
    except UnicodeEncodeError as error:
        raise InvalidNotebook(path, "a cell has characters that are no text") from error
    name = NAME.fullmatch(path.name)
    number, title = (name["number"], name["title"]) if name else ("", "")
    ends_in_newline = content.endswith(b"\n")
    minor = notebook.get("nbformat_minor", 0)
    return Lesson(path, number, title, cells, notebook.metadata, minor, len(content), ends_in_newline)


def read_source(path: Path) -> Lesson:
    """Return a notebook in Databricks' source format as the lesson that it would be.

    Raises
    ------
    UnreadableNotebook
        It is none.
    """
    notebook = as_notebook(path)
    cells = tuple(_cell(number, cell) for number, cell in enumerate(notebook.cells, start=1))
    content = path.read_bytes()
    return Lesson(path, "", "", cells, notebook.metadata, 5, len(content), content.endswith(b"\n"))


def _cell(number: int, cell: Any) -> Cell:
    return Cell(
        number=number,
        id=cell.get("id", "no id"),
        kind=cell.cell_type,
        source=re.sub(r"\r\n?", "\n", cell.source),  # as Markdown and Python count lines
        tags=tuple(cell.metadata.get("tags", ())),
        count=cell.get("execution_count"),
        outputs=tuple(cell.get("outputs", ())),
        origin=cell.metadata.get(ORIGIN),
    )
