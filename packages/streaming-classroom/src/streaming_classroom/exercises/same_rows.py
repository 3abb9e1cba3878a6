"""Compares two frames as multisets of rows, and returns a small table of the difference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from stream_view.tables import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_ROWS = 200_000  # an exercise's table has far fewer; more come of a query that multiplies rows
SHOWN = 3  # rows of each kind
DIGITS = 9  # of a number with a point: a sum depends a little on the order of its rows


class RowDifference(NamedTuple):
    """How rows differ from the right ones: in words, and as a small table."""

    sentence: str
    table: Table | None


@dataclass(frozen=True)
class Rows:
    """Rows that were collected, as they are compared: numbers without their last digits, times and arrays as text."""

    columns: tuple[str, ...]
    rows: Counter[tuple]

    @classmethod
    def of(cls, frame: DataFrame) -> Rows:
        """Collect a frame's rows."""
        return cls(tuple(frame.columns), Counter(tuple(map(_comparable, row)) for row in frame.collect()))

    def to_json(self) -> dict[str, Any]:
        """Return what :meth:`from_json` reads; the same rows are always the same text."""
        rows = sorted(self.rows.elements(), key=lambda row: [str(value) for value in row])
        return {"columns": list(self.columns), "rows": [list(row) for row in rows]}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Rows:
        """Return rows as they were kept."""
        return cls(tuple(kept["columns"]), Counter(map(tuple, kept["rows"])))


def difference(made: DataFrame, right: DataFrame | Rows, name: str) -> RowDifference | None:
    """Return how rows differ from the right ones; None where they do not.

    Column names are compared without regard to case, as SQL does; their order does not matter.

    Parameters
    ----------
    made : DataFrame
        A batch frame.
    right : DataFrame or Rows
        What it is to be.
    name : str
        What the sentence calls the learner's table.
    """
    columns = list(right.columns)
    if said := _columns_differ(made.columns, columns, name):
        return RowDifference(said, None)
    made_rows = _rows(made, columns)
    right_rows = right.rows if isinstance(right, Rows) else _rows(right, columns)
    if made_rows is None:
        said = f"`{name}` has more than {MOST_ROWS:,} rows, {_count(right_rows)} would be right."
        return RowDifference(said, None)
    missing, surplus = right_rows - made_rows, made_rows - right_rows
    if not missing and not surplus:
        return None
    return RowDifference(_sentence(name, made_rows, right_rows, missing, surplus), _table(columns, missing, surplus))


def _columns_differ(made: list[str], right: list[str], name: str) -> str:
    have, want = [column.lower() for column in made], [column.lower() for column in right]
    missing = [column for column in right if column.lower() not in have]
    surplus = [column for column in made if column.lower() not in want]
    if not missing and not surplus:
        return ""
    parts = [f"{_the_columns(missing)} {'is' if len(missing) == 1 else 'are'} missing"] * bool(missing)
    parts += [f"{_the_columns(surplus)} {'was' if len(surplus) == 1 else 'were'} not asked for"] * bool(surplus)
    return f"In `{name}` {' and '.join(parts)}."


def _rows(frame: DataFrame, columns: list[str]) -> Counter[tuple] | None:
    rows = frame.select(*columns).limit(MOST_ROWS + 1).collect()
    if len(rows) > MOST_ROWS:
        return None
    return Counter(tuple(map(_comparable, row)) for row in rows)


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, (list, dict, tuple)):
        return repr(value)
    if isinstance(value, (date, Decimal, bytes, bytearray)):
        return str(bytes(value) if isinstance(value, bytearray) else value)
    return value


def _sentence(name: str, made: Counter, right: Counter, missing: Counter, surplus: Counter) -> str:
    if not made:
        return f"`{name}` is empty; {_count(right)} would be right."
    if not missing and set(surplus) <= set(right):
        return f"`{name}` has rows more than once: {_count(made)} instead of {right.total():,}."
    parts = [f"{_count(missing)} {_is(missing)} missing"] * bool(missing)
    parts += [f"{_count(surplus)} should not be there"] * bool(surplus)
    return f"In `{name}` {' and '.join(parts)}; it has {_count(made)}, and {right.total():,} would be right."


def _table(columns: list[str], missing: Counter, surplus: Counter) -> Table:
    rows = [("missing", *row) for row in list(missing.elements())[:SHOWN]]
    rows += [("too many", *row) for row in list(surplus.elements())[:SHOWN]]
    texts = tuple(tuple(None if value is None else str(value) for value in row) for row in rows)
    numeric = tuple(
        all(isinstance(row[i], (int, float)) for row in rows if row[i] is not None) for i in range(len(columns) + 1)
    )
    return Table(("", *columns), numeric, texts, cut=missing.total() > SHOWN or surplus.total() > SHOWN)


def _count(rows: Counter | None) -> str:
    number = rows.total() if rows is not None else 0
    return "1 row" if number == 1 else f"{number:,} rows"


def _is(rows: Counter) -> str:
    return "is" if rows.total() == 1 else "are"


def _the_columns(names: list[str]) -> str:
    return f"the column{'' if len(names) == 1 else 's'} {', '.join(f'`{name}`' for name in names)}"
