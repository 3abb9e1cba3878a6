"""The rows that a target has for some keys, computed from all changes of those keys.

The rows depend on the changes alone, not on the order in which they came.  Each frame has the target's columns and
``__there``: a row that the target may have from before, and must not have any more, comes with ``false``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from declarative_pipelines.changes.change_rows import DELETE, UPSERT, ChangeLayout
from declarative_pipelines.changes.column_names import END, OPERATION, SEQUENCE, START, THERE, comparable, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec
    from pyspark.sql.types import DataType


def after_truncate(rows: DataFrame, truncated: DataFrame) -> DataFrame:
    """Return the changes, with a delete instead of each that is not later than the last truncate.

    Parameters
    ----------
    truncated
        One row with the sequence of that truncate, or NULL.
    """
    from pyspark.sql import functions as F

    [sequence] = truncated.columns
    gone = F.col(SEQUENCE) <= F.col(sequence)
    operation = F.when(gone, F.lit(DELETE)).otherwise(F.col(OPERATION))
    return rows.crossJoin(F.broadcast(truncated)).withColumn(OPERATION, operation).drop(sequence)


def current_rows(rows: DataFrame, layout: ChangeLayout) -> DataFrame:
    """Return the row of each key from its newest change, the only one that is given (type 1)."""
    from pyspark.sql import functions as F

    return rows.select(*map(quoted, layout.columns), (F.col(OPERATION) == UPSERT).alias(THERE))


def last_rows(rows: DataFrame, layout: ChangeLayout) -> DataFrame:
    """Return the row of each key from its last change (type 1), of all that are given."""
    from pyspark.sql import functions as F

    last = F.row_number().over(_by_key(layout).orderBy(F.col(SEQUENCE).desc())) == 1
    return current_rows(rows.withColumn("__last", last).where("__last"), layout)


def versions(rows: DataFrame, layout: ChangeLayout) -> DataFrame:
    """Return the versions of each key, from all its changes (type 2).

    A version begins where a tracked column changes, or after a delete; it ends where the next one begins, or with a
    delete.  The other columns have the values of the version's last change.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    in_order = _by_key(layout).orderBy(SEQUENCE)
    before, deleted = F.lag(OPERATION).over(in_order), F.col(OPERATION) == DELETE
    changed = F.lit(False)
    for name in layout.tracked:
        value = comparable(rows.schema[name])
        changed = changed | ~value.eqNullSafe(F.lag(value).over(in_order))
    rows = rows.withColumn("__begins", before.isNull() | (before == DELETE) | deleted | changed)
    begins = F.when(F.col("__begins"), F.col(SEQUENCE))
    rows = rows.withColumn("__version", F.count(begins).over(in_order))
    version = _by_key(layout, "__version").orderBy(SEQUENCE)
    whole = version.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    behind = in_order.rowsBetween(1, Window.unboundedFollowing)
    return rows.select(
        *(F.col(quoted(name)) for name in layout.keys),
        *(F.last(quoted(name)).over(whole).alias(name) for name in layout.values),
        F.col(SEQUENCE).alias(START),
        F.first(begins, ignorenulls=True).over(behind).alias(END),
        (F.col("__begins") & ~deleted).alias(THERE),
    ).select(*map(quoted, layout.columns), START, END, THERE)


def without_nulls(rows: DataFrame, layout: ChangeLayout) -> DataFrame:
    """Return the changes with the last value that was not NULL instead of each NULL, back to the last delete.

    A field of a struct is a value of its own.
    """
    from pyspark.sql import functions as F

    in_order = _by_key(layout).orderBy(SEQUENCE)
    rows = rows.withColumn("__life", F.count(F.when(F.col(OPERATION) == DELETE, 1)).over(in_order))
    life = _by_key(layout, "__life").orderBy(SEQUENCE)
    kinds = {field.name: field.dataType for field in rows.schema}

    def said(name: str) -> Column:
        # What a truncate has made a delete still has its values.
        return F.when(F.col(OPERATION) == UPSERT, F.col(quoted(name)))

    filled = {name: _filled(said(name), kinds[name], life) for name in layout.filled}
    return rows.withColumns(filled).drop("__life") if filled else rows


def _filled(value: Column, kind: DataType, life: WindowSpec) -> Column:
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    last = F.last(value, ignorenulls=True).over(life)
    if not isinstance(kind, StructType):
        return last
    fields = [_filled(value.getField(field.name), field.dataType, life).alias(field.name) for field in kind]
    return F.when(last.isNotNull(), F.struct(*fields))


def _by_key(layout: ChangeLayout, *more: str) -> WindowSpec:
    from pyspark.sql import Window

    return Window.partitionBy(*map(quoted, layout.keys), *more)
