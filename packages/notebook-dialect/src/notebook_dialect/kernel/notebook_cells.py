"""The cells of the notebook that a kernel runs, read from its file, where the front end has told which file that is."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

#: What runs when it is called, and not where it stands.
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)


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


def outside(tree: ast.AST, kinds: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, in their order, without what is inside the nodes of some kinds."""
    yield tree
    if not isinstance(tree, kinds):
        for child in ast.iter_child_nodes(tree):
            yield from outside(child, kinds)


def _defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in the notebook, which those of other scopes are not."""
    nodes = list(outside(statement, _SCOPES))
    # A walrus in a comprehension binds in the scope around it.
    walruses = [inner for node in nodes if isinstance(node, _COMPREHENSIONS) for inner in outside(node, FUNCTIONS)]
    nodes += [inner.target for inner in walruses if isinstance(inner, ast.NamedExpr)]
    declared = {id(node.target) for node in nodes if isinstance(node, ast.AnnAssign) and node.value is None}
    return {name for node in nodes if id(node) not in declared for name in _bound(node)}


def _bound(node: ast.AST) -> list[str]:
    """Return the names that one node of the syntax binds by itself."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Import() | ast.ImportFrom():
            return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        case ast.Name(ctx=ast.Store()):
            return [node.id]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
    return []
