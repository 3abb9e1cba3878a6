"""Widget values that no person chose: papermill's parameters, and the environment's variables.

Papermill puts a cell into the notebook that begins with the comment ``# Parameters`` and assigns each parameter
a literal; nothing else of it reaches the kernel.  The cell is found again in IPython's own history of inputs.
"""

from __future__ import annotations

import ast
import re

from stream_view import front_end

_MARK = "# Parameters"


def papermill_parameters() -> dict[str, str]:
    """Return papermill's parameters as text; without papermill, none."""
    history = getattr(front_end.ipython(), "history_manager", None)
    values: dict[str, str] = {}
    for cell in getattr(history, "input_hist_raw", ()):
        if cell.startswith(_MARK):
            values |= _assignments(cell)
    return values


def _assignments(cell: str) -> dict[str, str]:
    """Return what a cell assigns, if that is all it does: a learner's cell may have the same first line."""
    try:
        statements = ast.parse(cell).body
        return dict(_assignment(statement) for statement in statements)
    except (SyntaxError, ValueError):
        return {}


def _assignment(statement: ast.stmt) -> tuple[str, str]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, str(ast.literal_eval(_FloatsAsLiterals().visit(value)))
    raise ValueError("not an assignment to a name")


class _FloatsAsLiterals(ast.NodeTransformer):
    """Takes ``float('nan')``, as papermill writes a number that has no literal, for that number."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="nan" | "inf" | "-inf" as text)]):
                return ast.Constant(float(text))
        return node


def variable_name(*names: str) -> str:
    """Return ``CLASSROOM_A_B`` for ``a`` and ``b``: upper case, and ``_`` for all but letters and digits."""
    return re.sub(r"[^A-Z0-9]", "_", "_".join(("CLASSROOM", *names)).upper())
