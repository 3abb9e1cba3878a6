"""Tab in a ``%sql`` cell completes the names of tables and views, and the columns of those that the cell mentions.

IPython asks its matchers, wherever the front end is; this one answers for SQL cells alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from IPython.core.completer import SimpleCompletion, context_matcher

from notebook_dialect.notebooks.cell_language import to_cell_magic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import SparkSession

_MOST_TABLES = 5  # mentioned in one cell, whose columns are looked up


def install(shell: InteractiveShell) -> None:
    """Complete SQL in this shell; calling it again changes nothing."""
    matchers = shell.Completer.custom_matchers
    if not any(getattr(matcher, "matcher_identifier", "") == "classroom.sql" for matcher in matchers):
        matchers.append(context_matcher(identifier="classroom.sql", priority=100)(_Matcher(shell)))


class _Matcher:
    """IPython's matcher for SQL cells of one shell."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.__qualname__ = "sql"  # IPython names a matcher by it

    def __call__(self, context: CompletionContext) -> SimpleMatcherResult:
        """Return the names that begin as the word before the cursor."""
        if not _is_sql(context.full_text):
            return {"completions": []}
        before = context.full_text.splitlines()[context.cursor_line][: context.cursor_position]
        word = re.search(r"[\w.`]*$", before)[0]
        spark = self._shell.user_ns.get("spark")
        names = list(_names(spark, context.full_text, word)) if spark is not None else []
        start = word.casefold()
        found = [SimpleCompletion(text=name, type=kind) for name, kind in names if name.casefold().startswith(start)]
        # Python's own ideas about SQL help nobody.
        return {"completions": found, "matched_fragment": word, "suppress": True, "ordered": True}


def _is_sql(cell: str) -> bool:
    lines = to_cell_magic(cell.splitlines(keepends=True))
    return bool(lines) and lines[0].startswith(("%%sql", "%sql"))


def _names(spark: SparkSession, cell: str, word: str) -> Iterator[tuple[str, str]]:
    """Give columns of the tables that the cell mentions, then tables, then databases; a kind with each."""
    from pyspark.errors import PySparkException

    try:
        tables = [table.name for table in spark.catalog.listTables()]
        words = {found.casefold() for found in re.findall(r"\w+", cell)}
        mentioned = [name for name in tables if name.casefold() in words and name != word]
        for table in mentioned[:_MOST_TABLES]:
            yield from ((column, "column") for column in spark.table(f"`{table}`").columns)
        yield from ((name, "table") for name in tables)
        database, dot, _rest = word.rpartition(".")
        if dot:
            yield from ((f"{database}.{table.name}", "table") for table in spark.catalog.listTables(database))
        else:
            yield from ((database.name, "schema") for database in spark.catalog.listDatabases())
    except PySparkException:
        return  # a name that is being typed need not exist yet
