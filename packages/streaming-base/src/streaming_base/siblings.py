"""Functions that the packages of the family use of each other, if they are installed.

The four packages above this one do not import each other, so that each can be installed alone.  This is the one place
that knows which function of one of them another one uses.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, util
from typing import Any, Literal

_FUNCTIONS = {
    "display": ("stream_view.displaying", "display"),
    "display_html": ("stream_view.displaying", "displayHTML"),
    "show_console_output": ("stream_view.console", "install"),
    "run_sql": ("notebook_dialect.sql.spark_sql", "run"),
    "resolve_expression": ("notebook_dialect.sql.spark_expressions", "resolve_expression"),
    "install_expressions": ("notebook_dialect.sql.spark_expressions", "install"),
    "file_utilities": ("notebook_dialect.dbutils", "file_utilities"),
    "find_file_calls": ("pyspark_cloudfiles.sql", "calls"),
    "read_file_call": ("pyspark_cloudfiles.sql", "relation"),
    "hide_metadata_edits": ("pyspark_cloudfiles.sql", "star_edits"),
}
Name = Literal[
    "display",
    "display_html",
    "show_console_output",
    "run_sql",
    "resolve_expression",
    "install_expressions",
    "file_utilities",
    "find_file_calls",
    "read_file_call",
    "hide_metadata_edits",
]


@cache
def function_of_sibling(name: Name) -> Any:
    """Return a function of another package of the family, or None if that package is not installed."""
    module, function = _FUNCTIONS[name]
    if util.find_spec(module.partition(".")[0]) is None:
        return None
    return getattr(import_module(module), function)
