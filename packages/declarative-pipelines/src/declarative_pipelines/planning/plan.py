"""A pipeline's plan: what each dataset reads, which kind it is, and the order in which flows run.

Spark's engine calls each definition and says what it reads; what is wrong with a definition is said here, at its line.

Generated columns and defaults are computed by the flow, since Spark's engine knows neither.  The table's rows are those
that Delta would have computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from declarative_pipelines.changes.auto_cdc import target_schema
from declarative_pipelines.changes.change_rows import quoted
from declarative_pipelines.definitions.model import (
    ChangeFlow,
    Dataset,
    DatasetKind,
    Definitions,
    Namespace,
    SnapshotFlow,
)
from declarative_pipelines.engine import dataset_reads
from declarative_pipelines.engine.spark_engine import FailedFlow, FlowSource, ResolvedFlow, ResolvedGraph, SparkEngine
from declarative_pipelines.errors import BadDefinition, PipelineError
from declarative_pipelines.planning.expectations import apply_expectations, validate
from declarative_pipelines.planning.flow_nodes import FlowKind, FlowNode, explain_failure, flows_of
from declarative_pipelines.sql.columns import read_schema
from declarative_pipelines.sql.parameters import how_to_map
from declarative_pipelines.sql.token_reader import SqlError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame

    from declarative_pipelines.definitions.model import ComputedColumn, Dataset


def with_computed(frame: DataFrame, dataset: Dataset) -> DataFrame:
    """Return the frame with the computed columns that it lacks.

    As in Delta, a generated column of the query whose value differs from the expression fails the update.
    """
    from pyspark.sql import functions as F

    for column in dataset.computed:
        value = F.expr(f"CAST((\n{column.expression}\n) AS {column.kind})")
        if column.name.lower() not in {name.lower() for name in frame.columns}:
            frame = frame.withColumn(column.name, value)
        elif not column.is_default:
            frame = frame.withColumn(column.name, _with_constraint_check(column, value, dataset))
    return frame


def _with_constraint_check(column: ComputedColumn, value: Column, dataset: Dataset) -> Column:
    from pyspark.sql import functions as F

    given = F.col(quoted(column.name)).cast(column.kind)
    text = f"A row of {dataset.name} has another {column.name} than its expression, {column.expression}, generates."
    return F.when(given.eqNullSafe(value), given).otherwise(F.raise_error(F.lit(text)).cast(column.kind))


def parse_schemas(definitions: Definitions) -> None:
    """Remove keys and computed columns from the schemas, so that Spark can parse them."""
    definitions.datasets[:] = [_parsed(dataset) for dataset in definitions.datasets]


def _parsed(dataset: Dataset) -> Dataset:
    if not isinstance(dataset.schema, str):
        return dataset
    try:
        columns = read_schema(dataset.schema)
    except SqlError as error:
        raise BadDefinition(dataset.location, f"the schema of {dataset.name}: {error.problem}") from None
    if columns.schema == dataset.schema:
        return dataset
    return replace(dataset, schema=columns.schema, computed=columns.computed)


@dataclass(frozen=True)
class Edge:
    """A read: of another dataset, or of a table outside the pipeline, by its full name."""

    source: str
    target: str


@dataclass(frozen=True)
class PipelinePlan:
    """The plan of an update: all flows and datasets with their kinds, and the inputs of each flow.

    ``inputs`` are datasets of the pipeline, ``tables`` the tables outside it.
    """

    definitions: Definitions
    engine: SparkEngine
    graph: ResolvedGraph
    flows: tuple[FlowNode, ...]
    kinds: Mapping[str, DatasetKind]
    inputs: Mapping[str, frozenset[str]]
    tables: Mapping[str, frozenset[str]]

    @property
    def edges(self) -> list[Edge]:
        """The reads of all flows, sorted."""
        found = {
            (source, flow.target.name)
            for flow in self.flows
            for source in self.inputs[flow.name] | self.tables[flow.name]
        }
        return [Edge(source, target) for source, target in sorted(found)]

    def before(self, flow: FlowNode) -> frozenset[str]:
        """Return the flows that must end before this one begins, through views as well."""
        writers: dict[str, set[str]] = {}
        for one in self.flows:
            writers.setdefault(one.target.name, set()).add(one.name)
        by_name = {one.name: one for one in self.flows}
        found: set[str] = set()
        left = [name for dataset in self.inputs[flow.name] for name in writers[dataset]]
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                views = by_name[name].kind is FlowKind.VIEW
                left += [one for dataset in self.inputs[name] for one in writers[dataset]] if views else []
        return frozenset(name for name in found if by_name[name].kind is not FlowKind.VIEW) - {flow.name}


def plan(engine: SparkEngine, definitions: Definitions) -> PipelinePlan:
    """Return the plan of a pipeline; PipelineError for a wrong definition, with its location."""
    flows = flows_of(definitions)
    _refuse_unknown_catalogs(engine, definitions)
    _refuse_one_table_twice(engine, definitions)
    graph = engine.resolve(definitions.datasets, [source_of(flow, engine) for flow in flows])
    names = {engine.full_name(dataset): dataset.name for dataset in definitions.datasets}
    if graph.failures:
        raise _reason(engine, flows, graph.failures, names)
    resolved = graph.flows
    flows = [_with_kind(flow, resolved[flow.name]) for flow in flows]
    return PipelinePlan(
        definitions,
        engine,
        graph,
        tuple(flows),
        {flow.target.name: _kind(flow) for flow in flows}
        | {one.name: one.kind for one in definitions.datasets if one.kind is DatasetKind.SINK},
        {name: frozenset(names[one] for one in flow.inputs if one in names) for name, flow in resolved.items()},
        {name: flow.tables for name, flow in resolved.items()},
    )


def _refuse_unknown_catalogs(engine: SparkEngine, definitions: Definitions) -> None:
    for dataset in definitions.datasets:
        if dataset.is_in_catalog and not engine.has_catalog_of(dataset):
            catalog, _, _ = engine.full_name(dataset).split(".")
            raise BadDefinition(dataset.location, f"{dataset.name}: {how_to_map(catalog)}")


def _refuse_one_table_twice(engine: SparkEngine, definitions: Definitions) -> None:
    taken: dict[str, Dataset] = {}
    for dataset in definitions.datasets:
        first = taken.setdefault(engine.full_name(dataset).lower(), dataset)
        if first is not dataset:
            problem = f"{dataset.name} and {first.name}, by {first.location}, are one table. Rename one of the two."
            raise BadDefinition(dataset.location, problem)


def source_of(flow: FlowNode, engine: SparkEngine) -> FlowSource:
    """Return a flow for the engine."""
    namespace = getattr(flow.definition, "namespace", Namespace())
    make = _MADE.get(flow.kind, _checked)(flow, engine)
    return FlowSource(
        flow.name,
        flow.target.name,
        make,
        flow.spark_conf,
        flow.target.is_in_catalog,
        namespace=namespace,
        is_once=flow.is_once,
    )


def _checked(flow: FlowNode, engine: SparkEngine) -> Callable[[], DataFrame]:
    target = flow.target

    def make() -> DataFrame:
        frame = _frame_of(flow, flow.definition.query(engine.session))  # type: ignore[union-attr]
        if target.kind is DatasetKind.SINK or (flow.kind is FlowKind.VIEW and not target.expectations):
            return frame
        frame = with_computed(frame, target)
        if not engine.is_running:
            validate(frame, target.name, target.expectations, target.location)
        return apply_expectations(frame, target.name, flow.name, target.expectations)

    return make


def _frame_of(flow: FlowNode, frame: object) -> DataFrame:
    from pyspark.sql import DataFrame

    if isinstance(frame, DataFrame):
        return frame
    problem = f"{flow.name} returns {type(frame).__name__}, and must return a frame"
    raise BadDefinition(flow.location, f"{problem}{': a return is missing' if frame is None else ''}.")


class _Changes:
    """The frame of a change flow: the target's columns while it is resolved, the source's rows while it runs."""

    def __init__(self, flow: FlowNode, engine: SparkEngine) -> None:
        self._flow, self._engine = flow, engine

    def __call__(self) -> DataFrame:
        from pyspark.sql import functions as F

        flow = cast(ChangeFlow, self._flow.definition)
        target, session = self._flow.target, self._engine.session
        frame = (session.read if self._flow.is_once else session.readStream).table(flow.source)
        if self._engine.is_running:
            return apply_expectations(frame, target.name, flow.name, target.expectations)
        validate(frame, target.name, target.expectations, target.location)
        fields = target_schema(flow, frame)
        return frame.select(*[F.lit(None).cast(field.dataType).alias(field.name) for field in fields])


class _Snapshot:
    """The frame of a snapshot flow: the target's columns while it is resolved, the source while it runs."""

    def __init__(self, flow: FlowNode, engine: SparkEngine) -> None:
        self._flow, self._engine = flow, engine

    def __call__(self) -> DataFrame:
        flow = cast(SnapshotFlow, self._flow.definition)
        session = self._engine.session
        if isinstance(flow.source, str):
            frame = session.read.table(flow.source)
            return frame if self._engine.is_running else _with_times(frame, flow, "timestamp")
        with dataset_reads.without_interception():
            table = self._engine.quoted(self._flow.target)
            if session.catalog.tableExists(table):
                return session.table(table).limit(0)
            newest = flow.source(None)
            if newest is None:
                raise BadDefinition(flow.location, f"the first snapshot of {flow.target} is not there yet.")
            frame, version = newest
            return _with_times(
                frame, flow, session.createDataFrame([(version,)], ["v"]).schema[0].dataType.simpleString()
            )


def _with_times(frame: DataFrame, flow: SnapshotFlow, kind: str) -> DataFrame:
    from pyspark.sql import functions as F

    times = [F.lit(None).cast(kind).alias(name) for name in ("__START_AT", "__END_AT")]
    return frame.select("*", *times).limit(0) if flow.scd_type == 2 else frame.limit(0)


#: What makes the function behind a flow whose frame is not simply its query.
_MADE: dict[FlowKind | None, Callable[[FlowNode, SparkEngine], Callable[[], DataFrame]]] = {
    FlowKind.CHANGES: _Changes,
    FlowKind.SNAPSHOT: _Snapshot,
}


def _with_kind(flow: FlowNode, resolved: ResolvedFlow) -> FlowNode:
    """Return a flow with the kind of its query; BadDefinition if it contradicts the definition."""
    name = flow.target.name
    if flow.target.is_published and resolved.is_streaming:
        problem = f"the view {name} reads a stream, which a view in the catalog cannot."
        raise BadDefinition(flow.location, f"{problem} Read without STREAM, or write CREATE TEMPORARY VIEW.")
    if flow.kind is None:
        return replace(flow, kind=FlowKind.APPEND if resolved.is_streaming else FlowKind.REPLACE)
    if flow.is_once:
        _refuse_stream(flow, resolved)
        return flow
    if flow.kind is FlowKind.APPEND and not resolved.is_streaming:
        problem = f"{name} is a {flow.target.kind.value}, and the query of {flow.name} is no stream."
        raise BadDefinition(
            flow.location, f"{problem} Read with spark.readStream, or STREAM in SQL, or make it a materialized view."
        )
    if flow.kind is FlowKind.REPLACE and resolved.is_streaming:
        problem = f"{name} is a materialized view, and its query is a stream."
        raise BadDefinition(flow.location, f"{problem} Read with spark.read, or make it a streaming table.")
    return flow


def _refuse_stream(flow: FlowNode, resolved: ResolvedFlow) -> None:
    """Raise BadDefinition if a flow that runs once reads a stream."""
    if resolved.is_streaming:
        problem = f"the flow {flow.name} is to run once, and reads a stream."
        raise BadDefinition(
            flow.location, f"{problem} Read with spark.read, or without STREAM in SQL, or leave out once."
        )


def _kind(flow: FlowNode) -> DatasetKind:
    if flow.target.kind is not DatasetKind.TABLE:
        return flow.target.kind
    return DatasetKind.STREAMING_TABLE if flow.kind is FlowKind.APPEND else DatasetKind.MATERIALIZED_VIEW


def _reason(
    engine: SparkEngine, flows: list[FlowNode], failures: Mapping[str, FailedFlow], names: Mapping[str, str]
) -> PipelineError:
    """Return the error of the first flow that failed by itself, or the circle of flows that wait for each other."""
    for flow in flows:
        failed = failures.get(flow.name)
        if failed is not None and not failed.waits:
            return explain_failure(failed.error, flow, _known_names(engine, names))
    return _circle(flows, failures, names)


def _known_names(engine: SparkEngine, names: Mapping[str, str]) -> list[str]:
    tables = engine.session.catalog.listTables(engine.database)
    return [*names.values(), *(table.name for table in tables)]


def _circle(flows: list[FlowNode], failures: Mapping[str, FailedFlow], names: Mapping[str, str]) -> BadDefinition:
    by_target = {flow.target.name: flow for flow in flows if flow.name in failures}
    chain: list[str] = []
    name = next(iter(by_target))
    while name not in chain:
        chain.append(name)
        inputs = sorted(names.get(one, one) for one in failures[by_target[name].name].inputs)
        name = next((one for one in inputs if one in by_target), name)
    circle = [*chain[chain.index(name) :], name]
    said = " reads ".join(circle)
    return BadDefinition(by_target[name].location, f"these datasets read each other in a circle: {said}. One must not.")
