"""What set-up and ``DA.present`` do to a notebook's page: a status line, and a layout for a projector.

The status line says what set-up is doing, then how long it took.  A notebook that runs without a person has no such
line, which would be another one each time.

For a projector, code, text and outputs are larger.  What does it is an output of the cell that asked for it.  No
setting of anybody's is written: a page that is opened on another day is as it always was, be the output saved or not.
``course.py lab --present`` gives JupyterLab the same style from its start.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_base import front_end
from streaming_base.waiting import show_line, wait_line

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

NOBODY = "DA.present() enlarges a page that somebody looks at; here is none."
ON = "This page is for a projector. DA.present(False) takes that back."
OFF = "This page is as it was."
LONGEST = 12 * 3600  # seconds that an output, which may be saved, has an effect on pages that are opened
STYLES = Path(__file__).parents[1] / "conf" / "projector"  # with a custom.css, as JupyterLab wants it
_SCRIPT = Path(__file__).parents[1] / "conf" / "presenting.js"
_CLASS = "sc-presenting"  # which the script gives to the page


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


def show_end(ready: str, details: str = "") -> None:
    """Replace the line by the result, its seconds and details."""
    if _line is not None and front_end.is_interactive():
        seconds = time.monotonic() - _line.began
        show_line(f"{ready} ({seconds:.0f} s). {details}".rstrip(), _line.handle)


_shown: DisplayHandle | None = None


def present(on: bool = True) -> None:
    """Lay the page of this cell out for a projector, or end that; without a person only print a line."""
    global _shown
    if not front_end.is_interactive():
        print(NOBODY)
        return
    from IPython.display import display

    if _shown is not None:
        _shown.update({"text/plain": "", "text/html": ""}, raw=True)
    style = (STYLES / "custom.css").read_text(encoding="utf-8").replace(":root", f":root.{_CLASS}")
    until = int((time.time() + LONGEST) * 1000)  # a saved output does nothing on another day
    script = _SCRIPT.read_text(encoding="utf-8")  # in a function, which keeps the page's names
    text = ON if on else OFF
    html = f"<i>{text}</i>{f'<style>{style}</style>' if on else ''}"
    html += f"<script>if (Date.now() < {until}) ((isPresenting) => {{\n{script}}})({json.dumps(on)});</script>"
    shown = display({"text/plain": text, "text/html": html}, raw=True, display_id=True)
    _shown = shown if on else None
