"""The Delta tables that change flows write: the target, and the hidden table ``__changes_<target>`` beside it.

The hidden table has the changes that a later batch may still need.  For type 1 it has the newest change of each key, so
also the deleted keys with the sequence of their deletion, and the newest truncate.  For type 2, and where NULLs are
ignored, it has every change once: a late one may come between any two.  A change that is there already changes nothing,
which makes a batch that is run again harmless.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from declarative_pipelines.changes.change_rows import (
    SEQUENCE,
    THERE,
    WINNING_ORDER,
    BadChangeFlow,
    ChangeLayout,
    beside,
    comparable,
    newest,
    quoted,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from declarative_pipelines.definitions.model import ChangeFlow

_PREFIX = "__changes_"
_PROPERTY = "pipelines.changes"


def create(session: SparkSession, name: str, schema: StructType, properties: Mapping[str, str] | None = None) -> None:
    """Create an empty table with nullable columns."""
    from delta.tables import DeltaTable

    builder = DeltaTable.createIfNotExists(session).tableName(name)
    for field in schema:
        builder = builder.addColumn(field.name, field.dataType)
    for key, value in (properties or {}).items():
        builder = builder.property(key, value)
    builder.execute()


def _add_columns(session: SparkSession, name: str, schema: StructType) -> None:
    """Add the columns of a schema that a table does not have."""
    there = {column.lower() for column in session.table(name).columns}
    new = [field for field in schema if field.name.lower() not in there]
    if new:
        ddl = ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in new)
        session.sql(f"ALTER TABLE {name} ADD COLUMNS ({ddl})")


def merge_rows(
    session: SparkSession, target: str, rows: DataFrame, identity: tuple[str, ...], are_all: bool = False
) -> None:
    """Make a target's rows equal to ``rows`` by one MERGE, so that readers see the old or the new state.

    ``rows`` has the target's columns and ``__there``, whether the target keeps the row; ``identity`` are the columns
    that identify a row; ``are_all`` is whether the target must have no other rows.
    """
    from delta.tables import DeltaTable

    schema = rows.drop(THERE).schema
    if session.catalog.tableExists(target):
        _add_columns(session, target, schema)
    else:
        create(session, target, schema)
    same = " AND ".join(f"old.{quoted(name)} = new.{quoted(name)}" for name in identity)
    values: dict[str, str | Column] = {quoted(name): f"new.{quoted(name)}" for name in schema.names}
    merge = DeltaTable.forName(session, target).alias("old").merge(rows.alias("new"), same)
    merge = merge.whenMatchedDelete(f"NOT new.{THERE}")
    others = [field for field in schema if field.name not in identity]
    if others:
        differ = (~comparable(field, "old").eqNullSafe(comparable(field, "new")) for field in others)
        merge = merge.whenMatchedUpdate(condition=reduce(or_, differ), set=values)
    merge = merge.whenNotMatchedInsert(condition=f"new.{THERE}", values=values)
    merge = merge.whenNotMatchedBySourceDelete() if are_all else merge
    merge.execute()


def log_name(target: str) -> str:
    """Return the name of a target's hidden table, as SQL text."""
    return beside(target, _PREFIX)


def forget_changes(session: SparkSession, target: str) -> None:
    """Drop the hidden table of a target, as a full refresh must before the target's first batch."""
    session.sql(f"DROP TABLE IF EXISTS {log_name(target)}")


@dataclass(frozen=True)
class ChangeLog:
    """The hidden table of a target; several flows into one target share its key."""

    session: SparkSession
    flow: ChangeFlow
    target: str
    layout: ChangeLayout

    @property
    def keeps_all(self) -> bool:
        """Whether it has every change, not only the newest of each key."""
        return self.flow.scd_type == 2 or self.flow.ignore_null_updates

    def take(self, changes: DataFrame) -> DataFrame:
        """Insert the new changes by one MERGE; return one change of the batch for each identity.

        Raises BadChangeFlow if the table was created for another key, type or sequence.
        """
        from delta.tables import DeltaTable

        self._prepare(changes)
        identity = (*self.layout.keys, SEQUENCE) if self.keeps_all else self.layout.keys
        winning = newest(changes, identity)
        same = " AND ".join(f"old.{quoted(name)} <=> new.{quoted(name)}" for name in identity)
        later = f"{WINNING_ORDER.format('new.')} > {WINNING_ORDER.format('old.')}"
        values: dict[str, str | Column] = {quoted(name): f"new.{quoted(name)}" for name in changes.columns}
        table = DeltaTable.forName(self.session, log_name(self.target))
        merge = table.alias("old").merge(winning.alias("new"), same)
        merge.whenMatchedUpdate(condition=later, set=values).whenNotMatchedInsert(values=values).execute()
        return winning

    def rows(self) -> DataFrame:
        return self.session.table(log_name(self.target))

    def of_keys(self, changes: DataFrame) -> DataFrame:
        """Return all that it has of the keys that some changes have."""
        from pyspark.sql import functions as F

        keys = changes.select(*(quoted(name) for name in self.layout.keys)).distinct()
        same = " AND ".join(f"rows.{quoted(name)} = touched.{quoted(name)}" for name in self.layout.keys)
        return self.rows().alias("rows").join(keys.alias("touched"), F.expr(same), "left_semi")

    def _prepare(self, changes: DataFrame) -> None:
        flow, name = self.flow, log_name(self.target)
        ignored = str(flow.ignore_null_updates).lower()
        # As the flow names the columns: one may be added later.
        for words, columns in (("on", flow.null_columns), ("on all but", flow.null_except_columns)):
            if columns is not None:
                ignored = f"{words} {', '.join(map(str, columns))}"
        made_for = {
            "keys": ", ".join(self.layout.keys),
            "the type": f"SCD type {flow.scd_type}",
            "IGNORE NULL UPDATES": ignored,
            "the type of the sequence": changes.schema[SEQUENCE].dataType.simpleString(),
        }
        if not self.session.catalog.tableExists(name):
            create(self.session, name, changes.schema, {_PROPERTY: json.dumps(made_for)})
            return
        [row] = self.session.sql(f"SHOW TBLPROPERTIES {name} ('{_PROPERTY}')").collect()
        before = json.loads(row["value"])
        different = [f"{what} from {before[what]} to {now}" for what, now in made_for.items() if before[what] != now]
        if different:
            problem = f"it has changed since {self.target} was made: {', '.join(different)}."
            raise BadChangeFlow(flow.name, f"{problem} Run a full refresh of {self.target}, or take the change back.")
        _add_columns(self.session, name, changes.schema)
