"""Values in place of a query's parameter markers, ``:name`` and ``?``, as ``spark.sql(query, args=...)`` takes them.

Catalogs: the update's configuration maps each to a prefix of databases: with ``pipelines.catalogs.samples = samples_``
the name ``samples.nyctaxi.trips`` means ``samples_nyctaxi.trips``, and with an empty prefix ``nyctaxi.trips``.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from declarative_pipelines.errors import BadArgument
from declarative_pipelines.sql.token_reader import SourceText, Token
from streaming_base.sql_statements import fill_markers

KEY = "pipelines.catalogs."
OWN = "spark_catalog"
#: The platform's older catalog is the session's own.
_ALWAYS = {"hive_metastore": ""}


@dataclass(frozen=True)
class CatalogMap:
    """The prefix of databases for each catalog that is mapped, by its name in lower case."""

    prefixes: Mapping[str, str] = field(default_factory=lambda: dict(_ALWAYS))

    @classmethod
    def of(cls, configuration: Mapping[str, str]) -> CatalogMap:
        """Return the map that an update's configuration has."""
        given = {key[len(KEY) :].lower(): value for key, value in configuration.items() if key.startswith(KEY)}
        return cls({**_ALWAYS, **given})

    def located(self, catalog: str, database: str) -> tuple[str, str]:
        """Return a catalog and a database of it as the session has them."""
        prefix = self.prefixes.get(catalog.lower())
        return (catalog, database) if prefix is None else (OWN, f"{prefix}{database}")

    def in_text(self, text: str) -> str:
        """Return a query with the session's names in place of three-part names, except in strings and comments."""
        lower = text.lower()
        if not any(catalog in lower for catalog in self.prefixes):
            return text  # without the tokenizer's import
        tokens, pieces, done = SourceText(text, "").tokens(), [], 0
        for number, token in enumerate(tokens[:-4]):
            if token.start >= done and _is_three_parts(tokens, number) and token.value.lower() in self.prefixes:
                catalog, database = self.located(token.value, tokens[number + 2].value)
                pieces += [text[done : token.start], f"{catalog}.`{database.replace('`', '``')}`"]
                done = tokens[number + 2].end
        return "".join([*pieces, text[done:]])


def how_to_map(catalog: str) -> str:
    """Return a sentence about a catalog that is not there."""
    key = f"{KEY}{catalog}"
    return (
        f"There is no catalog {catalog} here. Map it to a prefix of databases: with "
        f"configuration={{{key!r}: '{catalog}_'}}, {catalog}.a.b means {catalog}_a.b."
    )


def _is_three_parts(tokens: list[Token], number: int) -> bool:
    names, dots = tokens[number : number + 5 : 2], tokens[number + 1 : number + 5 : 2]
    follows_dot = number > 0 and tokens[number - 1].says(".")
    return not follows_dot and all(name.may_be_name for name in names) and all(dot.says(".") for dot in dots)


def bind_values(text: str, values: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return a query with literals in place of its markers ``:name`` or ``?``.

    Spark's pipelines take a query as text and find its inputs there.  Raises BadArgument for a value without a
    literal in SQL, and for a wrong number of values.
    """
    if isinstance(values, Mapping):
        return fill_markers(text, {name: literal(value) for name, value in values.items()})
    marks = [token for token in SourceText(text, "").tokens() if token.says("?")]
    if len(marks) != len(values):
        raise BadArgument(f"The query has {len(marks)} of ?, and args has {len(values)} values: give one for each.")
    pieces, done = [], 0
    for mark, value in zip(marks, values, strict=True):
        pieces += [text[done : mark.start], literal(value)]
        done = mark.end
    return "".join([*pieces, text[done:]])


def literal(value: Any) -> str:
    """Return a value as a literal of Spark's SQL; BadArgument if its type has none."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value) if -(2**31) <= value < 2**31 else f"{value}L"
    if isinstance(value, float):
        return f"{value!r}D" if math.isfinite(value) else f"double('{value}')"
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}BD"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP'{value.isoformat(sep=' ')}'"  # without a time zone: in the session's
    if isinstance(value, datetime.date):
        return f"DATE'{value.isoformat()}'"
    kind = type(value).__name__
    raise BadArgument(f"A {kind} cannot be an argument of a query in a definition: write it into the text.")
