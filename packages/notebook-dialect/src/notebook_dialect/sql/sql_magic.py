"""``%sql``: runs the statements of a cell in order and shows the last one's result.

``${key}`` is a Spark setting or a widget, ``:name`` and, as in older notebooks, ``$name`` a widget; the result is
kept as ``_sqldf``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from notebook_dialect.catalogs.statement_reader import literal
from notebook_dialect.sql.spark_sql import display
from streaming_base.errors import BadSql
from streaming_base.sql_statements import Statement, fill_markers, is_name, is_string, split, tokens_of, word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

    from notebook_dialect.dbutils.widgets import Widgets
    from notebook_dialect.include import Notebook

_RESULT = "_sqldf"
_REFERENCE = re.compile(r"\$\{([\w.:-]+)\}")
_OLDER_REFERENCE = re.compile(r"\$(\w+)")
_PLACE = re.compile(r"\(?\bline (\d+),? pos (\d+)\)?")
_KINDS = ("TEXT", "DROPDOWN", "COMBOBOX", "MULTISELECT")
_FORMS = "Write CREATE WIDGET TEXT name DEFAULT 'x', CREATE WIDGET DROPDOWN name DEFAULT 'x' CHOICES SELECT ..., or "


def run(
    text: str,
    namespace: dict[str, Any],
    notebook: Notebook,
    widgets: Widgets,
    get_session: Callable[[], SparkSession],
) -> None:
    """Run a cell's statements and display the last result, a stream until it is stopped.

    ``namespace`` are the notebook's variables: its ``spark`` runs the statements, and ``_sqldf`` gets the result.

    Raises BadSql: a string or a comment in the cell does not end; PySparkException: Spark's own error; a note names
    the line of the cell and marks the position.
    """
    __tracebackhide__ = True
    spark = _own_session(namespace) or get_session()
    results = [_run_statement(spark, notebook, statement, widgets) for statement in split(text)]
    if not results or results[-1] is None:
        return
    namespace[_RESULT] = results[-1]
    if results[-1].columns:
        display(results[-1])


def _run_statement(spark: SparkSession, notebook: Notebook, statement: Statement, widgets: Widgets) -> DataFrame | None:
    __tracebackhide__ = True
    about_widget = read_widget_statement(statement.text)
    if about_widget is None:
        return _run(spark, notebook, statement, widgets.getAll())
    about_widget.run(widgets, spark)
    return None


def _run(spark: SparkSession, notebook: Notebook, statement: Statement, widgets: Mapping[str, str]) -> DataFrame:
    __tracebackhide__ = True
    from pyspark.errors import PySparkException

    text = _REFERENCE.sub(lambda found: widgets.get(found[1], found[0]), statement.text)
    text = _OLDER_REFERENCE.sub(lambda found: widgets.get(found[1], found[0]), text)
    # Not as arguments of spark.sql, which DDL refuses, and which Delta 4.4's parser loses on a server of others.
    text = fill_markers(text, {name: literal(value) for name, value in widgets.items()})
    try:
        return spark.sql(text)
    except PySparkException as error:
        for note in _notes(spark, notebook, statement, text, error):
            error.add_note(note)
        raise


def _notes(
    spark: SparkSession, notebook: Notebook, statement: Statement, text: str, error: PySparkException
) -> list[str]:
    """Return notes about the error's position in the cell, and about each ``${...}`` without a value."""
    unknown = [key for key in _REFERENCE.findall(text) if ":" not in key and _setting(spark, key) is None]
    notes = [
        f"${{{key}}} stands for nothing: this session has no such setting, and the notebook no such widget."
        for key in unknown
    ]
    found = _PLACE.search(str(error))
    if found is None:
        return notes
    line, column = int(found[1]), int(found[2])
    lines = statement.text.splitlines()
    if not 0 < line <= len(lines):
        return notes
    shown = lines[line - 1]
    # Where something was put in, Spark's column is one of another text.
    exact = shown == text.splitlines()[line - 1] and not _REFERENCE.search(shown)
    mark = f"\n{' ' * (column + _indent(statement, line))}^" if exact else ""
    where = notebook.place(statement.line + line - 1)
    return [f"{where}:\n{' ' * _indent(statement, line)}{shown}{mark}", *notes]


def _indent(statement: Statement, line: int) -> int:
    """Return how far the first line of a statement stood to the right."""
    return statement.column if line == 1 else 0


def _setting(spark: SparkSession, key: str) -> str | None:
    from pyspark.errors import PySparkException

    try:
        return spark.conf.get(key, None)
    except PySparkException:
        return None


def _own_session(namespace: Mapping[str, Any]) -> SparkSession | None:
    """Return the notebook's ``spark``; a notebook that was run by another has one of its own."""
    from pyspark.sql import SparkSession

    own = namespace.get("spark")
    return own if isinstance(own, SparkSession) else None


_FORMS += "REMOVE WIDGET name."


@dataclass(frozen=True)
class WidgetStatement:
    """``CREATE WIDGET`` or, without a kind, ``REMOVE WIDGET``."""

    name: str
    kind: str = ""
    default: str = ""
    choices: str = ""

    def run(self, widgets: Widgets, spark: SparkSession) -> None:
        """Create the widget, with the values of the first column of its query as choices, or remove it."""
        if not self.kind:
            widgets.remove(self.name)
        elif self.kind == "text":
            widgets.text(self.name, self.default)
        else:
            choices = [str(row[0]) for row in spark.sql(self.choices).collect()]
            getattr(widgets, self.kind)(self.name, self.default, choices)


def read_widget_statement(text: str) -> WidgetStatement | None:
    """Return the widget statement in a text, or None for any other statement; BadSql if it is malformed."""
    if "widget" not in text.lower():
        return None
    tokens = tokens_of(text)
    words = [word(token) for token in tokens]
    if words[:2] == ["REMOVE", "WIDGET"] and len(tokens) == 3 and is_name(tokens[2]):
        return WidgetStatement(tokens[2].text)
    if words[:2] not in (["CREATE", "WIDGET"], ["REMOVE", "WIDGET"]):
        return None
    kind = words[2] if len(words) > 5 else ""
    is_widget = kind in _KINDS and is_name(tokens[3]) and words[4] == "DEFAULT" and is_string(tokens[5])
    has_choices = is_widget and words[6:7] == ["CHOICES"] and len(tokens) > 7
    if not is_widget or has_choices == (kind == "TEXT") or (kind == "TEXT" and len(tokens) > 6):
        raise BadSql(f"This is no statement about a widget. {_FORMS}")
    choices = text[tokens[7].start :] if has_choices else ""
    return WidgetStatement(tokens[3].text, kind.lower(), tokens[5].text, choices)
