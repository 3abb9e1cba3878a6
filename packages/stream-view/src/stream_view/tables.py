"""A frame as a small table, in HTML and text: at most 1,000 rows, printed as Spark prints them.

Values are cast to strings by Spark, so a timestamp, a struct or a decimal looks as it does in Spark on every
machine, and never more rows are fetched than are shown.  Only the exponents of numbers are written out, which Spark
has from ten million on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from numbers import Number
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.types import DataType, StructField

SHOWN_ROWS = 1000
SHOWN_CHARACTERS = 200  # of a cell, in a table and in text
KEPT_CHARACTERS = 5000  # of a cell, for whoever wants to see more of it; the rest stays in Spark
MOST_DIGITS = 17  # of a number that is written without an exponent: a double has no more, the others would be zeros
TINY = Decimal("1e-6")  # below it nobody counts the zeros

_NUMERIC = ("ByteType", "ShortType", "IntegerType", "LongType", "FloatType", "DoubleType", "DecimalType")
_SHORT = (*_NUMERIC, "BooleanType", "DateType", "TimestampType", "TimestampNTZType")  # of which nothing need be cut

_EXPONENT = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?[eE][+-]?\d+(?![\w.…])")  # not of a text that was cut there


@dataclass(frozen=True)
class Table:
    """Column names, whether each is numeric, the rows as strings (None for NULL), and whether rows were cut.

    ``types`` has each column's SQL type and is empty for values of Python; ``newest_first`` is the shown end.
    """

    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str | None, ...], ...]
    cut: bool
    newest_first: bool = False
    types: tuple[str, ...] = ()

    @property
    def caption(self) -> str:
        """The number of rows, in words."""
        if self.cut:
            return f"{'newest' if self.newest_first else 'first'} {len(self.rows):,} rows"
        return "1 row" if len(self.rows) == 1 else f"{len(self.rows):,} rows"

    def to_html(self, title: str = "") -> str:
        """Return the table as HTML that needs no script and no style of the page's."""
        types = self.types or ("",) * len(self.columns)
        head = "".join(_head(*column) for column in zip(self.columns, types, self.numeric, strict=True))
        body = "".join(
            "<tr>" + "".join(_cell("td", v, n) for v, n in zip(row, self.numeric, strict=True)) + "</tr>"
            for row in self.rows
        )
        caption = f"{escape(title)} · {self.caption}" if title else self.caption
        return (
            '<div style="max-height:30em;overflow:auto;width:fit-content;max-width:100%">'
            f'<table style="margin:0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
            f'<div style="opacity:.7;font-size:90%;padding-top:.3em">{caption}</div>'
        )

    def to_text(self, title: str = "") -> str:
        """Return the table as text, for terminals and logs."""
        cells = [tuple("NULL" if v is None else _short(v) for v in row) for row in (self.columns, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(v.rjust(w) for v, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([*lines, f"({title + ': ' if title else ''}{self.caption})"])


def first_rows(frame: DataFrame, limit: int = SHOWN_ROWS) -> Table:
    """Return the first ``limit`` rows of a batch frame; one row more tells whether it has more."""
    return _table(frame.schema.fields, _as_texts(frame).limit(limit + 1).collect(), limit)


def newest_rows(frame: DataFrame, limit: int = SHOWN_ROWS) -> Table:
    """Return the last ``limit`` rows of a table that is appended to, the last one first."""
    rows = _as_texts(frame).tail(limit + 1)
    return _table(frame.schema.fields, rows[::-1], limit, newest_first=True)


def rows_of(values: Any, limit: int = SHOWN_ROWS) -> Table | None:
    """Return a pandas frame or a list of rows as a table, or None for other values.

    A row is a Spark ``Row``, a named tuple such as ``FileInfo``, a tuple or a dictionary.
    """
    if type(values).__module__.startswith("pandas.") and hasattr(values, "itertuples"):
        rows = list(values.head(limit + 1).itertuples(index=False, name=None))
        return _python_table([str(column) for column in values.columns], rows, limit)
    if not isinstance(values, list) or not values:
        return None
    names = [_names(row) for row in values[: limit + 1]]
    if names[0] is None or any(other != names[0] for other in names):
        return None
    rows = [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in values[: limit + 1]]
    return _python_table(names[0], rows, limit)


def _names(row: Any) -> list[str] | None:
    """Return the names of a row's columns, or None if the value is not a row."""
    if isinstance(row, dict):
        return [str(name) for name in row]
    if not isinstance(row, tuple):
        return None
    # A Spark row has the one, a named tuple the other.
    names = getattr(row, "__fields__", None) if hasattr(row, "asDict") else getattr(row, "_fields", None)
    return list(names or (f"_{number}" for number in range(1, len(row) + 1)))


def _python_table(names: list[str], rows: list[tuple], limit: int) -> Table:
    numbers = [[value for value in column if value is not None] for column in zip(*rows, strict=True)]
    return Table(
        columns=tuple(names),
        numeric=tuple(bool(column) and all(isinstance(value, Number) for value in column) for column in numbers)
        or (False,) * len(names),
        rows=tuple(tuple(None if value is None else _python_text(value) for value in row) for row in rows[:limit]),
        cut=len(rows) > limit,
    )


def _table(fields: list[StructField], rows: list[Row], limit: int, newest_first: bool = False) -> Table:
    types = tuple(field.dataType.simpleString() for field in fields)
    has_exponents = tuple(map(_may_have_exponents, types))
    return Table(
        columns=tuple(field.name for field in fields),
        numeric=tuple(type(field.dataType).__name__ in _NUMERIC for field in fields),
        rows=tuple(tuple(map(_without_exponents, row, has_exponents)) for row in rows[:limit]),
        cut=len(rows) > limit,
        newest_first=newest_first,
        types=types,
    )


def _may_have_exponents(kind: str) -> bool:
    """Whether values of a type may have exponents, without text beside them."""
    return bool(re.search(r"\b(double|float)\b", kind)) and not re.search(
        r"\b(string|(var)?char|binary|variant)\b", kind
    )


def _without_exponents(value: str | None, may_have: bool) -> str | None:
    if value is None or not may_have:
        return value
    return _EXPONENT.sub(lambda found: _written_out(found[0]), value)


def _written_out(number: str) -> str:
    """Return a number such as ``1.748907413E9`` without its exponent, unless that makes it harder to read."""
    exact = Decimal(number)
    if exact.copy_abs() < TINY or exact.adjusted() >= MOST_DIGITS:
        return number
    text = format(exact, "f")
    if len(text.strip("-").replace(".", "")) > MOST_DIGITS:
        return number
    whole, point, part = text.partition(".")
    return f"{whole}.{part.rstrip('0') or '0'}" if point or "." in number else whole


def _python_text(value: Any) -> str:
    """Return as much of a value of Python's as is kept, numbers as Spark's."""
    text = str(value)
    return _without_exponents(text, True) if isinstance(value, Number) else _kept(text)


def _as_texts(frame: DataFrame) -> DataFrame:
    """Return the frame with every column as text, named by position since a join may have duplicated a name."""
    from pyspark.sql import functions as F

    fields = frame.schema.fields
    unique = frame.toDF(*(f"c{position}" for position in range(len(fields)))) if fields else frame
    return unique.select(*(_as_text(F.col(f"c{i}"), f.dataType).alias(f"c{i}") for i, f in enumerate(fields)))


def _as_text(column, data_type: DataType):
    """Return the column as Spark prints it, shortened; bytes in hexadecimal, as ``show`` does."""
    from pyspark.sql import functions as F

    if type(data_type).__name__ == "BinaryType":
        column = F.hex(F.substring(column, 1, KEPT_CHARACTERS // 2 + 1))
    if type(data_type).__name__ == "DayTimeIntervalType":
        return _interval_as_text(column)
    if type(data_type).__name__ in _SHORT:
        return column.cast("string")
    text = column.cast("string")
    return F.when(
        F.length(text) > KEPT_CHARACTERS, F.concat(F.left(text, F.lit(KEPT_CHARACTERS)), F.lit("…"))
    ).otherwise(text)


def _interval_as_text(column):
    """Return an interval of days and seconds in words, such as ``-1 h 4 min``; Spark's own has 33 characters."""
    from pyspark.sql import functions as F

    whole = column.cast("interval day to second")  # of which every field can be extracted
    days, hours, minutes, seconds = (F.extract(F.lit(field), whole) for field in ("DAY", "HOUR", "MINUTE", "SECOND"))
    rest = F.abs(seconds)
    texts = [
        (F.abs(days), F.abs(days).cast("string"), "d"),
        (F.abs(hours), F.abs(hours).cast("string"), "h"),
        (F.abs(minutes), F.abs(minutes).cast("string"), "min"),
        (rest, F.when(rest == F.floor(rest), F.floor(rest).cast("string")).otherwise(rest.cast("double")), "s"),
    ]
    words = F.concat_ws(" ", *(F.when(n > 0, F.concat(text, F.lit(f" {unit}"))) for n, text, unit in texts))
    sign = F.when((days < 0) | (hours < 0) | (minutes < 0) | (seconds < 0), "-").otherwise("")
    return F.when(column.isNotNull(), F.when(words == "", "0 s").otherwise(F.concat(sign, words)))


def _kept(text: str) -> str:
    """Return as much of a cell's text as is kept."""
    return text if len(text) <= KEPT_CHARACTERS else text[:KEPT_CHARACTERS] + "…"


def _short(text: str) -> str:
    """Return as much of a cell's text as is shown."""
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def _head(name: str, kind: str, numeric: bool) -> str:
    """Return a column's head, with its type for who points at it."""
    title = f' title="{escape(kind[:SHOWN_CHARACTERS])}"' if kind else ""
    return f'<th style="text-align:{"right" if numeric else "left"}"{title}>{escape(name)}</th>'


def _cell(tag: str, value: str | None, numeric: bool) -> str:
    align = "right" if numeric else "left"
    if value is None:
        return f'<{tag} style="text-align:{align}"><i style="opacity:.7">NULL</i></{tag}>'
    if len(value) > SHOWN_CHARACTERS:
        return f'<{tag} style="text-align:{align}" title="{escape(value)}">{escape(_short(value))}</{tag}>'
    return f'<{tag} style="text-align:{align}">{escape(value)}</{tag}>'
