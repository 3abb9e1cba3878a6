"""A batch's rows as changes: what each one does, to which key, and in which order.

A change is an upsert, a delete or a truncate.  Of a delete only the key and its sequence are kept, of a truncate only
the sequence.  Of two changes with the same key and sequence, which the platform leaves undefined, one wins whatever
the order of arrival.

Beside the target is a hidden Delta table, ``__changes_<target>``, with the changes that a later batch may still need.
For type 1 it has the newest change of each key, so also the deleted keys with the sequence of their deletion, and the
newest truncate.  For type 2, and where NULLs are ignored, it has every change once: a late one may come between any
two.  A change that is there already changes nothing, which makes a batch that is run again harmless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from streaming_base.errors import ExplainedError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField, StructType

    from declarative_pipelines.definitions.model import ChangeFlow, SnapshotFlow

SEQUENCE, OPERATION, FINGERPRINT, THERE = "__sequence", "__operation", "__fingerprint", "__there"
START, END = "__START_AT", "__END_AT"
RESERVED = (SEQUENCE, OPERATION, FINGERPRINT, THERE, START, END)
DELETE, TRUNCATE, UPSERT = "delete", "truncate", "upsert"
# Of two changes with one sequence the greater one wins: a delete, as in Spark 4.3, or the greater fingerprint.
WINNING_ORDER = f"struct({{0}}{SEQUENCE}, {{0}}{OPERATION} = '{DELETE}', {{0}}{FINGERPRINT})"

_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")
_PREFIX = "__changes_"
_PROPERTY = "pipelines.changes"


@dataclass(eq=False)
class BadChanges(ExplainedError, ValueError):
    """Rows that no flow can apply: take them out before it, with an expectation that drops them."""

    flow: str
    batch: object
    problem: str

    def __str__(self) -> str:
        return (
            f"Flow {self.flow}, {self.batch}: {self.problem} Nothing of it was applied. "
            "Drop such rows before the flow, with an expectation (ON VIOLATION DROP ROW, expect_or_drop), or fix the "
            "source."
        )


@dataclass(eq=False)
class BadChangeFlow(ExplainedError, ValueError):
    """A change flow with a definition that cannot be executed."""

    flow: str
    problem: str

    def __str__(self) -> str:
        return f"Flow {self.flow}: {self.problem}"


def quoted(name: str) -> str:
    """Return a column's name as SQL text."""
    return "`" + name.replace("`", "``") + "`"


def beside(target: str, prefix: str) -> str:
    """Return the name of a hidden table in the target's database."""
    *database, name = [quoted.replace("``", "`") or plain for quoted, plain in _PART.findall(target)]
    return ".".join(quoted(part) for part in (*database, f"{prefix}{name}"))


def column(value: Any, frame: DataFrame) -> Column:
    """Return a column's name, SQL text or Column as a Column."""
    from pyspark.sql import functions as F

    if not isinstance(value, str):
        return value
    names = {name.lower() for name in frame.columns}
    plain = value.strip().strip("`")
    return F.col(quoted(plain)) if plain.lower() in names else F.expr(value)


def comparable(field: StructField, frame: str | None = None) -> Column:
    """Return a column in a comparable form: maps and variants as text, other types unchanged."""
    from pyspark.sql import functions as F

    kind = field.dataType.simpleString()
    value = F.col(f"{frame}.{quoted(field.name)}" if frame else quoted(field.name))
    return F.to_json(F.struct(value.alias("value"))) if "map<" in kind or "variant" in kind else value


@dataclass(frozen=True)
class ChangeLayout:
    """The columns of a flow: of its target, of its key, those that start a version, and those that ignore NULLs."""

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    tracked: tuple[str, ...]
    filled: tuple[str, ...] = ()  # in which a NULL keeps the value before it

    @property
    def values(self) -> tuple[str, ...]:
        """The columns that are no key."""
        return tuple(name for name in self.columns if name not in self.keys)


def layout_of(flow: ChangeFlow | SnapshotFlow, frame: DataFrame) -> ChangeLayout:
    """Return the columns of a flow for a source with the frame's schema.

    Raises BadChangeFlow if the key is not among the target's columns, or a column has a reserved name.
    """

    def chosen(only: Sequence[Any] | None, left: Sequence[Any] | None, among: Sequence[str]) -> tuple[str, ...]:
        if only is not None:
            return _names(only, frame)
        excluded = _names(left or (), frame)
        return tuple(name for name in among if name not in excluded)

    columns = chosen(getattr(flow, "columns", None) or None, getattr(flow, "except_columns", None), frame.columns)
    keys = _names(flow.keys, frame)
    if missing := [name for name in keys if name not in columns]:
        raise BadChangeFlow(flow.name, f"the key {missing[0]} is not among the columns of {flow.target}; leave it in.")
    reserved = {name.lower() for name in RESERVED}
    if taken := [name for name in columns if name.lower() in reserved]:
        raise BadChangeFlow(flow.name, f"the column {taken[0]} has a name that change flows need; rename it.")
    values = tuple(name for name in columns if name not in keys)
    tracked = chosen(flow.history_columns or None, flow.history_except_columns, values)
    filled: tuple[str, ...] = ()
    if getattr(flow, "ignore_null_updates", False):
        ignoring = chosen(flow.null_columns, flow.null_except_columns, values)  # type: ignore[union-attr]
        filled = tuple(name for name in values if name in ignoring)
    return ChangeLayout(columns, keys, tracked, filled)


def _names(values: Sequence[Any], frame: DataFrame) -> tuple[str, ...]:
    """Return the columns' names as the frame spells them."""
    spelt = {name.lower(): name for name in frame.columns}
    found = frame.select(*(column(value, frame) for value in values)).columns if values else []
    return tuple(spelt.get(name.lower(), name) for name in found)


def read_changes(flow: ChangeFlow, layout: ChangeLayout, batch: DataFrame) -> DataFrame:
    """Return the batch's changes: the target's columns, sequence, operation and fingerprint."""
    from pyspark.sql import functions as F

    operation = F.lit(UPSERT)
    if flow.apply_as_deletes is not None:
        operation = F.when(column(flow.apply_as_deletes, batch), DELETE).otherwise(operation)
    if flow.apply_as_truncates is not None:
        operation = F.when(column(flow.apply_as_truncates, batch), TRUNCATE).otherwise(operation)
    changes = batch.select(
        *(F.col(quoted(name)) for name in layout.columns),
        column(flow.sequence_by, batch).alias(SEQUENCE),
        operation.alias(OPERATION),
    )
    is_upsert, is_truncate = F.col(OPERATION) == UPSERT, F.col(OPERATION) == TRUNCATE
    kept = [
        *(F.when(~is_truncate, F.col(quoted(name))).alias(name) for name in layout.keys),
        *(F.when(is_upsert, F.col(quoted(name))).alias(name) for name in layout.values),
    ]
    changes = changes.select(*kept, SEQUENCE, OPERATION)
    by_name = sorted((changes.schema[name] for name in layout.columns), key=lambda field: field.name)
    # The hash passes over a NULL; the text says which column it is in.
    text = F.to_json(F.struct(*(F.col(quoted(field.name)) for field in by_name)))
    return changes.withColumn(FINGERPRINT, F.xxhash64(text, *map(comparable, by_name)))


def check_changes(flow: ChangeFlow, layout: ChangeLayout, changes: DataFrame, batch_id: int) -> bool:
    """Return whether one of the changes truncates.

    Raises BadChanges for a NULL in a key or a sequence, which the platform and Spark reject as well.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    kind = changes.schema[SEQUENCE].dataType
    fields = [F.col(SEQUENCE).getField(name) for name in kind.names] if isinstance(kind, StructType) else []
    no_sequence = reduce(or_, (value.isNull() for value in (F.col(SEQUENCE), *fields)))
    is_truncate = F.col(OPERATION) == TRUNCATE
    no_key = ~is_truncate & reduce(or_, (F.col(quoted(name)).isNull() for name in layout.keys))
    counted = changes.agg(
        F.count_if(no_key).alias("no_key"),
        F.count_if(no_sequence).alias("no_sequence"),
        F.count_if(is_truncate).alias("truncates"),
    ).first()
    keys = ", ".join(layout.keys)
    for count, what in ((counted["no_key"], f"key ({keys})"), (counted["no_sequence"], "sequence")):
        if count:
            rows = "1 change has" if count == 1 else f"{count} changes have"
            raise BadChanges(flow.name, f"batch {batch_id}", f"{rows} a NULL in the {what}.")
    return counted["truncates"] > 0


def check_where(flow: ChangeFlow, batch: DataFrame, batch_id: int) -> None:
    """Raise BadChanges unless each row of a batch meets the flow's ``where``.

    The platform rejects the batch as well: the condition is for its optimizer and drops no rows.
    """
    from pyspark.sql import functions as F

    if flow.where is None:
        return
    count = batch.where(~F.coalesce(column(flow.where, batch), F.lit(False))).count()
    if count:
        rows = "1 change does" if count == 1 else f"{count} changes do"
        problem = f"{rows} not meet where={flow.where!s}, which all must meet: it drops none."
        raise BadChanges(flow.name, f"batch {batch_id}", problem)


def newest(changes: DataFrame, identity: tuple[str, ...]) -> DataFrame:
    """Return the newest change of each identity."""
    from pyspark.sql import functions as F

    columns = F.struct(*(F.col(quoted(name)) for name in changes.columns))
    order = F.expr(WINNING_ORDER.format(""))
    by = [F.col(quoted(name)).alias(f"__by_{number}") for number, name in enumerate(identity)]
    return changes.groupBy(*by).agg(F.max_by(columns, order).alias("__newest")).select("__newest.*")


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
