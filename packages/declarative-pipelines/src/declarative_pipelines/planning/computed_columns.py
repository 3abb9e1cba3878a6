"""Columns that a table computes: those with ``GENERATED ALWAYS AS`` or ``DEFAULT`` in its declared schema.

The flow computes them, since Spark's engine knows neither.  The table's rows are those that Delta would have computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from declarative_pipelines.changes.column_names import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from declarative_pipelines.definitions.model import ComputedColumn, Dataset


def with_computed(frame: DataFrame, dataset: Dataset) -> DataFrame:
    """Return the frame with the computed columns that it lacks.

    A generated column that the query has fails the update where its value is not that of the expression, as in Delta.
    """
    from pyspark.sql import functions as F

    for column in dataset.computed:
        value = F.expr(f"CAST((\n{column.expression}\n) AS {column.kind})")
        if column.name.lower() not in {name.lower() for name in frame.columns}:
            frame = frame.withColumn(column.name, value)
        elif not column.is_default:
            frame = frame.withColumn(column.name, _checked(column, value, dataset))
    return frame


def _checked(column: ComputedColumn, value: Column, dataset: Dataset) -> Column:
    from pyspark.sql import functions as F

    given = F.col(quoted(column.name)).cast(column.kind)
    text = f"A row of {dataset.name} has another {column.name} than its expression, {column.expression}, generates."
    return F.when(given.eqNullSafe(value), given).otherwise(F.raise_error(F.lit(text)).cast(column.kind))
