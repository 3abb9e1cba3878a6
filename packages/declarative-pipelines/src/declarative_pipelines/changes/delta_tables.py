"""Creating, widening and merging into the Delta tables that change flows write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from declarative_pipelines.changes.change_rows import THERE, comparable, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField, StructType


@dataclass(frozen=True)
class ChangeCounts:
    """The rows that a batch inserted, updated and deleted in a target, and the batch's changes."""

    changes: int
    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    @property
    def upserted(self) -> int:
        """Rows inserted or updated."""
        return self.inserted + self.updated


def create(session: SparkSession, name: str, schema: StructType, properties: Mapping[str, str] | None = None) -> None:
    """Create an empty table with nullable columns."""
    from delta.tables import DeltaTable

    builder = DeltaTable.createIfNotExists(session).tableName(name)
    for field in schema:
        builder = builder.addColumn(field.name, field.dataType)
    for key, value in (properties or {}).items():
        builder = builder.property(key, value)
    builder.execute()


def add_columns(session: SparkSession, name: str, schema: StructType) -> None:
    """Add the columns of a schema that a table does not have."""
    there = {column.lower() for column in session.table(name).columns}
    new = [field for field in schema if field.name.lower() not in there]
    if new:
        ddl = ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in new)
        session.sql(f"ALTER TABLE {name} ADD COLUMNS ({ddl})")


def bring_in_line(
    session: SparkSession, target: str, rows: DataFrame, identity: tuple[str, ...], changes: int, whole: bool = False
) -> ChangeCounts:
    """Make a target's rows equal to ``rows`` by one MERGE, so that readers see the old or the new state.

    ``rows`` has the target's columns and ``__there``, whether the target keeps the row; ``identity`` are the columns
    that identify a row; ``changes`` is the number of changes behind the rows; ``whole`` whether they are all rows.
    """
    from delta.tables import DeltaTable

    schema = rows.drop(THERE).schema
    if session.catalog.tableExists(target):
        add_columns(session, target, schema)
    else:
        create(session, target, schema)
    same = " AND ".join(f"old.{quoted(name)} = new.{quoted(name)}" for name in identity)
    values: dict[str, str | Column] = {quoted(name): f"new.{quoted(name)}" for name in schema.names}
    merge = DeltaTable.forName(session, target).alias("old").merge(rows.alias("new"), same)
    merge = merge.whenMatchedDelete(f"NOT new.{THERE}")
    if (different := differs(field for field in schema if field.name not in identity)) is not None:
        merge = merge.whenMatchedUpdate(condition=different, set=values)
    merge = merge.whenNotMatchedInsert(condition=f"new.{THERE}", values=values)
    merge = merge.whenNotMatchedBySourceDelete() if whole else merge
    done = merge.execute().first()
    return ChangeCounts(changes, done["num_inserted_rows"], done["num_updated_rows"], done["num_deleted_rows"])


def differs(fields: Iterable[StructField]) -> Column | None:
    """Return the condition that a row ``new`` has other values than the row ``old``; None without any column."""
    different = (~comparable(field, "old").eqNullSafe(comparable(field, "new")) for field in fields)
    return next((reduce(or_, (first, *different)) for first in different), None)
