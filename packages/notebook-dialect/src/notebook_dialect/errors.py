"""Errors of notebooks, includes and SQL cells, each with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from streaming_base.errors import ExplainedError


@dataclass(eq=False)
class NotebookNotFound(ExplainedError, FileNotFoundError):
    """``%run`` or ``dbutils.notebook.run`` names a notebook that is not there: correct the name."""

    target: str
    directory: Path
    nearest: tuple[str, ...] = ()
    there: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.directory.is_dir():
            return f"There is no notebook {self.target!r}: the folder {self.directory} does not exist."
        hint = f" Did you mean {' or '.join(self.nearest)}?" if self.nearest else ""
        if self.there and not self.nearest:
            hint = f" It has: {', '.join(self.there)}."
        return f"There is no notebook {self.target!r}: looked in {self.directory} for .py, .ipynb and .sql.{hint}"


@dataclass(eq=False)
class IncludeCycle(ExplainedError):
    """Notebooks that include each other would never end: take one of the ``%run`` lines out."""

    chain: tuple[str, ...]

    def __str__(self) -> str:
        return f"These notebooks %run each other in a circle; take one of the lines out: {' -> '.join(self.chain)}"


@dataclass(eq=False)
class BadRunLine(ExplainedError, ValueError):
    """A malformed ``%run`` line."""

    line: str
    problem: str

    def __str__(self) -> str:
        return f'{self.problem} Write it as %run ./Notebook $name="value", not: %run {self.line}'


class NotebookExit(Exception):
    """``dbutils.notebook.exit(value)``: the notebook ends here, on purpose."""

    def __init__(self, value: str) -> None:
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        return f"Notebook exited: {self.value}"
