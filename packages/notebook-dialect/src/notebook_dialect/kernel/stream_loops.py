"""A loop over a stream, which goes over its columns: said below the cell that has one.

Python takes anything with numbered items for a sequence, and a frame's are its columns; so the loop runs, and prints
`Column<...>` where rows were expected.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from notebook_dialect.kernel.magics import FUNCTIONS, nodes_outside

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell


def install(shell: InteractiveShell) -> None:
    """Check each cell of a shell for loops over streams; calling it again changes nothing."""
    known = [callback for callback in shell.events.callbacks["post_run_cell"] if isinstance(callback, _Look)]
    if not known:
        shell.events.register("post_run_cell", _Look(shell))


class _Look:
    """The callback after each cell of a shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    def __call__(self, result: ExecutionResult) -> None:
        if not result.success:  # the error says what there is to say, and the loop may not have run
            return
        source = getattr(result.info, "transformed_cell", None) or getattr(result.info, "raw_cell", "") or ""
        for name in looped_over(source):
            if _is_stream(self._shell.user_ns.get(name)):
                print(
                    f"{name} is a stream: a loop goes over its columns, for its rows never end. To see rows write "
                    f"display({name}); to work on each batch, {name}.writeStream.foreachBatch(function).",
                    file=sys.stderr,
                )


def looped_over(source: str) -> Iterator[str]:
    """Return the names that a cell's loops and comprehensions iterate over, without those inside functions."""
    if "for " not in source:
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    loops = [node.iter for node in nodes_outside(tree, FUNCTIONS) if isinstance(node, ast.For | ast.comprehension)]
    yield from dict.fromkeys(loop.id for loop in loops if isinstance(loop, ast.Name))


def _is_stream(value: Any) -> bool:
    """Whether a value is a streaming frame, classic or Connect, without an import of either."""
    is_frame = type(value).__name__ == "DataFrame" and type(value).__module__.startswith("pyspark.sql.")
    try:
        return is_frame and bool(value.isStreaming)
    except Exception:  # Spark has ended, or the cell was interrupted
        return False
