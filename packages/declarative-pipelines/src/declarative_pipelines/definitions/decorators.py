"""The names that ``import dlt`` and ``from pyspark import pipelines as dp`` give; each records one definition.

Supported: the names in :data:`NAMES`, with the arguments that the platform's documentation has.
Not supported: what :mod:`.definitions.registry` has a sentence about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

from declarative_pipelines.definitions import registry
from declarative_pipelines.definitions.model import (
    ChangeFlow,
    Dataset,
    DatasetKind,
    Expectation,
    Flow,
    SnapshotFlow,
    SourceLocation,
    Violation,
    named,
    without_live,
)
from declarative_pipelines.definitions.registry import location, location_of, register_definition
from declarative_pipelines.errors import BadDefinition

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

    Names = str | Sequence[str | Column]

Function = TypeVar("Function", bound=Callable[[], Any])

_EXPECTATIONS = "__pipeline_expectations__"
_NOTED = "__pipeline_datasets__"


class _TableDecorator(Protocol):
    """A decorator for the function that returns a table's frame, with arguments or without."""

    @overload
    def __call__(self, query_function: Function) -> Function: ...

    @overload
    def __call__(
        self,
        *,
        name: str | None = None,
        comment: str | None = None,
        spark_conf: Mapping[str, str] | None = None,
        table_properties: Mapping[str, str] | None = None,
        partition_cols: Sequence[str] | None = None,
        cluster_by: Sequence[str] | None = None,
        schema: StructType | str | None = None,
        format: str | None = None,
    ) -> Callable[[Function], Function]: ...


_TABLE = """Define {what}.

Parameters
----------
query_function : callable
    Returns the table's frame; its name is the table's.
name : str, optional
    Another name, with the schema and the catalog or without.
comment : str, optional
    The table's description in the catalog.
spark_conf : mapping, optional
    Settings of Spark while the query runs.
table_properties : mapping, optional
    Properties of the table.
partition_cols, cluster_by : sequence of str, optional
    The columns by which the files are partitioned or clustered.
schema : StructType or str, optional
    The columns; by default those of the frame.
format : str, optional
    The format of the files; Delta by default.
**platform
    Arguments of the platform: those that only tune its machinery are ignored, others raise.

Raises
------
BadDefinition
    An argument is unknown.
UnsupportedFeature
    An argument needs a feature of the platform.
"""


def _table_decorator(kind: DatasetKind, spelling: str, what: str) -> _TableDecorator:
    def decorator(
        query_function: Function | None = None,
        *,
        name: str | None = None,
        comment: str | None = None,
        spark_conf: Mapping[str, str] | None = None,
        table_properties: Mapping[str, str] | None = None,
        partition_cols: Sequence[str] | None = None,
        cluster_by: Sequence[str] | None = None,
        schema: StructType | str | None = None,
        format: str | None = None,
        **platform: Any,
    ) -> Function | Callable[[Function], Function]:
        details = _details(comment, spark_conf, table_properties, partition_cols, cluster_by, schema, format)
        return _dataset_decorator(kind, spelling, query_function, name, details, platform)

    decorator.__name__ = decorator.__qualname__ = spelling
    decorator.__doc__ = _TABLE.format(what=what)
    return cast(_TableDecorator, decorator)


table = _table_decorator(
    DatasetKind.TABLE,
    "table",
    "a streaming table or a materialized view, by the kind of frame that the function returns",
)
materialized_view = _table_decorator(
    DatasetKind.MATERIALIZED_VIEW, "materialized_view", "a materialized view by the function that returns its frame"
)


@overload
def temporary_view(query_function: Function) -> Function: ...


@overload
def temporary_view(
    *,
    name: str | None = None,
    comment: str | None = None,
    spark_conf: Mapping[str, str] | None = None,
) -> Callable[[Function], Function]: ...


def temporary_view(
    query_function: Function | None = None,
    *,
    name: str | None = None,
    comment: str | None = None,
    spark_conf: Mapping[str, str] | None = None,
    **platform: Any,
) -> Function | Callable[[Function], Function]:
    """Define a view that exists while the pipeline runs, by the function that returns its frame.

    Parameters
    ----------
    query_function : callable
        Returns the view's frame; its name is the view's.
    name : str, optional
        Another name.
    comment : str, optional
        A description.
    spark_conf : mapping, optional
        Settings of Spark while the query runs.
    **platform
        Arguments of the platform: those that only tune its machinery are ignored, others raise.

    Raises
    ------
    BadDefinition
        An argument is unknown.
    UnsupportedFeature
        An argument needs a feature of the platform.
    """
    details = _details(comment, spark_conf)
    return _dataset_decorator(DatasetKind.TEMPORARY_VIEW, "temporary_view", query_function, name, details, platform)


create_table = table
view = create_view = temporary_view


def _dataset_decorator(
    kind: DatasetKind,
    spelling: str,
    query_function: Function | None,
    name: str | None,
    details: Mapping[str, Any],
    platform: Mapping[str, Any],
) -> Function | Callable[[Function], Function]:
    def define(function: Function) -> Function:
        location = _location(function)
        registry.known(spelling, platform, location)
        chosen = without_live(name or function.__name__)
        expectations = tuple(vars(function).get(_EXPECTATIONS, ()))
        dataset = Dataset(chosen, kind, location, lambda session: function(), expectations, **details)
        # An expectation above this decorator comes later, and must find the dataset.
        vars(function).setdefault(_NOTED, []).append((register_definition(dataset), chosen))
        return function

    return define if query_function is None else define(query_function)


def _details(
    comment: str | None,
    spark_conf: Mapping[str, str] | None,
    table_properties: Mapping[str, str] | None = None,
    partition_cols: Sequence[str] | None = None,
    cluster_by: Sequence[str] | None = None,
    schema: StructType | str | None = None,
    format: str | None = None,
) -> dict[str, Any]:
    """Return a dataset's fields from the arguments that describe its table."""
    return {
        "comment": comment,
        "schema": schema,
        "partition_by": named(partition_cols) or (),
        "cluster_by": named(cluster_by) or (),
        "properties": {key: str(value) for key, value in (table_properties or {}).items()},
        "spark_conf": {key: str(value) for key, value in (spark_conf or {}).items()},
        "format": format,
    }


def _location(function: Callable[..., Any]) -> SourceLocation:
    code = getattr(function, "__code__", None)
    return location() if code is None else location_of(code.co_filename, code.co_firstlineno)


def expect(name: str, inv: str) -> Callable[[Function], Function]:
    """Count the rows that violate a condition, and keep them."""
    return _expectations(Violation.ALLOW, {name: inv})


def expect_or_drop(name: str, inv: str) -> Callable[[Function], Function]:
    """Count and drop the rows that violate a condition."""
    return _expectations(Violation.DROP, {name: inv})


def expect_or_fail(name: str, inv: str) -> Callable[[Function], Function]:
    """Fail the update at a row that violates a condition."""
    return _expectations(Violation.FAIL, {name: inv})


def expect_all(expectations: Mapping[str, str]) -> Callable[[Function], Function]:
    """Count the rows that violate any of several named conditions, and keep them."""
    return _expectations(Violation.ALLOW, expectations)


def expect_all_or_drop(expectations: Mapping[str, str]) -> Callable[[Function], Function]:
    """Count and drop the rows that violate any of several named conditions."""
    return _expectations(Violation.DROP, expectations)


def expect_all_or_fail(expectations: Mapping[str, str]) -> Callable[[Function], Function]:
    """Fail the update at a row that violates any of several named conditions."""
    return _expectations(Violation.FAIL, expectations)


def _expectations(violation: Violation, expectations: Mapping[str, str]) -> Callable[[Function], Function]:
    if not isinstance(expectations, Mapping):
        raise BadDefinition(location(), "expectations are a dictionary of a name and a condition each.")
    new = tuple(Expectation(name, str(condition), violation) for name, condition in expectations.items())

    def define(function: Function) -> Function:
        known: list[Expectation] = vars(function).setdefault(_EXPECTATIONS, [])
        for expectation in new:
            if any(one.name == expectation.name for one in known):
                problem = (
                    f"{function.__name__} has two expectations of the name {expectation.name!r}. Rename one of them."
                )
                raise BadDefinition(_location(function), problem)
        known[:0] = new  # decorators are applied from the last one upwards, and read from the first
        for definitions, name in vars(function).get(_NOTED, ()):  # datasets that it has defined already
            registry.change_dataset(definitions, name, lambda one: replace(one, expectations=tuple(known)))
        return function

    return define


def create_streaming_table(
    name: str,
    *,
    comment: str | None = None,
    spark_conf: Mapping[str, str] | None = None,
    table_properties: Mapping[str, str] | None = None,
    partition_cols: Sequence[str] | None = None,
    cluster_by: Sequence[str] | None = None,
    schema: StructType | str | None = None,
    format: str | None = None,
    expect_all: Mapping[str, str] | None = None,
    expect_all_or_drop: Mapping[str, str] | None = None,
    expect_all_or_fail: Mapping[str, str] | None = None,
    **platform: Any,
) -> None:
    """Define a streaming table without a query: flows write to it.

    Other parameters are those of :func:`table`.

    Parameters
    ----------
    name : str
        The table's name, with the schema and the catalog or without.
    expect_all, expect_all_or_drop, expect_all_or_fail : mapping, optional
        Conditions by name, and what happens to a row that violates one: it is counted, dropped, or fails the update.

    Raises
    ------
    BadDefinition
        An argument is unknown.
    UnsupportedFeature
        An argument needs a feature of the platform.
    """
    registry.known("create_streaming_table", platform, location())
    given = {
        Violation.ALLOW: expect_all,
        Violation.DROP: expect_all_or_drop,
        Violation.FAIL: expect_all_or_fail,
    }
    expectations = tuple(
        Expectation(one, str(condition), violation)
        for violation, conditions in given.items()
        for one, condition in (conditions or {}).items()
    )
    details = _details(comment, spark_conf, table_properties, partition_cols, cluster_by, schema, format)
    dataset = Dataset(without_live(name), DatasetKind.STREAMING_TABLE, location(), None, expectations, **details)
    register_definition(dataset)


create_streaming_live_table = create_target_table = create_streaming_table


def append_flow(
    *,
    target: str,
    name: str | None = None,
    once: bool = False,
    spark_conf: Mapping[str, str] | None = None,
    comment: str | None = None,
    **arguments: Any,
) -> Callable[[Function], Function]:
    """Define a flow that appends to a streaming table or a sink."""
    registry.known("append_flow", arguments, location())

    def define(function: Function) -> Function:
        flow = name or function.__name__
        conf = {key: str(value) for key, value in (spark_conf or {}).items()}
        register_definition(
            Flow(flow, without_live(target), lambda session: function(), _location(function), conf, once)
        )
        return function

    return define


def create_sink(name: str, format: str, options: Mapping[str, str] | None = None, **arguments: Any) -> None:
    """Define a sink: a place outside the catalog that flows append to."""
    registry.known("create_sink", arguments, location())
    said = {key: str(value) for key, value in (options or {}).items()}
    register_definition(Dataset(name, DatasetKind.SINK, location(), format=format, options=said))


def foreach_batch_sink(function: Callable[[DataFrame, int], None] | None = None, *, name: str | None = None) -> Any:
    """Define a sink by a function, which is called with each batch and its number.

    A batch may be repeated after a failure, and after a full refresh the numbers restart at 0, so the function must
    be idempotent.
    """

    def define(take: Callable[[DataFrame, int], None]) -> Callable[[DataFrame, int], None]:
        sink = Dataset(name or take.__name__, DatasetKind.SINK, _location(take), format="noop", take_batch=take)
        register_definition(sink)
        return take

    return define if function is None else define(function)


def create_auto_cdc_flow(
    target: str,
    source: str,
    keys: Names,
    sequence_by: str | Column | None = None,
    ignore_null_updates: bool = False,
    apply_as_deletes: str | Column | None = None,
    apply_as_truncates: str | Column | None = None,
    column_list: Names | None = None,
    except_column_list: Names | None = None,
    stored_as_scd_type: str | int = 1,
    track_history_column_list: Names | None = None,
    track_history_except_column_list: Names | None = None,
    name: str | None = None,
    once: bool = False,
    ignore_null_updates_column_list: Names | None = None,
    ignore_null_updates_except_column_list: Names | None = None,
    where: str | Column | None = None,
    **arguments: Any,
) -> None:
    """Define that the changes of a source are merged into a streaming table by key (``apply_changes``).

    As on the platform, ``where`` drops no changes: a change that violates it fails the update.
    """
    arguments = registry.known("create_auto_cdc_flow", arguments, location())
    if sequence_by is None:
        raise BadDefinition(location(), f"the change flow into {target} needs sequence_by, which orders its changes.")
    null_lists = ignore_null_updates_column_list, ignore_null_updates_except_column_list
    for one, other, words in (
        (column_list, except_column_list, "column_list and except_column_list"),
        (*null_lists, "ignore_null_updates_column_list and its opposite"),
        (track_history_column_list, track_history_except_column_list, "track_history_column_list and its opposite"),
    ):
        if one is not None and other is not None:
            raise BadDefinition(location(), f"{words} exclude each other: give one of the two.")
    register_definition(
        ChangeFlow(
            name or arguments.get("flow_name") or without_live(target),
            without_live(target),
            without_live(source),
            named(keys) or (),
            sequence_by,
            location(),
            _scd_type(stored_as_scd_type),
            apply_as_deletes,
            apply_as_truncates,
            named(column_list),
            named(except_column_list),
            named(track_history_column_list),
            named(track_history_except_column_list),
            ignore_null_updates or any(one is not None for one in null_lists),
            once,
            null_columns=named(null_lists[0]),
            null_except_columns=named(null_lists[1]),
            where=where,
        )
    )


apply_changes = create_auto_cdc_flow


def create_auto_cdc_from_snapshot_flow(
    target: str,
    source: str | Callable[[Any], Any] | None = None,
    keys: Names | None = None,
    stored_as_scd_type: str | int = 1,
    track_history_column_list: Names | None = None,
    track_history_except_column_list: Names | None = None,
    snapshot_and_version: str | Callable[[Any], Any] | None = None,
    **arguments: Any,
) -> None:
    """Define that snapshots of a source are compared with a streaming table (``apply_changes_from_snapshot``).

    ``snapshot_and_version`` is the older name of ``source``.
    """
    registry.known("create_auto_cdc_from_snapshot_flow", arguments, location())
    if source is not None and snapshot_and_version is not None:
        raise BadDefinition(location(), "snapshot_and_version is the older name of source: give one of the two.")
    source = snapshot_and_version if source is None else source
    if source is None or keys is None:
        missing = "source" if source is None else "keys"
        raise BadDefinition(location(), f"the snapshot flow into {target} needs {missing}=.")
    target = without_live(target)
    source = without_live(source) if isinstance(source, str) else source
    history = named(track_history_column_list), named(track_history_except_column_list)
    scd_type = _scd_type(stored_as_scd_type)
    register_definition(SnapshotFlow(target, target, source, named(keys) or (), location(), scd_type, *history))


apply_changes_from_snapshot = create_auto_cdc_from_snapshot_flow


def _scd_type(given: str | int) -> Any:
    if str(given) not in ("1", "2"):
        raise BadDefinition(location(), f"stored_as_scd_type={given!r}: there are the types 1 and 2.")
    return int(given)


def read(name: str) -> DataFrame:
    """Read a dataset as a batch, within a definition."""
    return _session().read.table(name)


def read_stream(name: str) -> DataFrame:
    """Read a dataset as a stream, within a definition."""
    return _session().readStream.table(name)


readStream = read_stream


def _session() -> SparkSession:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise BadDefinition(location(), "datasets are read within definitions, which are called while an update runs.")
    return session


#: What the two modules have.
NAMES = (
    "table", "create_table", "materialized_view", "view", "create_view", "temporary_view",
    "expect", "expect_all", "expect_or_drop", "expect_all_or_drop", "expect_or_fail", "expect_all_or_fail",
    "create_streaming_table", "create_streaming_live_table", "create_target_table",
    "append_flow", "create_sink", "foreach_batch_sink",
    "create_auto_cdc_flow", "apply_changes", "create_auto_cdc_from_snapshot_flow", "apply_changes_from_snapshot",
    "read", "read_stream", "readStream",
)  # fmt: skip
