"""One breach of the lessons' form: where it is and what to do about it.

Text is made in ``__str__`` only, so that the command and a test read the same fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from streaming_classroom.files import directories


@dataclass(frozen=True)
class Problem:
    """What an author must change.

    Parameters
    ----------
    notebook
        The lesson's file.
    cell, cell_id
        Number of the cell among all cells, from 1, and its id; None where no single cell is to blame.
    line
        Line in the cell's source, from 1; None where it is not about one line.
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

    def as_json(self) -> dict[str, str | int | None]:
        """Return what a program needs to know, as JSON holds it."""
        where = {"notebook": str(self.notebook), "cell": self.cell, "line": self.line}
        return {**where, "rule": self.rule, "message": self.message}

    @property
    def place(self) -> str:
        """Where in the notebook: ``cell 7 (l03-07), line 3``."""
        if self.cell is None:
            return f"line {self.line}" if self.line is not None else ""
        line = f", line {self.line}" if self.line is not None else ""
        return f"cell {self.cell} ({self.cell_id}){line}"

    def __str__(self) -> str:
        inside = self.notebook.is_relative_to(directories.PROJECT)
        notebook = self.notebook.relative_to(directories.PROJECT) if inside else self.notebook
        return ": ".join(part for part in (notebook.as_posix(), self.place, self.message) if part)
