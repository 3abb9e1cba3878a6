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
    """What stands on the screen of one run of a cell."""

    run: str | None
    began: float
    handle: DisplayHandle


_line: _Line | None = None


@contextmanager
def doing(text: str) -> Iterator[None]:
    """Show at once what set-up is about to do, and after two seconds for how long; :func:`end` says what came of it.

    Where this run of the cell has a line, that one is changed.
    """
    if not front_end.is_interactive():
        yield
        return
    line = _begin(text)
    with wait_line(lambda: text.removesuffix(" ..."), show=lambda longer: show_line(longer, line.handle)):
        yield


def _begin(text: str) -> _Line:
    global _line
    _cell, run = front_end.running_cell()
    if _line is None or _line.run != run:
        _line = _Line(run, time.monotonic(), show_line(text))
    else:
        show_line(text, _line.handle)
    return _line


def end(ready: str, details: str = "") -> None:
    """Say in its place what is ready now, after how many seconds, and what else there is to say of it."""
    if _line is not None and front_end.is_interactive():
        seconds = time.monotonic() - _line.began
        show_line(f"{ready} ({seconds:.0f} s). {details}".rstrip(), _line.handle)


def counted(number: int, thing: str, done: str) -> str:
    """Return a part of a sentence, such as ``2 streams stopped``."""
    return f"{number} {thing}{'' if number == 1 else 's'} {done}"
