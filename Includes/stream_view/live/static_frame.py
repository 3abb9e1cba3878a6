"""The one frame that stays: a plain table, to which a script adds sorting and a chart wherever scripts run.

It needs no kernel, so it is what a saved notebook holds.  Without the script (a code-hosting site's preview, mail, a
notebook that is not trusted) it is the table and nothing is missing but the comfort.
"""

from __future__ import annotations

from functools import cache
from html import escape

from stream_view.live.stream_widget import SCRIPT, STYLE
from stream_view.tables import Table

_WIDGET_PART = "// ------------------------------------------------------------------ the widget"


def interactive_html(table: Table, title: str = "", error: str = "") -> str:
    """Return the table as HTML that sorts and draws itself where scripts run, and is whole where they do not.

    Parameters
    ----------
    table : Table
        The rows.
    title : str
        Stands before the number of rows.
    error : str
        Why the stream failed; its first line is shown, the rest can be opened.
    """
    return f'{_error_box(error)}<div class="sc-static">{table.to_html(title)}</div>{_script()}'


def _error_box(error: str) -> str:
    if not error:
        return ""
    first, _, rest = error.partition("\n")
    more = f"<details><summary>all of the message</summary><pre>{escape(rest)}</pre></details>" if rest.strip() else ""
    style = "border-left:4px solid #D55E00;padding:4px 10px;margin-bottom:8px;overflow-wrap:anywhere"
    return f'<div role="alert" style="{style}"><strong>{escape(first)}</strong>{more}</div>'


@cache
def _script() -> str:
    library = SCRIPT.partition(_WIDGET_PART)[0].replace("</", "<\\/")
    # The front end may not have put the output into the page yet, so the script looks for its own neighbour.
    start = (
        "const here = document.currentScript?.previousElementSibling?.previousElementSibling;"
        "for (const root of here?.matches('.sc-static') ? [here] : document.querySelectorAll('.sc-static')) "
        "streamView.enhance(root);"
    )
    return f"<style>{STYLE}</style><script>(() => {{{library}\n{start}}})();</script>"
