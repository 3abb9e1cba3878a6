"""``display`` and ``displayHTML``: those of stream_view if it is installed, else what IPython and Spark show."""

from __future__ import annotations

from typing import Any

from streaming_base.siblings import function_of_sibling

ROWS_LIMIT = 20  # of a frame, where it is printed


def display(*values: Any, **options: Any) -> None:
    """Show values; without stream_view, a Spark DataFrame is printed as its method ``show`` prints it.

    Parameters
    ----------
    *values : object
        The values.
    **options : object
        Those of :func:`stream_view.display`, which a stream needs.
    """
    from IPython.display import display as show
    from pyspark.sql import DataFrame

    if (display_of_stream_view := function_of_sibling("display")) is not None:
        display_of_stream_view(*values, **options)
        return
    for value in values:
        if isinstance(value, DataFrame):
            value.show(ROWS_LIMIT, truncate=False)
        else:
            show(value, **options)


def displayHTML(html: str) -> None:
    """Show HTML."""
    from IPython.display import HTML
    from IPython.display import display as show

    if (display_html := function_of_sibling("display_html")) is not None:
        display_html(html)
    else:
        show(HTML(html))
