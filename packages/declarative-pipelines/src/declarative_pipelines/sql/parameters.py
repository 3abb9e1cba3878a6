"""Values in place of a query's parameter markers, ``:name`` and ``?``, as ``spark.sql(query, args=...)`` takes them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from declarative_pipelines.errors import BadArgument
from declarative_pipelines.sql.tokens import SourceText
from notebook_dialect.sql.statements import with_markers


def with_values(text: str, values: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return a query with literals in place of its markers.

    Spark's pipelines take a query as text, and what it reads is found in that text.

    Parameters
    ----------
    text
        The query.
    values
        By name, or one for each ``?`` in their order.

    Raises
    ------
    BadArgument
        A value has no literal in SQL, or there are more or fewer values than ``?``.
    """
    if isinstance(values, Mapping):
        return with_markers(text, {name: literal(value) for name, value in values.items()})
    marks = [token for token in SourceText(text, "").tokens() if token.says("?")]
    if len(marks) != len(values):
        raise BadArgument(f"The query has {len(marks)} of ?, and args has {len(values)} values: give one for each.")
    pieces, done = [], 0
    for mark, value in zip(marks, values, strict=True):
        pieces += [text[done : mark.start], literal(value)]
        done = mark.end
    return "".join([*pieces, text[done:]])


def literal(value: Any) -> str:
    """Return a value as a literal of Spark's SQL.

    Raises
    ------
    BadArgument
        It has none.
    """
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
