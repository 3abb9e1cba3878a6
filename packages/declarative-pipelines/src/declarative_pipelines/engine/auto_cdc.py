"""AUTO CDC: each batch of changes is merged into a Delta table, in whatever order they arrive.

A batch is written in two commits.  The first adds the batch's changes to the hidden table of :mod:`.change_rows`.
The second computes the rows of the batch's keys from that table and updates the target, which is the table that
people query.  If the process dies between the two, the stream runs the batch again: the hidden table already has the
changes, and the target receives what it lacks.  A batch is therefore idempotent and needs no number to be recognized
by.

Supported: type 1 and 2, deletes, truncates (type 1), part of the columns, part of the history, NULLs that are ignored
in all columns or in some, several flows into one target.  Columns may be added.

Not supported: a column that changes its type; two flows that write one target at the same time; forgetting old
changes.

The rows depend on the changes alone, not on the order in which they came.  Each frame has the target's columns and
``__there``: a row that the target may have from before, and must not have any more, comes with ``false``.

Of whole snapshots, what is new, different or missing is merged.  The target itself says what the snapshot before had,
so that one MERGE, one commit, does all.  The version of the last snapshot is kept in a hidden table,
``__snapshots_<target>``, which is written afterwards: where the process dies in between, the same snapshot is
repeated and finds nothing to do.
"""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from declarative_pipelines.engine.change_rows import (
    DELETE,
    END,
    OPERATION,
    SEQUENCE,
    START,
    THERE,
    TRUNCATE,
    UPSERT,
    BadChangeFlow,
    BadChanges,
    ChangeLayout,
    ChangeLog,
    beside,
    check_changes,
    check_where,
    comparable,
    create,
    layout_of,
    merge_rows,
    quoted,
    read_changes,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession, WindowSpec
    from pyspark.sql.types import DataType, StructType

    from declarative_pipelines.definitions.model import ChangeFlow, SnapshotFlow

_PREFIX = "__snapshots_"


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

    Raises BadChanges: a change has a NULL in its key or its sequence, or violates ``where``; nothing was applied;
    BadChangeFlow: the flow does not fit this source or this target.
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


def merge_snapshot(session: SparkSession, flow: SnapshotFlow, frame: DataFrame, version: Any, target: str) -> int:
    """Make a target equal to a snapshot, for type 2 with its history; return the snapshot's rows.

    The last snapshot may be repeated.  ``version`` is a number, a time or a text greater than that of all earlier
    snapshots; type 2 shows it.  The target is created if necessary.

    Raises BadChanges: a key occurs twice, or has a NULL; nothing was applied; BadChangeFlow: A newer snapshot has
    already been applied.
    """
    from pyspark.sql import functions as F

    layout = layout_of(flow, frame)
    before = latest_version(session, target)
    if before is not None and version < before:
        raise BadChangeFlow(flow.name, f"snapshot {version} is older than {before}, which {target} has already.")
    snapshot = frame.select(*map(quoted, layout.columns)).persist()
    try:
        rows = _check(flow, layout, snapshot, version)
        if flow.scd_type == 1:
            merge_rows(session, target, snapshot.withColumn(THERE, F.lit(True)), layout.keys, are_all=True)
        else:
            versions = _snapshot_versions(session, snapshot, layout, version, target)
            merge_rows(session, target, versions, (*layout.keys, START))
    finally:
        snapshot.unpersist()
    if before != version:
        _version_frame(session, version).write.format("delta").mode("overwrite").saveAsTable(beside(target, _PREFIX))
    return rows


def latest_version(session: SparkSession, target: str) -> Any:
    """Return the version of the last snapshot that a target has; None before the first."""
    name = beside(target, _PREFIX)
    if not session.catalog.tableExists(name):
        return None
    found = session.table(name).first()
    return found["version"] if found else None


def forget_snapshots(session: SparkSession, target: str) -> None:
    """Drop the hidden table of a target, as a full refresh must before the target's first snapshot."""
    session.sql(f"DROP TABLE IF EXISTS {beside(target, _PREFIX)}")


def _check(flow: SnapshotFlow, layout: ChangeLayout, snapshot: DataFrame, version: Any) -> int:
    from pyspark.sql import functions as F

    keys = F.struct(*(F.col(quoted(name)) for name in layout.keys))
    no_key = reduce(or_, (F.col(quoted(name)).isNull() for name in layout.keys))
    counted = snapshot.agg(
        F.count("*").alias("all"), F.count_if(no_key).alias("no_key"), F.count_distinct(keys).alias("keys")
    ).first()
    named = ", ".join(layout.keys)
    if counted["no_key"]:
        raise BadChanges(
            flow.name, f"snapshot {version}", f"{counted['no_key']} rows have a NULL in the key ({named})."
        )
    if counted["keys"] < counted["all"]:
        twice = counted["all"] - counted["keys"]
        raise BadChanges(flow.name, f"snapshot {version}", f"{twice} rows have a key ({named}) that another row has.")
    return counted["all"]


def _snapshot_versions(
    session: SparkSession, snapshot: DataFrame, layout: ChangeLayout, version: Any, target: str
) -> DataFrame:
    """Return the target's rows that a snapshot changes, and the rows that it adds."""
    from pyspark.sql import functions as F

    kind = _version_frame(session, version).schema["version"].dataType
    now = F.lit(version).cast(kind)
    if not session.catalog.tableExists(target):
        schema = snapshot.schema.add(START, kind).add(END, kind)
        create(session, target, schema)
    current = session.table(target).where(f"{END} IS NULL")
    there = set(current.columns)
    old = current.withColumn("__old", F.lit(True)).alias("old")
    new = snapshot.withColumn("__new", F.lit(True)).alias("new")
    same_key = (F.col(f"old.{quoted(name)}") == F.col(f"new.{quoted(name)}") for name in layout.keys)
    both = old.join(new, reduce(and_, same_key), "full_outer")
    changed = F.lit(any(name not in there for name in layout.tracked))
    for field in (snapshot.schema[name] for name in layout.tracked if name in there):
        changed = changed | ~comparable(field, "old").eqNullSafe(comparable(field, "new"))
    # The same snapshot again, with other rows: what it had begun is written over, not ended.
    again = F.col(f"old.{START}") == now
    continues = F.col("__new").isNotNull() & (~changed | again)

    def value(name: str) -> Column:
        before = F.col(f"old.{quoted(name)}") if name in there else F.lit(None)
        return F.when(continues, F.col(f"new.{quoted(name)}")).otherwise(before).alias(name)

    # The versions that were open continue with the snapshot's values, or end; others begin.
    open_before = both.where("__old").select(
        *map(value, layout.columns),
        F.col(f"old.{START}").alias(START),
        F.when(~continues, now).alias(END),
        (continues | ~again).alias(THERE),
    )
    begins = F.col("__new").isNotNull() & (F.col("__old").isNull() | ~continues)
    begun = both.where(begins).select(
        *(F.col(f"new.{quoted(name)}").alias(name) for name in layout.columns),
        now.alias(START),
        F.lit(None).cast(kind).alias(END),
        F.lit(True).alias(THERE),
    )
    return open_before.unionByName(begun)


def _version_frame(session: SparkSession, version: Any) -> DataFrame:
    return session.createDataFrame([(version,)], ["version"])
