"""One line below a cell that waits: what it waits for, from two seconds on, changed in place and gone with the wait.

A cell that only shows ``[*]`` does not tell a wait from a fault.  A notebook that runs without a person has no such
line, which would be another one each time.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from stream_view import front_end
from stream_view.changing_line import clear_line, show_line

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

PATIENCE = 2.0  # seconds in which nobody asks what a cell is doing
CHANGED_EVERY = 0.5  # seconds; each change asks Spark how far it is
LAST_CHANGE = 1.0  # seconds that a change under way is given to end with the wait

Describe = Callable[[], str]

_line: ContextVar[_WaitLine | None] = ContextVar("line", default=None)


@contextmanager
def waiting_for(describe: Describe, show: Callable[[str], object] | None = None) -> Iterator[None]:
    """Say below the running cell, if a ``with`` block takes longer than two seconds, what it waits for.

    A wait within a wait is said in the same line, also in another thread that runs in a copy of the cell's context.
    Any other thread has no line.

    Parameters
    ----------
    describe : callable
        Returns what is waited for now, such as ``waiting for clicks, batch 7``; called about twice a second, in another
        thread.
    show : callable, optional
        Shows a text in a line that is there already and stays; by default the line is the wait's own.
    """
    if (outer := _line.get()) is not None:
        with outer.also(describe):
            yield
        return
    if not front_end.is_interactive() or threading.current_thread() is not threading.main_thread():
        yield
        return
    line = _WaitLine(describe, show)
    token = _line.set(line)
    try:
        yield
    finally:
        _line.reset(token)
        line.close()


class _WaitLine:
    """The line of one cell, drawn by a thread of its own."""

    def __init__(self, describe: Describe, show: Callable[[str], object] | None) -> None:
        self._waits = [describe]
        self._began = time.monotonic()
        self._over = threading.Event()
        self._drawing = threading.Lock()
        self._handle: DisplayHandle | None = None
        self._show = show or self._show_own
        # In the cell's context, which tells the front end whose output this is.
        draw = contextvars.copy_context().run
        self._thread = threading.Thread(target=draw, args=(self._draw,), name="line of a wait", daemon=True)
        self._thread.start()

    @contextmanager
    def also(self, describe: Describe) -> Iterator[None]:
        """Say as well what a wait within this one waits for."""
        self._waits.append(describe)
        try:
            yield
        finally:
            self._waits.remove(describe)

    def close(self) -> None:
        """Take the line away."""
        self._over.set()
        self._thread.join(LAST_CHANGE)  # a thread that waits for Spark finds afterwards that the wait is over
        with self._drawing:
            if self._handle is not None:
                clear_line(self._handle)

    def _draw(self) -> None:
        pause, text = PATIENCE, ""
        while not self._over.wait(pause):
            pause = CHANGED_EVERY
            text = self._text() or text
            with self._drawing:
                if text and not self._over.is_set():
                    self._show(f"{text} ({time.monotonic() - self._began:.0f} s)")

    def _text(self) -> str:
        """Return what is waited for, from the outermost to the innermost; nothing where Spark does not answer."""
        try:
            text = ": ".join(describe() for describe in tuple(self._waits))
        except Exception:  # a stream that is gone, a connection that was cut: the wait itself says what is wrong
            return ""
        return text[:1].upper() + text[1:]

    def _show_own(self, text: str) -> None:
        self._handle = show_line(text, self._handle)
