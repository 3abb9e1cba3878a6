"""The flows of a pipeline, from its definitions: what each one writes to, how, and with which settings.

A dataset with a query has a flow of its own name; ``append_flow`` and change flows are flows into a dataset that was
defined without one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from declarative_pipelines.definitions.model import (
    ChangeFlow,
    Dataset,
    DatasetKind,
    Definitions,
    Flow,
    SnapshotFlow,
    SourceLocation,
)
from declarative_pipelines.errors import BadDefinition, UnsupportedFeature, did_you_mean

#: A property of each table that is replaced whole: others of its name are not the pipeline's to replace.
OWN_TABLE = "pipelines.way"


class FlowKind(Enum):
    """How a flow writes."""

    VIEW = "is read by others"
    APPEND = "appends a stream's batches"
    REPLACE = "replaces all rows"
    CHANGES = "merges changes"
    SNAPSHOT = "compares snapshots"


@dataclass(frozen=True)
class FlowNode:
    """A flow.

    Parameters
    ----------
    kind
        None until its query says whether it is a stream.
    definition
        What defines it; of a dataset with a query, the dataset.
    """

    name: str
    target: Dataset
    kind: FlowKind | None
    definition: Dataset | Flow | ChangeFlow | SnapshotFlow

    @property
    def location(self) -> SourceLocation:
        """Where it stands."""
        return self.definition.location

    @property
    def spark_conf(self) -> dict[str, str]:
        """Settings for its query: those of its target, and over them its own."""
        return {**self.target.spark_conf, **getattr(self.definition, "spark_conf", {})}

    @property
    def is_once(self) -> bool:
        """Whether it runs in one update only, and again after a full refresh."""
        return getattr(self.definition, "once", False)


def flows_of(definitions: Definitions) -> list[FlowNode]:
    """Return the flows of all definitions.

    Raises
    ------
    BadDefinition
        A name is taken twice, a target is not there or cannot be written to, or nothing writes to a dataset.
    """
    own = [
        FlowNode(dataset.name, dataset, _kind(dataset), dataset)
        for dataset in definitions.datasets
        if dataset.query is not None
    ]
    appended = [_appending(definitions, flow) for flow in definitions.flows]
    changing = [_changing(definitions, flow) for flow in definitions.changes]
    flows = [*own, *appended, *changing]
    _refuse_names_taken_twice(flows)
    _refuse_datasets_without_flows(definitions.datasets, flows)
    return flows


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return a sentence about the dataset that was probably meant, by the last part of a name; or nothing."""
    return did_you_mean(name.replace("`", "").split(".")[-1], names)


def _kind(dataset: Dataset) -> FlowKind | None:
    kinds = {
        DatasetKind.TEMPORARY_VIEW: FlowKind.VIEW,
        DatasetKind.MATERIALIZED_VIEW: FlowKind.REPLACE,
        DatasetKind.STREAMING_TABLE: FlowKind.APPEND,
    }
    return kinds.get(dataset.kind)


def _appending(definitions: Definitions, flow: Flow) -> FlowNode:
    target = _target(definitions, flow, (DatasetKind.STREAMING_TABLE, DatasetKind.TABLE, DatasetKind.SINK))
    if flow.once and target.kind is DatasetKind.SINK:
        problem = f"the flow {flow.name} is to run once, and {flow.target} is a sink, which cannot tell whether it did."
        raise UnsupportedFeature(flow.location, f"{problem} Append to a streaming table, or read the rows as a stream.")
    return FlowNode(flow.name, target, FlowKind.APPEND, flow)


def _changing(definitions: Definitions, flow: ChangeFlow | SnapshotFlow) -> FlowNode:
    kind = FlowKind.CHANGES if isinstance(flow, ChangeFlow) else FlowKind.SNAPSHOT
    target = _target(definitions, flow, (DatasetKind.STREAMING_TABLE,))
    if target.computed:
        problem = f"the change flow into {target.name} cannot compute its column {target.computed[0].name}"
        raise UnsupportedFeature(flow.location, f"{problem}. Compute the column in the flow's source.")
    return FlowNode(flow.name, target, kind, flow)


def _target(definitions: Definitions, flow: Any, kinds: tuple[DatasetKind, ...]) -> Dataset:
    dataset = definitions.dataset(flow.target)
    if dataset is None:
        names = [one.name for one in definitions.datasets]
        problem = f"the flow {flow.name} writes to {flow.target}, which is not there.{suggestion(flow.target, names)}"
        raise BadDefinition(flow.location, f"{problem} create_streaming_table({flow.target!r}) makes it.")
    if dataset.kind not in kinds:
        problem = f"the flow {flow.name} writes to {flow.target}, which is a {dataset.kind.value}"
        raise BadDefinition(flow.location, f"{problem}. create_streaming_table makes a dataset that flows write to.")
    return dataset


def _refuse_names_taken_twice(flows: list[FlowNode]) -> None:
    first: dict[str, FlowNode] = {}
    for flow in flows:
        if flow.kind is FlowKind.CHANGES or flow.kind is FlowKind.SNAPSHOT:
            continue  # several may write to one target, and none is read by its name
        taken = first.setdefault(flow.name.lower(), flow)
        if taken is not flow:
            problem = f"the name {flow.name} of a flow is taken, by {taken.location}. Give one of the two another name."
            raise BadDefinition(flow.location, problem)


def _refuse_datasets_without_flows(datasets: Iterable[Dataset], flows: list[FlowNode]) -> None:
    written = {flow.target.name for flow in flows}
    for dataset in datasets:
        if dataset.name not in written and dataset.kind is not DatasetKind.SINK:
            problem = f"nothing writes to {dataset.name}. Give it an append_flow or a change flow, or take it out."
            raise BadDefinition(dataset.location, problem)
