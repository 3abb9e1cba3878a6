"""Streams that would find nothing new: their checkpoint says that they have read their Delta tables to the end.

To start a query, let it look at its sources and end takes longer than a small batch.  What a checkpoint and the tables'
newest versions say is read in milliseconds.  A stream is left out only where nothing but new rows could make it do
something: it has no state, its last batch was committed, and each of its sources is a Delta table at the version where
it stopped.  In all other cases, and wherever something is not understood, the query is started.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from declarative_pipelines.planning.flow_nodes import FlowKind, FlowNode

if TYPE_CHECKING:
    from declarative_pipelines.engine.checkpoints import Checkpoint
    from declarative_pipelines.planning.plan import PipelinePlan

_FORMAT = "v1"
# Where Delta's source stops when it has read a version to its end: before the first file of the next one.
_BEFORE_FIRST_FILE = (-1, -100)


def has_nothing_new(plan: PipelinePlan, flow: FlowNode, checkpoint: Checkpoint) -> bool:
    """Whether a stream can be left out."""
    offsets = _last_offsets(checkpoint)
    if not offsets:
        return False
    versions = plan.engine.newest_versions(tables_of(plan, flow))
    return all(_is_at_end(offset, versions) for offset in offsets)


def tables_of(plan: PipelinePlan, flow: FlowNode) -> set[str]:
    """Return the tables that a flow reads, through views as well, by their full names."""
    datasets = {dataset.name: dataset for dataset in plan.definitions.datasets}
    found: set[str] = set()
    left, seen = [flow.name], set()
    while left:
        name = left.pop()
        seen.add(name)
        found |= plan.tables[name]
        for source in plan.inputs[name]:
            writers = [one for one in plan.flows if one.target.name == source]
            if all(one.kind is FlowKind.VIEW for one in writers):
                left += [one.name for one in writers if one.name not in seen]
            else:
                found.add(plan.engine.full_name(datasets[source]))
    return found


def _last_offsets(checkpoint: Checkpoint) -> list[Any]:
    """Return where each source stopped; nothing where the stream has state, or may repeat its last batch."""
    storage, folder = checkpoint.storage, checkpoint.folder
    batches = [int(name) for name in storage.names(*folder, "offsets") if name.isdigit()]
    if not batches or storage.exists(*folder, "state") or not storage.exists(*folder, "commits", str(max(batches))):
        return []
    form, _, *offsets = storage.read(*folder, "offsets", str(max(batches))).splitlines()
    return [_parsed(offset) for offset in offsets] if form == _FORMAT else []


def _parsed(offset: str) -> Any:
    try:
        return json.loads(offset)
    except ValueError:
        return None


def _is_at_end(offset: Any, versions: Mapping[str, int]) -> bool:
    if not isinstance(offset, dict) or offset.get("reservoirId") not in versions:
        return False
    next_version = versions[offset["reservoirId"]] + 1
    is_before_it = offset.get("reservoirVersion") == next_version and offset.get("index") in _BEFORE_FIRST_FILE
    return is_before_it and offset.get("isStartingVersion") is False
