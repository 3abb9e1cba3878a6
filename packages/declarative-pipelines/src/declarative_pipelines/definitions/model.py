"""Datasets, flows, expectations and change flows, as a pipeline's sources define them.

The Python decorators and the SQL statements both end here, so nothing after this module knows which of the two
was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def is_same(one: str, other: str) -> bool:
    """Whether two names are those of one dataset."""
    return one.lower() == other.lower()


def find(name: str, names: Iterable[str]) -> str | None:
    """Return the one of several names that is the same, as it is written there; None if there is none."""
    return next((one for one in names if is_same(one, name)), None)


@dataclass(frozen=True)
class SourceLocation:
    """Where a definition stands: what an error points at.

    Parameters
    ----------
    file
        Path of the source as the user gave it, or what a notebook's cell is called.
    line
        Counted from 1, of the decorator's or the statement's first line.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


class DatasetKind(Enum):
    """What a dataset is. ``TABLE`` is settled by its query: streaming table, or materialized view."""

    TABLE = "table"
    STREAMING_TABLE = "streaming table"
    MATERIALIZED_VIEW = "materialized view"
    TEMPORARY_VIEW = "temporary view"
    SINK = "sink"


@dataclass(frozen=True)
class Namespace:
    """Where names of one part are, the defined one and those that its query reads; None: as the pipeline has it."""

    catalog: str | None = None
    database: str | None = None


class Violation(Enum):
    """What happens to a row for which an expectation is not TRUE."""

    ALLOW = "warn"
    DROP = "drop"
    FAIL = "fail"


@dataclass(frozen=True)
class Expectation:
    """A condition over a dataset's rows. A row meets it only where it is TRUE: NULL is a violation."""

    name: str
    constraint: str
    violation: Violation = Violation.ALLOW


@dataclass(frozen=True)
class ComputedColumn:
    """A column with ``GENERATED ALWAYS AS (expression)`` or ``DEFAULT expression``.

    Parameters
    ----------
    kind
        The column's type as DDL.
    is_default
        Whether a query may give the column another value.
    """

    name: str
    kind: str
    expression: str
    is_default: bool = False


#: Makes a dataset's frame. It is called with the session while the engine resolves the graph, and may be called again.
Query = Callable[["SparkSession"], "DataFrame"]


@dataclass(frozen=True)
class Dataset:
    """A table, a view or a sink.

    Parameters
    ----------
    name
        As written, without ``LIVE.`` and without quotes; one to three parts.
    query
        None where only flows write to it (``create_streaming_table``), and for a sink.
    is_published
        Whether a view stays in the catalog; the pipeline itself reads it as its other views.
    take_batch
        What a sink does with each batch and its number, where it is a function.
    schema
        DDL text or a StructType.
    computed
        The columns of the schema that the query need not have.
    namespace
        What ``USE`` has said before it in a SQL file.
    """

    name: str
    kind: DatasetKind
    location: SourceLocation
    query: Query | None = None
    expectations: tuple[Expectation, ...] = ()
    comment: str | None = None
    schema: str | StructType | None = None
    computed: tuple[ComputedColumn, ...] = ()
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    spark_conf: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    take_batch: Callable[[DataFrame, int], None] | None = None
    is_published: bool = False
    namespace: Namespace = Namespace()

    @property
    def is_in_catalog(self) -> bool:
        """Whether it is a table; views and sinks are the pipeline's alone."""
        return self.kind not in (DatasetKind.TEMPORARY_VIEW, DatasetKind.SINK)

    @property
    def is_delta(self) -> bool:
        """Whether it is a Delta table, as each table is that does not name another format."""
        return self.is_in_catalog and (self.format or "delta").lower() == "delta"


@dataclass(frozen=True)
class Flow:
    """A query that appends to a streaming table or a sink which was defined without one. ``once``: a backfill."""

    name: str
    target: str
    query: Query
    location: SourceLocation
    spark_conf: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    namespace: Namespace = Namespace()


#: A column of a change flow: its name or SQL text, or the Column that Python made.
ColumnLike = "str | Column"


@dataclass(frozen=True)
class ChangeFlow:
    """Changes of a source, merged into a streaming table by key (``apply_changes``, AUTO CDC).

    Parameters
    ----------
    source
        A dataset's name; its changes are read as a stream.
    keys, sequence_by
        Which row a change is for, and which of two changes is the later one.
    apply_as_deletes, apply_as_truncates
        Conditions over a change; None: never.
    columns, except_columns
        At most one of the two is given; None: all columns of the source.
    history_columns, history_except_columns
        SCD type 2: a new version begins where one of these changes; None: any column.
    ignore_null_updates
        Whether a NULL keeps the value that the row has: in all columns, or in those of ``null_columns``, or in all
        but those of ``null_except_columns``.
    where
        A condition that every change must meet, for the platform's optimizer; it drops none.
    """

    name: str
    target: str
    source: str
    keys: tuple[Any, ...]
    sequence_by: Any
    location: SourceLocation
    scd_type: Literal[1, 2] = 1
    apply_as_deletes: Any = None
    apply_as_truncates: Any = None
    columns: tuple[Any, ...] | None = None
    except_columns: tuple[Any, ...] | None = None
    history_columns: tuple[Any, ...] | None = None
    history_except_columns: tuple[Any, ...] | None = None
    ignore_null_updates: bool = False
    once: bool = False
    namespace: Namespace = Namespace()
    null_columns: tuple[Any, ...] | None = None
    null_except_columns: tuple[Any, ...] | None = None
    where: Any = None


@dataclass(frozen=True)
class SnapshotFlow:
    """Whole snapshots of a source, compared with the target (``apply_changes_from_snapshot``).

    Parameters
    ----------
    source
        A dataset's name (each update is one snapshot), or a function of the newest version that gives
        ``(frame, version)`` or None where there is no newer one.
    """

    name: str
    target: str
    source: str | Callable[[Any], Any]
    keys: tuple[Any, ...]
    location: SourceLocation
    scd_type: Literal[1, 2] = 1
    history_columns: tuple[Any, ...] | None = None
    history_except_columns: tuple[Any, ...] | None = None


@dataclass
class Definitions:
    """All that a pipeline's sources have said, in their order."""

    datasets: list[Dataset] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    changes: list[ChangeFlow | SnapshotFlow] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset of this name, in whatever case; None if there is none."""
        return next((dataset for dataset in self.datasets if is_same(dataset.name, name)), None)


def named(values: Sequence[Any] | None) -> tuple[Any, ...] | None:
    """A list of columns as the definitions hold it: nothing stays None, a single one is a list of one."""
    if values is None:
        return None
    return (values,) if isinstance(values, str) else tuple(values)


def without_live(name: str) -> str:
    """A dataset's name without ``LIVE.`` before it and without its quotes."""
    parts = name.replace("`", "").split(".")
    return ".".join(parts[1:] if len(parts) > 1 and parts[0].upper() == "LIVE" else parts)
