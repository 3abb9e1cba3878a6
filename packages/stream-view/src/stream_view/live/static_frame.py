"""The static frame of a view: a plain table, with sorting and a chart where scripts run.

It needs no kernel, so it is what a saved notebook holds.  Without the script (a code-hosting site's preview, mail, a
notebook that is not trusted) it is the table and nothing is missing but the comfort.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape

from stream_view.live.stream_widget import STREAM_PARTS, STYLE, TEXTS
from stream_view.tables import Table

_bringer: tuple[str | None, str | None] | None = None  # the cell of this kernel's notebook whose output has the script
_WIDGET_PART = "// ------------------------------------------------------------------ the widget"

_COMMENT = re.compile(r"^\s*//.*|\s// [^\"'`]*$")  # what follows a quotation mark may be text


def interactive_html(table: Table, title: str = "", error: str = "", with_script: bool = True) -> str:
    """Return the table as HTML that sorts and draws itself where scripts run, and is whole where they do not.

    Parameters
    ----------
    table : Table
        The rows.
    title : str
        Stands before the number of rows.
    error : str
        Why the stream failed; its first line is shown, the rest can be opened.
    with_script : bool
        Whether the frame brings the script, which the page may not have yet; see :func:`brings_script`.
    """
    script = f"<script>{_library() if with_script else ''}{_CALL}</script>"
    return f'{_error_box(error)}<div class="sc-static">{table.to_html(title)}</div>{script}'


def _error_box(error: str) -> str:
    if not error:
        return ""
    first, _, rest = error.partition("\n")
    more = f"<details><summary>all of the message</summary><pre>{escape(rest)}</pre></details>" if rest.strip() else ""
    style = "border-left:4px solid #D55E00;padding:4px 10px;margin-bottom:8px;overflow-wrap:anywhere"
    return f'<div role="alert" style="{style}"><strong>{escape(first)}</strong>{more}</div>'


def brings_script(cell: tuple[str | None, str | None]) -> bool:
    """Whether a frame of a cell is to bring the script into the notebook, which needs it once.

    The first cell that shows a frame brings it, and again whenever it is run again, which takes away what it had
    brought. Where the front end does not say which cell it is, every frame brings its own.

    Parameters
    ----------
    cell : tuple
        The cell and the run of it, as :func:`stream_view.front_end.running_cell` names them.
    """
    global _bringer
    name, _run = cell
    if name is None:
        return True
    if _bringer is not None and (_bringer[0] != name or _bringer == cell):
        return False
    _bringer = cell
    return True


@cache
def _library() -> str:
    """Return the script, which leaves what it defines to the frames of other cells, and draws those that are there."""
    script = "\n".join(text for part, text in TEXTS.items() if part not in STREAM_PARTS)
    # Each saved notebook has it, so it comes without comments and indentation.
    lines = (_COMMENT.sub("", line).strip() for line in script.partition(_WIDGET_PART)[0].splitlines())
    library = "\n".join(filter(None, lines))
    style = json.dumps(re.sub(r"/\*.*?\*/|\s*([{};])\s*", r"\1", STYLE))
    add = f"document.head.append(Object.assign(document.createElement('style'), {{textContent: {style}}}));"
    draw = "document.querySelectorAll('.sc-static').forEach((root) => streamView.enhance(root));"
    script = f"{library}\nwindow.streamViewOfFrames = streamView;{add}{draw}"
    return f"(() => {{if (window.streamViewOfFrames) return;{script}}})();".replace("</", "<\\/")


# The front end may not have put the output into the page yet, so the script looks for its own neighbour.
_CALL = (
    "(() => {const here = document.currentScript?.previousElementSibling;"
    "for (const root of here?.matches('.sc-static') ? [here] : document.querySelectorAll('.sc-static')) "
    "window.streamViewOfFrames?.enhance(root);})();"
)
