"""Hints on a cell whose output or error is half a sentence: a stream that is not started, a loop over one, a path.

Python takes anything with numbered items for a sequence, and a frame's are its columns; so a loop over a stream runs,
and prints `Column<...>` where rows were expected.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

NOT_STARTED = "This stream is not started: add .start(), or .toTable(name)."
_WRITERS = ("pyspark.sql.streaming.readwriter", "pyspark.sql.connect.streaming.readwriter")
#: What runs when it is called, and not where it stands.
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def install(shell: InteractiveShell, explain: Callable[[object], str] | None) -> None:
    """Show hints below the cells of a shell; calling it again replaces ``explain``.

    ``shell``: the shell; ``explain``: returns a sentence about an error of a library that opened a file, or an empty
    string.
    """

    def show_unstarted(_writer: object, printer: Any, _cycle: bool) -> None:
        printer.text(NOT_STARTED)

    plain = shell.display_formatter.formatters["text/plain"]  # type: ignore[union-attr]
    for module in _WRITERS:
        plain.for_type_by_name(module, "DataStreamWriter", show_unstarted)
    for callback in [known for known in shell.events.callbacks["post_run_cell"] if isinstance(known, _Hints)]:
        shell.events.unregister("post_run_cell", callback)
    shell.events.register("post_run_cell", _Hints(shell, explain))


def uninstall(shell: InteractiveShell) -> None:
    """Show a ``DataStreamWriter`` as IPython does; callbacks are the shell's to remove."""
    plain = shell.display_formatter.formatters["text/plain"]  # type: ignore[union-attr]
    for module in _WRITERS:
        plain.pop(f"{module}.DataStreamWriter", None)


class _Hints:
    """The callback after each cell of a shell."""

    def __init__(self, shell: InteractiveShell, explain: Callable[[object], str] | None) -> None:
        self._shell, self._explain = shell, explain

    def __call__(self, result: ExecutionResult) -> None:
        if isinstance(result.error_in_exec, OSError) and self._explain is not None:
            if sentence := self._explain(result.error_in_exec):
                print(sentence, file=sys.stderr)
        elif result.success:  # otherwise the loop may not have run
            source = getattr(result.info, "transformed_cell", None) or getattr(result.info, "raw_cell", "") or ""
            for name in looped_over(source):
                if _is_stream(self._shell.user_ns.get(name)):
                    print(
                        f"{name} is a stream: a loop goes over its columns, for its rows never end. To see rows write "
                        f"display({name}); to work on each batch, {name}.writeStream.foreachBatch(function).",
                        file=sys.stderr,
                    )


def nodes_outside(tree: ast.AST, kinds: tuple[type[ast.AST], ...]) -> Iterator[ast.AST]:
    """Yield the nodes of a tree in order, without the children of nodes of some kinds."""
    yield tree
    if not isinstance(tree, kinds):
        for child in ast.iter_child_nodes(tree):
            yield from nodes_outside(child, kinds)


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
