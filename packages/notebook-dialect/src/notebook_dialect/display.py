"""``display`` and ``displayHTML``: those of stream_view if it is installed, else what IPython shows."""

from __future__ import annotations

from typing import Any

from streaming_base.siblings import function_of_sibling

ROWS_LIMIT = 1000  # of a frame, as in Databricks


def display(*values: Any, **options: Any) -> None:
    """Show values; a Spark DataFrame as a table of its first rows, and live if it is a stream.

    Parameters
    ----------
    *values : object
        The values.
    **options : object
        Those of :func:`stream_view.display`, which a stream needs.
    """
    from IPython.display import display as show

    if (display_of_stream_view := function_of_sibling("display")) is not None:
        display_of_stream_view(*values, **options)
        return
    for value in values:
        show(value.limit(ROWS_LIMIT).toPandas() if hasattr(value, "toPandas") else value, **options)


def displayHTML(html: str) -> None:
    """Show HTML."""
    from IPython.display import HTML
    from IPython.display import display as show

    if (display_html := function_of_sibling("display_html")) is not None:
        display_html(html)
    else:
        show(HTML(html))
