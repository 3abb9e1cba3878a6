"""A pipeline's plan: what each dataset reads, which kind it is, and the order in which flows run.

Spark's engine calls each definition and says what it reads; what is wrong with a definition is said here, at its line.

Generated columns and defaults are computed by the flow, since Spark's engine knows neither.  The table's rows are those
that Delta would have computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from declarative_pipelines.definitions.clauses import read_schema
from declarative_pipelines.definitions.model import (
    ChangeFlow,
    Dataset,
    DatasetKind,
    Definitions,
    Namespace,
    SnapshotFlow,
)
from declarative_pipelines.definitions.queries import how_to_map
from declarative_pipelines.engine.auto_cdc import target_schema
from declarative_pipelines.engine.change_rows import END, START, quoted
from declarative_pipelines.engine.session import without_interception
from declarative_pipelines.engine.spark_engine import FlowSource, ResolvedFlow, ResolvedGraph, SparkEngine
from declarative_pipelines.errors import BadDefinition, PipelineError
from declarative_pipelines.updates.expectations import apply_expectations, validate
from declarative_pipelines.updates.flow_nodes import FlowKind, FlowNode, Selection, explain_failure, flows_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def parse_schemas(definitions: Definitions) -> None:
    """Remove keys and computed columns from the schemas, so that Spark can parse them."""
    for number, dataset in enumerate(definitions.datasets):
        if isinstance(dataset.schema, str):
            try:
                columns = read_schema(dataset.schema)
            except BadDefinition as error:
                problem = f"the schema of {dataset.name}: {error.problem}"
                raise BadDefinition(dataset.location, problem) from None
            if columns.schema != dataset.schema:
                parsed = replace(dataset, schema=columns.schema, computed=columns.computed)
                definitions.datasets[number] = parsed


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
    def edges(self) -> list[tuple[str, str]]:
        """The reads of all flows, sorted: a dataset, or a table's full name outside the pipeline, and its reader."""
        found = {
            (source, flow.target.name)
            for flow in self.flows
            for source in self.inputs[flow.name] | self.tables[flow.name]
        }
        return sorted(found)

    def select(self, asked: Selection) -> list[FlowNode]:
        """Return the flows to run, each after the flows that it reads."""
        chosen = [flow for flow in self.flows if flow.kind is not FlowKind.VIEW and asked.has(flow)]
        return sorted(chosen, key=lambda flow: len(self.before(flow)))

    def before(self, flow: FlowNode) -> frozenset[str]:
        """Return the flows that must end before this one begins, through views as well."""
        read, _ = self.reads(flow)
        writers = (one for one in self.flows if one.target.name in read and one.kind is not FlowKind.VIEW)
        return frozenset(one.name for one in writers) - {flow.name}

    def reads(self, flow: FlowNode) -> tuple[set[str], set[str]]:
        """Return the datasets of the pipeline and the tables outside it that a flow reads, through views as well."""
        views = {one.target.name: one.name for one in self.flows if one.kind is FlowKind.VIEW}
        datasets: set[str] = set()
        tables: set[str] = set()
        left = [flow.name]
        while left:
            name = left.pop()
            tables |= self.tables[name]
            left += [views[one] for one in self.inputs[name] - datasets if one in views]
            datasets |= self.inputs[name]
        return datasets, tables


def plan(engine: SparkEngine, definitions: Definitions) -> PipelinePlan:
    """Return the plan of a pipeline; PipelineError for a wrong definition, with its location."""
    flows = flows_of(definitions)
    taken: dict[str, Dataset] = {}
    for dataset in definitions.datasets:
        full_name = engine.full_name(dataset)
        if dataset.is_in_catalog and not engine.has_catalog_of(dataset):
            raise BadDefinition(dataset.location, f"{dataset.name}: {how_to_map(full_name.split('.')[0])}")
        first = taken.setdefault(full_name.lower(), dataset)
        if first is not dataset:
            problem = f"{dataset.name} and {first.name}, by {first.location}, are one table. Rename one of the two."
            raise BadDefinition(dataset.location, problem)
    graph = engine.resolve(definitions.datasets, [source_of(flow, engine) for flow in flows])
    names = {engine.full_name(dataset): dataset.name for dataset in definitions.datasets}
    resolved = graph.flows
    if any(flow.error is not None for flow in resolved.values()):
        raise _reason(engine, flows, resolved, names)
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


def source_of(flow: FlowNode, engine: SparkEngine) -> FlowSource:
    """Return a flow for the engine, with the function that makes its frame."""
    makers = {FlowKind.CHANGES: _changes, FlowKind.SNAPSHOT: _snapshot}
    return FlowSource(
        flow.name,
        flow.target.name,
        makers.get(flow.kind, _query)(flow, engine),
        flow.spark_conf,
        flow.target.is_in_catalog,
        namespace=getattr(flow.definition, "namespace", Namespace()),
        is_once=flow.is_once,
    )


def _query(flow: FlowNode, engine: SparkEngine) -> Callable[[], DataFrame]:
    """Return the function that makes a query's frame, with the target's computed columns and expectations."""
    target = flow.target

    def make() -> DataFrame:
        from pyspark.sql import DataFrame

        frame = flow.definition.query(engine.session)  # type: ignore[union-attr]
        if not isinstance(frame, DataFrame):
            problem = f"{flow.name} returns {type(frame).__name__}, and must return a frame"
            raise BadDefinition(flow.location, f"{problem}{': a return is missing' if frame is None else ''}.")
        if target.kind is DatasetKind.SINK or (flow.kind is FlowKind.VIEW and not target.expectations):
            return frame
        frame = _with_computed(frame, target)
        if not engine.is_running:
            validate(frame, target.name, target.expectations, target.location)
        return apply_expectations(frame, target.name, flow.name, target.expectations)

    return make


def _with_computed(frame: DataFrame, dataset: Dataset) -> DataFrame:
    """Return the frame with the computed columns that it lacks.

    As in Delta, a generated column of the query whose value differs from the expression fails the update.
    """
    from pyspark.sql import functions as F

    for column in dataset.computed:
        value = F.expr(f"CAST((\n{column.expression}\n) AS {column.kind})")
        if column.name.lower() not in {name.lower() for name in frame.columns}:
            frame = frame.withColumn(column.name, value)
        elif not column.is_default:
            given = F.col(quoted(column.name)).cast(column.kind)
            text = f"A row of {dataset.name} has another {column.name} than its expression, {column.expression},"
            wrong = F.raise_error(F.lit(f"{text} generates.")).cast(column.kind)
            frame = frame.withColumn(column.name, F.when(given.eqNullSafe(value), given).otherwise(wrong))
    return frame


def _changes(node: FlowNode, engine: SparkEngine) -> Callable[[], DataFrame]:
    """Return the function of a change flow: the target's columns while it is resolved, the source's rows afterwards."""
    flow, target = cast(ChangeFlow, node.definition), node.target

    def make() -> DataFrame:
        from pyspark.sql import functions as F

        frame = (engine.session.read if node.is_once else engine.session.readStream).table(flow.source)
        if engine.is_running:
            return apply_expectations(frame, target.name, flow.name, target.expectations)
        validate(frame, target.name, target.expectations, target.location)
        fields = target_schema(flow, frame)
        return frame.select(*[F.lit(None).cast(field.dataType).alias(field.name) for field in fields])

    return make


def _snapshot(node: FlowNode, engine: SparkEngine) -> Callable[[], DataFrame]:
    """Return the function of a snapshot flow: the target's columns while it is resolved, the source afterwards."""
    flow, session = cast(SnapshotFlow, node.definition), engine.session

    def columns(frame: DataFrame, kind: str) -> DataFrame:
        from pyspark.sql import functions as F

        times = [F.lit(None).cast(kind).alias(name) for name in (START, END)]
        return frame.select("*", *times).limit(0) if flow.scd_type == 2 else frame.limit(0)

    def make() -> DataFrame:
        if isinstance(flow.source, str):
            frame = session.read.table(flow.source)
            return frame if engine.is_running else columns(frame, "timestamp")
        with without_interception():
            table = engine.quoted(node.target)
            if session.catalog.tableExists(table):
                return session.table(table).limit(0)
            newest = flow.source(None)
            if newest is None:
                raise BadDefinition(flow.location, f"the first snapshot of {flow.target} is not there yet.")
            frame, version = newest
            kind = session.createDataFrame([(version,)], ["v"]).schema[0].dataType.simpleString()
            return columns(frame, kind)

    return make


def _with_kind(flow: FlowNode, resolved: ResolvedFlow) -> FlowNode:
    """Return a flow with the kind of its query; BadDefinition if it contradicts the definition."""
    name = flow.target.name
    if flow.target.is_published and resolved.is_streaming:
        problem = f"the view {name} reads a stream, which a view in the catalog cannot."
        raise BadDefinition(flow.location, f"{problem} Read without STREAM, or write CREATE TEMPORARY VIEW.")
    if flow.kind is None:
        return replace(flow, kind=FlowKind.APPEND if resolved.is_streaming else FlowKind.REPLACE)
    if flow.is_once:
        if resolved.is_streaming:
            problem = f"the flow {flow.name} is to run once, and reads a stream."
            instead = "Read with spark.read, or without STREAM in SQL, or leave out once."
            raise BadDefinition(flow.location, f"{problem} {instead}")
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


def _kind(flow: FlowNode) -> DatasetKind:
    if flow.target.kind is not DatasetKind.TABLE:
        return flow.target.kind
    return DatasetKind.STREAMING_TABLE if flow.kind is FlowKind.APPEND else DatasetKind.MATERIALIZED_VIEW


def _reason(
    engine: SparkEngine, flows: list[FlowNode], resolved: Mapping[str, ResolvedFlow], names: Mapping[str, str]
) -> PipelineError:
    """Return the error of the first flow that failed by itself, or the circle of flows that wait for each other."""
    failed = [flow for flow in flows if resolved[flow.name].error is not None]
    for flow in failed:
        if not resolved[flow.name].waits:
            tables = engine.session.catalog.listTables(engine.database)
            known = [*names.values(), *(table.name for table in tables)]
            return explain_failure(resolved[flow.name].error, flow, known)
    by_target = {flow.target.name: flow for flow in failed}
    chain: list[str] = []
    name = next(iter(by_target))
    while name not in chain:
        chain.append(name)
        inputs = sorted(names.get(one, one) for one in resolved[by_target[name].name].inputs)
        name = next((one for one in inputs if one in by_target), name)
    said = " reads ".join([*chain[chain.index(name) :], name])
    return BadDefinition(by_target[name].location, f"these datasets read each other in a circle: {said}. One must not.")
