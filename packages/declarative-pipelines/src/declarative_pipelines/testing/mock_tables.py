"""Tables of a test, from rows as a test writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from declarative_pipelines.errors import BadArgument, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def write(table: str, frame: DataFrame, mode: str, form: str = "parquet") -> None:
    """Write a frame to a table of the test, in one file; what reads Parquet has no log to read before."""
    writer = frame.coalesce(1).write.format(form).mode(mode)
    if form == "delta" and mode == "overwrite":
        writer = writer.option("overwriteSchema", "true")
    writer.saveAsTable(table)


def frame_of(session: SparkSession, name: str, rows: Any, schema: str | StructType | None) -> DataFrame:
    """Return rows as a frame: those of a list are given by names, or in the order of the schema.

    Raises
    ------
    BadArgument
        There is no schema, and the rows do not tell it; or a row has a column that the schema does not have.
    """
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    fields: Any = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    if isinstance(rows, DataFrame):
        return rows if fields is None else rows.to(fields)
    if not isinstance(rows, Iterable) or hasattr(rows, "columns"):  # a frame of pandas or Arrow
        return session.createDataFrame(rows, fields)
    rows = list(rows)
    if fields is not None:
        return session.createDataFrame([_in_order(name, row, fields.fieldNames()) for row in rows], fields)
    return _inferred(session, name, rows)


def _inferred(session: SparkSession, name: str, rows: Sequence[Any]) -> DataFrame:
    from pyspark.errors import PySparkTypeError, PySparkValueError

    given = [_by_name(row) for row in rows]
    if not given or None in given:
        what = "no rows" if not given else "rows without names of columns"
        raise BadArgument(f"{name} is mocked with {what}. Give their types: schema='id INT, amount DOUBLE'.")
    names = list(dict.fromkeys(column for row in given for column in row))
    try:
        return session.createDataFrame([tuple(row.get(column) for column in names) for row in given], names)
    except (PySparkTypeError, PySparkValueError) as error:
        said = error.getMessage() or str(error)
        raise BadArgument(f"The types of {name} are not to be told from its rows: {said} Give schema=.") from error


def _in_order(name: str, row: Any, columns: Sequence[str]) -> tuple[Any, ...]:
    by_name = _by_name(row)
    if by_name is None:
        return tuple(row)
    unknown = [column for column in by_name if column not in columns]
    if unknown:
        there = f"It has {', '.join(columns)}.{did_you_mean(unknown[0], columns)}"
        raise BadArgument(f"{name} has no column {unknown[0]}, which a mocked row has. {there}")
    return tuple(by_name.get(column) for column in columns)


def _by_name(row: Any) -> dict[str, Any] | None:
    """Return a row's values by name; None where it has no names."""
    if isinstance(row, Mapping):
        return dict(row)
    return dict(zip(row.__fields__, row, strict=True)) if hasattr(row, "__fields__") else None
