"""Change flows from whole snapshots: what is new, different or missing in one is merged into the target.

The target itself says what the snapshot before had, so that one MERGE, one commit, does all.  The version of the last
snapshot is kept in a hidden table, ``__snapshots_<target>``, which is written afterwards: where the process dies in
between, the same snapshot is repeated and finds nothing to do.
"""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from declarative_pipelines.changes.change_rows import (
    END,
    START,
    THERE,
    BadChangeFlow,
    BadChanges,
    ChangeLayout,
    beside,
    comparable,
    layout_of,
    quoted,
)
from declarative_pipelines.changes.change_tables import create, merge_rows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from declarative_pipelines.definitions.model import SnapshotFlow

_PREFIX = "__snapshots_"


def merge_snapshot(session: SparkSession, flow: SnapshotFlow, frame: DataFrame, version: Any, target: str) -> int:
    """Make a target equal to a snapshot, for type 2 with its history; return the snapshot's rows.

    The last snapshot may be repeated.  ``version`` is a number, a time or a text greater than that of all earlier
    snapshots; type 2 shows it.  The target is created if necessary.

    Raises
    ------
    BadChanges
        A key occurs twice, or has a NULL; nothing was applied.
    BadChangeFlow
        A newer snapshot has already been applied.
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
            versions = _versions(session, snapshot, layout, version, target)
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


def _versions(session: SparkSession, snapshot: DataFrame, layout: ChangeLayout, version: Any, target: str) -> DataFrame:
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
