"""The status line of set-up: what it is doing, then how long it took.

A notebook that runs without a person has no such line, which would be another one each time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streaming_base import front_end
from streaming_base.waiting import show_line, wait_line

if TYPE_CHECKING:
    from IPython.display import DisplayHandle


@dataclass
class _Line:
    """The line on the screen of one run of a cell."""

    run: str | None
    began: float
    handle: DisplayHandle


_line: _Line | None = None


@contextmanager
def show_step(text: str) -> Iterator[None]:
    """Show the current step of set-up, with its seconds from the second one on; :func:`end` shows the result.

    It replaces the line of this run of the cell.
    """
    global _line
    if not front_end.is_interactive():
        yield
        return
    _cell, run = front_end.running_cell()
    if _line is None or _line.run != run:
        _line = _Line(run, time.monotonic(), show_line(text))
    else:
        show_line(text, _line.handle)
    handle = _line.handle
    with wait_line(lambda: text.removesuffix(" ..."), show=lambda longer: show_line(longer, handle)):
        yield


def end(ready: str, details: str = "") -> None:
    """Replace the line by the result, its seconds and details."""
    if _line is not None and front_end.is_interactive():
        seconds = time.monotonic() - _line.began
        show_line(f"{ready} ({seconds:.0f} s). {details}".rstrip(), _line.handle)
