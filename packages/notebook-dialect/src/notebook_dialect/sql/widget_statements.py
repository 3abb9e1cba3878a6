"""Databricks' statements about widgets: ``CREATE WIDGET`` and ``REMOVE WIDGET``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streaming_base.errors import BadSql
from streaming_base.sql_statements import is_name, is_string, tokens_of, word

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from notebook_dialect.dbutils.widgets import Widgets

_KINDS = ("TEXT", "DROPDOWN", "COMBOBOX", "MULTISELECT")
_FORMS = "Write CREATE WIDGET TEXT name DEFAULT 'x', CREATE WIDGET DROPDOWN name DEFAULT 'x' CHOICES SELECT ..., or "
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


def read(text: str) -> WidgetStatement | None:
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
