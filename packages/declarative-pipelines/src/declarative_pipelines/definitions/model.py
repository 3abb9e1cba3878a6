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
    """Whether two names are of one dataset."""
    return one.lower() == other.lower()


def find(name: str, names: Iterable[str]) -> str | None:
    """Return the spelling of a name among several names, or None."""
    return next((one for one in names if is_same(one, name)), None)


@dataclass(frozen=True)
class SourceLocation:
    """The location of a definition: a path or a cell's name, and the line of its decorator or statement, from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


class DatasetKind(Enum):
    """The kind of a dataset; the query of a ``TABLE`` decides between streaming table and materialized view."""

    TABLE = "table"
    STREAMING_TABLE = "streaming table"
    MATERIALIZED_VIEW = "materialized view"
    TEMPORARY_VIEW = "temporary view"
    SINK = "sink"


@dataclass(frozen=True)
class Namespace:
    """The catalog and schema of names of one part, defined or read; None: the pipeline's."""

    catalog: str | None = None
    database: str | None = None


class Violation(Enum):
    """The consequence for a row for which an expectation is not TRUE."""

    ALLOW = "warn"
    DROP = "drop"
    FAIL = "fail"


@dataclass(frozen=True)
class Expectation:
    """A condition over a dataset's rows.  A row meets it only if it is TRUE: NULL is a violation."""

    name: str
    constraint: str
    violation: Violation = Violation.ALLOW


@dataclass(frozen=True)
class ComputedColumn:
    """A column with ``GENERATED ALWAYS AS (expression)`` or ``DEFAULT expression``.

    A query may give another value for a default, but not for a generated column.
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

    Attributes
    ----------
    name
        As written, without ``LIVE.`` and without quotes; one to three parts.
    query
        None for a sink, and for a table that only flows write to (``create_streaming_table``).
    is_published
        Whether a view stays in the catalog.
    take_batch
        The function of a sink that takes each batch and its number.
    computed
        The columns of the schema that the query may omit.
    namespace
        The catalog and schema that ``USE`` has set in a SQL file.
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
        """Whether it is a table; views and sinks are not in the catalog."""
        return self.kind not in (DatasetKind.TEMPORARY_VIEW, DatasetKind.SINK)


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


@dataclass(frozen=True)
class ChangeFlow:
    """Changes of a source, merged into a streaming table by key (``apply_changes``, AUTO CDC).

    Attributes
    ----------
    source
        A dataset's name; its changes are read as a stream.
    keys, sequence_by
        The columns that identify a row, and the order of its changes.
    apply_as_deletes, apply_as_truncates
        Conditions over a change; None: never.
    columns, except_columns
        At most one of the two is given; None: all columns of the source.
    history_columns, history_except_columns
        SCD type 2: a new version begins where one of these changes; None: any column.
    ignore_null_updates
        Whether a NULL keeps the row's value: in all columns, in ``null_columns``, or in all but
        ``null_except_columns``.
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
    """The definitions of a pipeline's sources, in order."""

    datasets: list[Dataset] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    changes: list[ChangeFlow | SnapshotFlow] = field(default_factory=list)

    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset of a name, regardless of case, or None."""
        return next((dataset for dataset in self.datasets if is_same(dataset.name, name)), None)


def named(values: Sequence[Any] | None) -> tuple[Any, ...] | None:
    """Return a list of columns as the definitions hold it: None stays, a single one is a list of one."""
    if values is None:
        return None
    return (values,) if isinstance(values, str) else tuple(values)


def without_live(name: str) -> str:
    """Return a dataset's name without ``LIVE.`` before it and without its quotes."""
    parts = name.replace("`", "").split(".")
    return ".".join(parts[1:] if len(parts) > 1 and parts[0].upper() == "LIVE" else parts)
