"""The part of a pipeline that a test runs: the datasets that it names, and what they need that is not mocked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Definitions, find
from declarative_pipelines.errors import BadArgument, NotMocked
from declarative_pipelines.planning.flow_nodes import flows_of, suggestion
from declarative_pipelines.planning.plan import source_of

if TYPE_CHECKING:
    from declarative_pipelines.engine.spark_engine import FailedFlow, ResolvedFlow, ResolvedGraph, SparkEngine
    from declarative_pipelines.testing.redirected_reads import RedirectedNames
    from declarative_pipelines.updates.results import GraphKnown


def remove_mocked(definitions: Definitions, mocked: Collection[str]) -> Definitions:
    """Return the definitions without mocked datasets, whose tables the test has filled."""
    return only(definitions, [one.name for one in definitions.datasets if find(one.name, mocked) is None])


def replace_by_tables(definitions: Definitions, outputs: Collection[str]) -> Definitions:
    """Return the definitions with tables in place of sinks, and of views whose rows the test requests.

    Raises BadArgument for an output that the pipeline lacks.
    """
    names = [one.name for one in definitions.datasets]
    for output in outputs:
        if find(output, names) is None:
            raise BadArgument(
                f"The pipeline has no dataset {output}, or the test has mocked it.{suggestion(output, names)}"
            )
    definitions.datasets[:] = [_as_table(one, find(one.name, outputs) is not None) for one in definitions.datasets]
    return definitions


def required_part(engine: SparkEngine, definitions: Definitions, outputs: Collection[str]) -> frozenset[str]:
    """Return the outputs and all datasets that they read; without outputs, all.

    Errors of other datasets do not matter: unneeded ones may lack their tables.
    """
    if not outputs:
        return frozenset(one.name for one in definitions.datasets)
    flows = flows_of(definitions)
    graph = engine.resolve(definitions.datasets, [source_of(flow, engine) for flow in flows])
    inputs = _inputs(graph, {engine.full_name(one): one.name for one in definitions.datasets})
    needed, left = set(), [one.name for one in definitions.datasets if find(one.name, outputs)]
    while left:
        name = left.pop()
        if name not in needed:
            needed.add(name)
            left += [source for flow in flows if flow.target.name == name for source in inputs[flow.name]]
    return frozenset(needed)


def only(definitions: Definitions, needed: Collection[str]) -> Definitions:
    """Return the definitions of some datasets."""
    return Definitions(
        [one for one in definitions.datasets if one.name in needed],
        [one for one in definitions.flows if find(one.target, needed)],
        [one for one in definitions.changes if find(one.target, needed)],
        definitions.settings,
    )


def refuse_tables_of_others(known: GraphKnown, names: RedirectedNames) -> None:
    """Raise NotMocked if the pipeline reads a table that is neither its own nor the test's."""
    own = {dataset.name for dataset in known.datasets}
    for table, _ in known.edges:
        *around, _ = table.split(".")
        if table not in own and around and not names.has(around[-1]) and "/" not in table:
            raise NotMocked(f"the table {table}", f"pipeline.mock({table.removeprefix('spark_catalog.')!r}, rows)")


def _inputs(graph: ResolvedGraph, full: Mapping[str, str]) -> dict[str, set[str]]:
    found: dict[str, ResolvedFlow | FailedFlow] = {**graph.flows, **graph.failures}
    return {name: {full[one] for one in flow.inputs if one in full} for name, flow in found.items()}


def _as_table(dataset: Dataset, is_output: bool) -> Dataset:
    if dataset.kind is DatasetKind.SINK:
        return replace(dataset, kind=DatasetKind.STREAMING_TABLE, format=None, options={}, take_batch=None)
    if dataset.kind is DatasetKind.TEMPORARY_VIEW and is_output:
        return replace(dataset, kind=DatasetKind.TABLE)
    return dataset
