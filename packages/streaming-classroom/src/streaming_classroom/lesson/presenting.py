"""``DA.present``: a page for a projector, with larger code, text and outputs.

In a lesson, what does it is an output of the cell that asked for it.  No setting of anybody's is written: a page that
is opened on another day is as it always was, be the output saved or not.  ``course.py lab --present`` gives JupyterLab
the same style from its start.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_base import front_end

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

NOBODY = "DA.present() enlarges a page that somebody looks at; here is none."
ON = "This page is for a projector. DA.present(False) takes that back."
OFF = "This page is as it was."
LONGEST = 12 * 3600  # seconds that an output, which may be saved, has an effect on pages that are opened
STYLES = Path(__file__).parents[1] / "conf" / "projector"  # with a custom.css, as JupyterLab wants it
_SCRIPT = Path(__file__).parents[1] / "conf" / "presenting.js"
_CLASS = "sc-presenting"  # which the script gives to the page

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
