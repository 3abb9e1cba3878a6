"""Below the error of a library that did not find ``/dbfs/...``: why, and which path to give it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell


class _Hint:
    """What the shell calls after each cell; the shell has one."""

    def __init__(self, explain: Callable[[object], str]) -> None:
        self._explain = explain

    def __call__(self, result: ExecutionResult) -> None:
        if isinstance(result.error_in_exec, OSError) and (sentence := self._explain(result.error_in_exec)):
            print(sentence, file=sys.stderr)


def install(shell: InteractiveShell, explain: Callable[[object], str]) -> None:
    """Show what ``explain`` says of an error with which a cell ended; another one's sentences are shown no more."""
    for callback in [known for known in shell.events.callbacks["post_run_cell"] if isinstance(known, _Hint)]:
        shell.events.unregister("post_run_cell", callback)
    shell.events.register("post_run_cell", _Hint(explain))
