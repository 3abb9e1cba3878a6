"""The notebooks that are running: the one that the user sees, and those that it includes.

Relative names, ``%run`` parameters and places in error messages belong to the innermost one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from streaming_base import front_end
from streaming_base.notebook_files import Cell


@dataclass
class Notebook:
    """A running notebook: its file if known, the folder of its relative names, its parameters, its caller.

    An isolated one, as of ``dbutils.notebook.run``, shares nothing with its caller.
    """

    path: Path | None
    directory: Path
    arguments: Mapping[str, str] = field(default_factory=dict)
    parent: Notebook | None = None
    isolated: bool = False
    cell: Cell | None = None

    def chain(self) -> Iterator[Notebook]:
        """This notebook, its caller, and so on to the one in front of the user."""
        yield self
        if self.parent is not None:
            yield from self.parent.chain()

    def place(self, line: int) -> str:
        """Return where a line (from 1) of the current cell is, as a reader would search for it."""
        if self.path is None or self.cell is None:
            return f"line {line}"
        if self.cell.number is not None:
            return f"{self.path.name}, cell {self.cell.number}, line {self.cell.line + line - 1}"
        return f"{self.path.name}, line {self.cell.line + line - 1}"


class RunningNotebooks:
    """The notebooks that are running, the innermost in ``current``; created by the one in front of the user.

    ``compiled`` are the names under which cells of included notebooks were compiled, as tracebacks show them.
    """

    def __init__(self) -> None:
        # Taken once, at set-up: a cell may change the working directory later.
        self.current = Notebook(_path_of_front_end(), Path.cwd())
        self.compiled: set[str] = set()

    @contextmanager
    def entered(self, path: Path, arguments: Mapping[str, str], isolated: bool = False) -> Iterator[Notebook]:
        """Make another notebook the current one for a ``with`` block."""
        outer = self.current
        self.current = Notebook(path, path.parent, dict(arguments), outer, isolated)
        try:
            yield self.current
        finally:
            self.current = outer

    def arguments(self) -> dict[str, str]:
        """The parameters of the running notebooks by name; the innermost notebook's win."""
        found: dict[str, str] = {}
        for notebook in self.current.chain():
            found = {**notebook.arguments, **found}
            if notebook.isolated:
                break
        return found


def _path_of_front_end() -> Path | None:
    """Return the notebook's file: Jupyter's server tells the kernel by a variable, VS Code by a name."""
    shell = front_end.ipython()
    known = os.environ.get("JPY_SESSION_NAME") or (shell and shell.user_ns.get("__vsc_ipynb_file__"))
    # Only its name is sure: the kernel is started in its directory, and servers differ in what they put before it.
    return Path.cwd() / Path(known).name if known else None
