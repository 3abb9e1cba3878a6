"""The cells of the notebook that a kernel runs, read from its file, where the front end has told which file that is."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def defining_line(name: str, namespace: Mapping[str, Any]) -> str | None:
    """Return the line of the notebook that defines a name; None where none does or the notebook is not known.

    JupyterLab and Jupyter Notebook name the file in the kernel's environment, VS Code among the notebook's variables.
    """
    file = namespace.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    lines = (_definition(name, source) for source in _sources(Path(file))) if file else iter(())
    return next((line for line in lines if line), None)


def _sources(notebook: Path) -> Iterator[str]:
    """Yield the code cells of a notebook as it was saved last; nothing of a file that is none."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        yield from ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    except (OSError, ValueError, KeyError, TypeError):
        return


def _definition(name: str, source: str) -> str | None:
    """Return the line of a cell that gives a name a value at the cell's own level; none of a cell that is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    found = next((statement for statement in tree.body if name in _defined(statement)), None)
    return source.splitlines()[found.lineno - 1].strip() if found else None


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
