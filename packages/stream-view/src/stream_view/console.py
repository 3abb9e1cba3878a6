"""Output of the console sink, shown below the cell that started the query.

The sink prints to the output of Spark's JVM, which in a stock notebook is the terminal that Jupyter was started
from.  Here that output is a pipe, read by a thread, and drawn again in its cell as it grows.  Spark does not say which
query a line is from: with several console queries at a time, all of it goes to the one started last.
"""

from __future__ import annotations

import codecs
import os
import sys
import time
from collections.abc import Callable
from functools import wraps
from threading import Thread
from typing import TYPE_CHECKING, Any

from streaming_base import builders, hooks

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

SHOWN_CHARACTERS = 20_000  # the newest, of a query that prints for hours
REDRAW_INTERVAL = 0.1  # seconds

_output: _Output | None = None


class _Output:
    """The output of one cell, and the text in it."""

    def __init__(self) -> None:
        from IPython.display import display

        self._text = ""
        self._handle: DisplayHandle = display(
            {"text/plain": "Waiting for the first batch …"}, raw=True, display_id=True
        )

    def append(self, text: str) -> None:
        """Show more text."""
        self._text = (self._text + text)[-SHOWN_CHARACTERS:]
        self.draw(self._text)

    def draw(self, text: str) -> None:
        """Replace the shown text."""
        self._handle.update({"text/plain": text}, raw=True)


def open_pipe() -> int:
    """Return the write end of a pipe for the JVM's output, which the caller closes; its content is shown."""
    read, write = os.pipe()
    Thread(target=_show_all, args=(read,), name="output of Spark", daemon=True).start()
    return write


def install() -> None:
    """Show the console output of each query below its cell; calling it again changes nothing."""
    from pyspark.sql.streaming import DataStreamWriter

    builders.record(DataStreamWriter)
    why = "the console sink prints below its cell"
    hooks.wrap(DataStreamWriter, "start", _wrap_start, by="stream_view", layer="display", why=why)


def _wrap_start(function: Callable) -> Callable:
    @wraps(function)
    def start(self: Any, path: str | None = None, format: str | None = None, *arguments: Any, **options: Any) -> Any:
        if (format or builders.given_to(self).format) != "console":
            return function(self, path, format, *arguments, **options)
        global _output
        before, _output = _output, _Output()
        try:
            return function(self, path, format, *arguments, **options)
        except Exception:  # the former query's text goes to its own cell again
            _output.draw("")
            _output = before
            raise

    return start


def _show_all(read: int) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while piece := pipe.read(65_536):
            _show(decoder.decode(piece))
            time.sleep(REDRAW_INTERVAL)  # several lines at a time


def _show(text: str) -> None:
    if _output is not None:
        _output.append(text)
    else:
        sys.stdout.write(text)
