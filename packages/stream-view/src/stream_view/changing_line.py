"""One line of text below a cell, which changes in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.display import DisplayHandle


def show_line(text: str, line: DisplayHandle | None = None) -> DisplayHandle:
    """Show a line of text, or put it in the place of one that was shown before; return what changes it again."""
    bundle = {"text/plain": text}
    if line is not None:
        line.update(bundle, raw=True)
        return line
    from IPython.display import display  # a session in plain Python does without IPython

    return display(bundle, raw=True, display_id=True)


def clear_line(line: DisplayHandle) -> None:
    """Take a line away; an output cannot be taken back, but one of empty HTML has no height."""
    line.update({"text/plain": "", "text/html": ""}, raw=True)
