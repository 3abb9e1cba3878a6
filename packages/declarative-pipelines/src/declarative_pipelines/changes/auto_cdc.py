"""AUTO CDC: each batch of changes is merged into a Delta table, in whatever order they arrive.

A batch is written in two commits.  The first adds the batch's changes to the hidden table of
:mod:`.changes.change_log`.  The second computes the rows of the batch's keys from that table and updates the target,
which is the table that people query.  If the process dies between the two, the stream runs the batch again: the hidden
table already has the changes, and the target receives what it lacks.  A batch is therefore idempotent and needs no
number to be recognized by.

Supported: type 1 and 2, deletes, truncates (type 1), part of the columns, part of the history, NULLs that are ignored
in all columns or in some, several flows into one target.  Columns may be added.

Not supported: a column that changes its type; two flows that write one target at the same time; forgetting old changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from declarative_pipelines.changes import target_rows as history
from declarative_pipelines.changes.change_errors import BadChangeFlow
from declarative_pipelines.changes.change_log import ChangeLog
from declarative_pipelines.changes.change_rows import TRUNCATE, check_changes, check_where, layout_of, read_changes
from declarative_pipelines.changes.column_names import END, OPERATION, SEQUENCE, START
from declarative_pipelines.changes.delta_tables import ChangeCounts, bring_in_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from declarative_pipelines.definitions.model import ChangeFlow


def merge_changes(
    session: SparkSession, flow: ChangeFlow, batch: DataFrame, batch_id: int, target: str
) -> ChangeCounts:
    """Apply a batch of changes to a target; to be called by ``foreachBatch``.

    Any batch may be given again, in any order: the target is the same function of all changes that ever came.

    Parameters
    ----------
    flow
        What the changes mean.
    batch
        Rows of the flow's source.
    batch_id
        The batch's number, for errors.
    target
        The table's name.  It is made where it does not exist.

    Raises
    ------
    BadChanges
        A change has a NULL in its key or its sequence, or does not meet ``where``; nothing was applied.
    BadChangeFlow, ChangedFlow
        The flow cannot be applied to this source or this target.
    """
    layout = layout_of(flow, batch)
    if flow.scd_type == 2 and flow.apply_as_truncates is not None:
        raise BadChangeFlow(flow.name, "truncates are for SCD type 1.")
    check_where(flow, batch, batch_id)
    log = ChangeLog(session, flow, target, layout)
    changes = read_changes(flow, layout, batch).persist()
    try:
        count, truncates = check_changes(flow, layout, changes, batch_id)
        winning = log.take(changes)
        # A truncate is about keys that the batch does not have.
        touched = log.rows().where(f"{OPERATION} <> '{TRUNCATE}'") if truncates else log.of_keys(winning)
        rows = _target_rows(log, touched)
        identity = (*layout.keys, START) if flow.scd_type == 2 else layout.keys
        return bring_in_line(session, target, rows, identity, count)
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
    """Return the rows that the target is to have of some keys, from what is in the hidden table of them."""
    from pyspark.sql import functions as F

    if log.flow.apply_as_truncates is not None:
        truncates = log.rows().where(f"{OPERATION} = '{TRUNCATE}'")
        touched = history.after_truncate(touched, truncates.agg(F.max(SEQUENCE).alias("__truncated")))
    if log.flow.ignore_null_updates:
        touched = history.without_nulls(touched, log.layout)
    if log.flow.scd_type == 2:
        return history.versions(touched, log.layout)
    return history.last_rows(touched, log.layout) if log.keeps_all else history.current_rows(touched, log.layout)
