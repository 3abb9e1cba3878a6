"""The hidden table ``__changes_<target>``: the changes that a later batch may still need.

For type 1 it has the newest change of each key, so also the deleted keys with the sequence of their deletion, and the
newest truncate.  For type 2, and where NULLs are ignored, it has every change once: a late one may come between any
two.  A change that is there already changes nothing, which makes a batch that is run again harmless.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from declarative_pipelines.changes.change_errors import ChangedFlow
from declarative_pipelines.changes.change_rows import SEQUENCE, WINNING_ORDER, ChangeLayout, beside, newest, quoted
from declarative_pipelines.changes.delta_tables import add_columns, create

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from declarative_pipelines.definitions.model import ChangeFlow

_PREFIX = "__changes_"
_PROPERTY = "pipelines.changes"


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

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that identify a change."""
        return (*self.layout.keys, SEQUENCE) if self.keeps_all else self.layout.keys

    def take(self, changes: DataFrame) -> DataFrame:
        """Insert the new changes by one MERGE; return one change of the batch for each identity.

        Raises ChangedFlow if the table was created for another key, type or sequence.
        """
        self._prepare(changes)
        winning = newest(changes, self.identity)
        same = " AND ".join(f"old.{quoted(name)} <=> new.{quoted(name)}" for name in self.identity)
        later = f"{WINNING_ORDER.format('new.')} > {WINNING_ORDER.format('old.')}"
        values = {quoted(name): f"new.{quoted(name)}" for name in changes.columns}
        table = self._table()
        merge = table.alias("old").merge(winning.alias("new"), same)
        merge.whenMatchedUpdate(condition=later, set=values).whenNotMatchedInsert(values=values).execute()
        return winning

    def rows(self) -> DataFrame:
        """Return all that it has."""
        return self.session.table(log_name(self.target))

    def of_keys(self, changes: DataFrame) -> DataFrame:
        """Return all that it has of the keys that some changes have."""
        keys = changes.select(*(quoted(name) for name in self.layout.keys)).distinct()
        rows, touched = self.rows().alias("rows"), keys.alias("touched")
        same = " AND ".join(f"rows.{quoted(name)} = touched.{quoted(name)}" for name in self.layout.keys)
        from pyspark.sql import functions as F

        return rows.join(touched, F.expr(same), "left_semi")

    def _prepare(self, changes: DataFrame) -> None:
        name = log_name(self.target)
        made_for = {
            "keys": ", ".join(self.layout.keys),
            "the type": f"SCD type {self.flow.scd_type}",
            "IGNORE NULL UPDATES": self._ignored_nulls(),
            "the type of the sequence": changes.schema[SEQUENCE].dataType.simpleString(),
        }
        if not self.session.catalog.tableExists(name):
            create(self.session, name, changes.schema, {_PROPERTY: json.dumps(made_for)})
            return
        [row] = self.session.sql(f"SHOW TBLPROPERTIES {name} ('{_PROPERTY}')").collect()
        before = json.loads(row["value"])
        different = tuple((what, before[what], now) for what, now in made_for.items() if before[what] != now)
        if different:
            raise ChangedFlow(self.flow.name, self.target, different)
        add_columns(self.session, name, changes.schema)

    def _ignored_nulls(self) -> str:
        """Return the columns whose NULLs are ignored, as the flow names them: a column may be added later."""
        flow = self.flow
        for words, columns in (("on", flow.null_columns), ("on all but", flow.null_except_columns)):
            if columns is not None:
                return f"{words} {', '.join(map(str, columns))}"
        return str(flow.ignore_null_updates).lower()

    def _table(self):
        from delta.tables import DeltaTable

        return DeltaTable.forName(self.session, log_name(self.target))
