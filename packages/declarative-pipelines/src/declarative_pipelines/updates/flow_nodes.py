"""The flows of a pipeline, from its definitions: what each one writes to and how, which an update runs, why one failed.

A dataset with a query has a flow of its own name; ``append_flow`` and change flows are flows into a dataset that was
defined without one.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from typing import Any

from declarative_pipelines.definitions.model import (
    ChangeFlow,
    Dataset,
    DatasetKind,
    Definitions,
    Flow,
    SnapshotFlow,
    SourceLocation,
    find,
    without_live,
)
from declarative_pipelines.definitions.queries import how_to_map
from declarative_pipelines.definitions.registry import location_of
from declarative_pipelines.errors import (
    BadArgument,
    BadDefinition,
    FlowFailed,
    PipelineError,
    UnsupportedFeature,
    did_you_mean,
    innermost_message,
    unset_key,
)
from declarative_pipelines.updates.expectations import violation
from streaming_base.errors import ExplainedError, short_message

_NOT_FOUND = re.compile(r"\[TABLE_OR_VIEW_NOT_FOUND[^\]]*\] The table or view (\S+) cannot be found")
_NO_CATALOG = re.compile(r"\[REQUIRES_SINGLE_PART_NAMESPACE\].*?, but got (?:identifier )?`?([^`.\s]+)")
_ROWS_WERE_CHANGED = re.compile(
    r"DELTA_SOURCE_TABLE_IGNORE_CHANGES|DELTA_SOURCE_IGNORE_DELETE|UNSUPPORTED_DELTA_SOURCE"
)
_RESET_ALLOWED = "pipelines.reset.allowed"
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


def explain_failure(error: BaseException, flow: FlowNode, known: Iterable[str] = ()) -> PipelineError:
    """Return the error of a flow that could not be resolved, with a hint from the ``known`` names."""
    if isinstance(error, PipelineError):
        return error
    text = short_message(error)
    if key := unset_key(error):
        sentence = f"{flow.name}: {key}"
    elif found := _NO_CATALOG.search(text):
        sentence = f"{flow.name}: {how_to_map(found[1])}"
    elif found := _NOT_FOUND.search(text):
        name = found[1].replace("`", "")
        sentence = f"{flow.name} reads {name}, which is neither a dataset of the pipeline nor a table."
        sentence += suggestion(name, known)
    elif isinstance(error, ExplainedError):
        sentence = f"{flow.name}: {text}"
    else:
        kind = "" if text.startswith("[") else f"{type(error).__name__}: "
        sentence = f"{flow.name} cannot be planned. {kind}{text}{_hint(error, flow)}"
    return _caused(BadDefinition(_line_of(error, flow), sentence), error)


def failed(error: BaseException, flow: FlowNode) -> PipelineError:
    """Return why a flow failed while it ran."""
    if isinstance(error, PipelineError):
        return error
    met = violation(str(error))
    return _caused(met or FlowFailed(flow.target.name, flow.name, innermost_message(error) + _hint(error, flow)), error)


def _hint(error: BaseException, flow: FlowNode) -> str:
    """Return the fix, after a blank, for an error that names only the problem."""
    if _ROWS_WERE_CHANGED.search(str(error)):
        return (
            f" Rows that {flow.name} reads as a stream were changed or removed, as by a full refresh. "
            f"Refresh {flow.target.name} in full as well, or read with the option skipChangeCommits."
        )
    missing = _NO_MODULE.search(str(error))
    if missing and find_spec(missing[1]):  # which this process has
        return (
            f" Spark's workers run a Python that has no {missing[1]}. Activate this Python's virtual environment, or "
            f"set PYSPARK_PYTHON={sys.executable}, before the session starts."
        )
    return ""


def _caused(sentence: PipelineError, error: BaseException) -> PipelineError:
    sentence.__cause__ = error
    return sentence


def _line_of(error: BaseException, flow: FlowNode) -> SourceLocation:
    """Return the line of the definition's file that the error comes from; else where the definition begins."""
    steps = traceback.walk_tb(error.__traceback__)
    locations = [location_of(frame.f_code.co_filename, line) for frame, line in steps]
    return [flow.location, *(one for one in locations if one.file == flow.location.file)][-1]


#: A property of each table that is replaced whole: others of its name are not the pipeline's to replace.
OWN_TABLE = "pipelines.way"


class FlowKind(Enum):
    """How a flow writes."""

    VIEW = "is read by others"
    APPEND = "appends a stream's batches"
    REPLACE = "replaces all rows"
    CHANGES = "merges changes"
    SNAPSHOT = "compares snapshots"


_KINDS = {
    DatasetKind.TEMPORARY_VIEW: FlowKind.VIEW,
    DatasetKind.MATERIALIZED_VIEW: FlowKind.REPLACE,
    DatasetKind.STREAMING_TABLE: FlowKind.APPEND,
}


@dataclass(frozen=True)
class FlowNode:
    """A flow; its kind is None until its query is resolved, and ``definition`` is its dataset or flow."""

    name: str
    target: Dataset
    kind: FlowKind | None
    definition: Dataset | Flow | ChangeFlow | SnapshotFlow

    @property
    def location(self) -> SourceLocation:
        return self.definition.location

    @property
    def spark_conf(self) -> dict[str, str]:
        """The settings of its query: those of its target, overridden by its own."""
        return {**self.target.spark_conf, **getattr(self.definition, "spark_conf", {})}

    @property
    def is_once(self) -> bool:
        """Whether it runs in one update only, and again after a full refresh."""
        return getattr(self.definition, "once", False)


def flows_of(definitions: Definitions) -> list[FlowNode]:
    """Return the flows of all definitions.

    Raises BadDefinition for a duplicate name, a missing or wrong target, and a dataset without a flow.
    """
    flows = [
        FlowNode(dataset.name, dataset, _KINDS.get(dataset.kind), dataset)
        for dataset in definitions.datasets
        if dataset.query is not None
    ]
    for flow in definitions.flows:
        target = _target(definitions, flow, (DatasetKind.STREAMING_TABLE, DatasetKind.TABLE, DatasetKind.SINK))
        if flow.once and target.kind is DatasetKind.SINK:
            problem = f"the flow {flow.name} is to run once, and {flow.target} is a sink, which cannot tell whether it"
            instead = "Append to a streaming table, or read the rows as a stream."
            raise UnsupportedFeature(flow.location, f"{problem} did. {instead}")
        flows.append(FlowNode(flow.name, target, FlowKind.APPEND, flow))
    first: dict[str, FlowNode] = {}
    for node in flows:
        taken = first.setdefault(node.name.lower(), node)
        if taken is not node:
            problem = f"the name {node.name} of a flow is taken, by {taken.location}. Give one of the two another name."
            raise BadDefinition(node.location, problem)
    # Several change flows may write to one target, and none is read by its name.
    for change in definitions.changes:
        kind = FlowKind.CHANGES if isinstance(change, ChangeFlow) else FlowKind.SNAPSHOT
        target = _target(definitions, change, (DatasetKind.STREAMING_TABLE,))
        if target.computed:
            problem = f"the change flow into {target.name} cannot compute its column {target.computed[0].name}"
            raise UnsupportedFeature(change.location, f"{problem}. Compute the column in the flow's source.")
        flows.append(FlowNode(change.name, target, kind, change))
    written = {flow.target.name for flow in flows}
    for dataset in definitions.datasets:
        if dataset.name not in written and dataset.kind is not DatasetKind.SINK:
            problem = f"nothing writes to {dataset.name}. Give it an append_flow or a change flow, or take it out."
            raise BadDefinition(dataset.location, problem)
    return flows


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return a sentence about the closest dataset, by the last part of a name, or an empty string."""
    return did_you_mean(name.replace("`", "").split(".")[-1], names)


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


@dataclass(frozen=True)
class Selection:
    """The datasets that an update refreshes; without names, all."""

    refresh: frozenset[str] = frozenset()
    full_refresh: frozenset[str] = frozenset()
    full_refresh_all: bool = False

    @classmethod
    def of(cls, refresh: str | Iterable[str], full_refresh: str | Iterable[str], everything: bool) -> Selection:
        """Return the selection of one name or several."""

        def names(given: str | Iterable[str]) -> frozenset[str]:
            return frozenset(without_live(name) for name in ([given] if isinstance(given, str) else given))

        return cls(names(refresh), names(full_refresh), everything)

    def has(self, flow: FlowNode) -> bool:
        """Whether the target of a flow is updated."""
        named = self.refresh | self.full_refresh
        return self.full_refresh_all or not named or find(flow.target.name, named) is not None

    def emptied(self, definitions: Definitions) -> frozenset[str]:
        """Return the datasets to read from the beginning.

        A full refresh of all leaves out tables with ``pipelines.reset.allowed = false``; naming one raises BadArgument.
        """
        there = {dataset.name: dataset for dataset in definitions.datasets}
        for name in self.refresh | self.full_refresh:
            dataset = definitions.dataset(name)
            if dataset is None:
                problem = f"The pipeline has no dataset {name}, which was to be refreshed."
                raise BadArgument(problem + suggestion(name, there))
            if dataset.kind is DatasetKind.TEMPORARY_VIEW:
                problem = f"{name} is a view: it has no rows of its own to refresh."
                raise BadArgument(f"{problem} Name the table that reads it.")
        kept = {
            name
            for name, dataset in there.items()
            if str(dataset.properties.get(_RESET_ALLOWED, "true")).lower() == "false"
        }
        emptied = frozenset(name for name in there if find(name, self.full_refresh))
        if named := sorted(emptied & kept):
            raise BadArgument(
                f"{named[0]} has the property {_RESET_ALLOWED} = false, which keeps its rows: "
                "leave it out of full_refresh, or remove the property."
            )
        return frozenset(there) - kept if self.full_refresh_all else emptied
