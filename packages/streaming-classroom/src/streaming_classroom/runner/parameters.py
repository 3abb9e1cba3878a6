"""Parameters of a run, held against what the notebooks ask for: one that nothing takes is a name misspelt.

A notebook takes a parameter by a widget of its name, or by a variable that it uses.  Both stand in its text or in that
of what it includes; where that text cannot be read, nothing is said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from notebook_dialect.notebooks import include, run_line
from streaming_base import notebook_files as source
from streaming_base.close_names import closest_name
from streaming_base.errors import ExplainedError
from streaming_classroom.runner.results import UnknownParameter

_WIDGET = re.compile(
    r"""(?:\bwidgets\.(?:text|dropdown|combobox|multiselect|get|getArgument)|\bgetArgument)\(\s*["'](\w+)"""
)
_SQL_WIDGET = re.compile(r"\bCREATE\s+WIDGET\s+\w+\s+(\w+)|(?:\$\{|:)(\w+)", re.IGNORECASE)


def refuse_unknown(names: Iterable[str], notebooks: Sequence[Path]) -> None:
    """Raise UnknownParameter, with the closest name, for a parameter that no notebook takes."""
    names = list(names)
    if not names:
        return
    taken: set[str] = set()
    for notebook in notebooks:
        try:
            taken |= _taken(notebook.resolve(), set())
        except (ExplainedError, OSError, ValueError):
            return  # a file that cannot be read may take anything; the run itself says what is wrong with it
    for name in names:
        if name not in taken:
            raise UnknownParameter(name, closest_name(name, taken, alike=0.6))


def _taken(notebook: Path, seen: set[Path]) -> set[str]:
    """Return the parameter names that a notebook, and what it includes, may take."""
    if notebook in seen:
        return set()
    seen.add(notebook)
    found: set[str] = set()
    for cell in source.read(notebook).cells:
        if cell.magic == "run":
            wanted = run_line.parse(cell.text.split("%run", 1)[1].strip())
            found |= _taken(include.find(notebook.parent, wanted.target), seen)
        elif cell.magic == "sql":
            found |= {name for pair in _SQL_WIDGET.findall(cell.text) for name in pair if name}
        else:
            found |= set(_WIDGET.findall(cell.text)) | set(_variables(cell.text))
    return found


def _variables(text: str) -> Iterator[str]:
    """Yield the names that a cell's Python code uses; every word of a cell in another language."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        yield from re.findall(r"\b[A-Za-z_]\w*\b", text)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
