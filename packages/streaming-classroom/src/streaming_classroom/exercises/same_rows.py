"""Compares two frames as multisets of rows, and returns a small table of the difference."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from stream_view.tables import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_ROWS = 200_000  # an exercise's table has far fewer; more come of a query that multiplies rows
SHOWN = 3  # rows of each kind
DIGITS = 9  # of a number with a point: a sum depends a little on the order of its rows


def difference(made: DataFrame, right: DataFrame, name: str) -> tuple[str, Table | None] | None:
    """Return in words, and as a table, how rows differ from the right ones; None where they do not.

    Column names are compared without regard to case, as SQL does; their order does not matter.

    Parameters
    ----------
    made, right : DataFrame
        Batch frames.
    name : str
        What the sentence calls the learner's table.
    """
    if said := _columns_differ(made.columns, right.columns, name):
        return said, None
    columns = right.columns
    made_rows, right_rows = (_rows(frame, columns) for frame in (made, right))
    if made_rows is None:
        return f"`{name}` has more than {MOST_ROWS:,} rows, {_count(right_rows)} would be right.", None
    missing, surplus = right_rows - made_rows, made_rows - right_rows
    if not missing and not surplus:
        return None
    return _sentence(name, made_rows, right_rows, missing, surplus), _table(columns, missing, surplus)


def _columns_differ(made: list[str], right: list[str], name: str) -> str:
    have, want = [column.lower() for column in made], [column.lower() for column in right]
    missing = [column for column in right if column.lower() not in have]
    surplus = [column for column in made if column.lower() not in want]
    if not missing and not surplus:
        return ""
    parts = [f"the column{_s(missing)} {_list(missing)} {'is' if len(missing) == 1 else 'are'} missing"] * bool(missing)
    parts += [f"{_list(surplus)} {'was' if len(surplus) == 1 else 'were'} not asked for"] * bool(surplus)
    return f"In `{name}` {' and '.join(parts)}."


def _rows(frame: DataFrame, columns: list[str]) -> Counter[tuple] | None:
    rows = frame.select(*columns).limit(MOST_ROWS + 1).collect()
    if len(rows) > MOST_ROWS:
        return None
    return Counter(tuple(map(_comparable, row)) for row in rows)


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, (list, dict)):
        return repr(value)
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


def _s(names: list[str]) -> str:
    return "" if len(names) == 1 else "s"


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
