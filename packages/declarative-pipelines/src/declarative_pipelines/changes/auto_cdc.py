"""AUTO CDC: each batch of changes is merged into a Delta table, in whatever order they arrive.

A batch is written in two commits.  The first adds the batch's changes to the hidden table of
:mod:`.changes.change_tables`.  The second computes the rows of the batch's keys from that table and updates the target,
which is the table that people query.  If the process dies between the two, the stream runs the batch again: the hidden
table already has the changes, and the target receives what it lacks.  A batch is therefore idempotent and needs no
number to be recognized by.

Supported: type 1 and 2, deletes, truncates (type 1), part of the columns, part of the history, NULLs that are ignored
in all columns or in some, several flows into one target.  Columns may be added.

Not supported: a column that changes its type; two flows that write one target at the same time; forgetting old changes.

The rows depend on the changes alone, not on the order in which they came.  Each frame has the target's columns and
``__there``: a row that the target may have from before, and must not have any more, comes with ``false``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from declarative_pipelines.changes.change_rows import (
    DELETE,
    END,
    OPERATION,
    SEQUENCE,
    START,
    THERE,
    TRUNCATE,
    UPSERT,
    BadChangeFlow,
    ChangeLayout,
    check_changes,
    check_where,
    comparable,
    layout_of,
    quoted,
    read_changes,
)
from declarative_pipelines.changes.change_tables import ChangeLog, merge_rows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession, WindowSpec
    from pyspark.sql.types import DataType, StructType

    from declarative_pipelines.definitions.model import ChangeFlow


def _versions(rows: DataFrame, layout: ChangeLayout) -> DataFrame:
    """Return the versions of each key from all its changes (type 2).

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


def _without_nulls(rows: DataFrame, layout: ChangeLayout) -> DataFrame:
    """Return the changes with each NULL replaced by the last value since the last delete, also in fields of structs."""
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


def merge_changes(session: SparkSession, flow: ChangeFlow, batch: DataFrame, batch_id: int, target: str) -> None:
    """Apply a batch of changes to a target, which is created if necessary; for ``foreachBatch``.

    Batches may be repeated and come in any order: the target is a function of all changes so far.

    Raises
    ------
    BadChanges
        A change has a NULL in its key or its sequence, or violates ``where``; nothing was applied.
    BadChangeFlow
        The flow does not fit this source or this target.
    """
    layout = layout_of(flow, batch)
    if flow.scd_type == 2 and flow.apply_as_truncates is not None:
        raise BadChangeFlow(flow.name, "truncates are for SCD type 1.")
    check_where(flow, batch, batch_id)
    log = ChangeLog(session, flow, target, layout)
    changes = read_changes(flow, layout, batch).persist()
    try:
        truncates = check_changes(flow, layout, changes, batch_id)
        winning = log.take(changes)
        # A truncate is about keys that the batch does not have.
        touched = log.rows().where(f"{OPERATION} <> '{TRUNCATE}'") if truncates else log.of_keys(winning)
        identity = (*layout.keys, START) if flow.scd_type == 2 else layout.keys
        merge_rows(session, target, _target_rows(log, touched), identity)
    finally:
        changes.unpersist()


def target_schema(flow: ChangeFlow, source: DataFrame) -> StructType:
    """Return the schema that the target of a flow gets from a source."""
    from pyspark.sql.types import StructField, StructType

    layout = layout_of(flow, source)
    changes = read_changes(flow, layout, source).schema
    fields = [StructField(name, changes[name].dataType) for name in layout.columns]
    if flow.scd_type == 2:
        fields += [StructField(name, changes[SEQUENCE].dataType) for name in (START, END)]
    return StructType(fields)


def _target_rows(log: ChangeLog, touched: DataFrame) -> DataFrame:
    """Return the target's rows of some keys, computed from the hidden table."""
    from pyspark.sql import functions as F

    flow, layout = log.flow, log.layout
    if flow.apply_as_truncates is not None:  # what is not after the last truncate has become a delete
        truncates = log.rows().where(f"{OPERATION} = '{TRUNCATE}'").agg(F.max(SEQUENCE).alias("__truncated"))
        operation = F.when(F.col(SEQUENCE) <= F.col("__truncated"), F.lit(DELETE)).otherwise(F.col(OPERATION))
        touched = touched.crossJoin(F.broadcast(truncates)).withColumn(OPERATION, operation).drop("__truncated")
    if flow.ignore_null_updates:
        touched = _without_nulls(touched, layout)
    if flow.scd_type == 2:
        return _versions(touched, layout)
    if log.keeps_all:
        last = F.row_number().over(_by_key(layout).orderBy(F.col(SEQUENCE).desc())) == 1
        touched = touched.withColumn("__last", last).where("__last")
    return touched.select(*map(quoted, layout.columns), (F.col(OPERATION) == UPSERT).alias(THERE))
