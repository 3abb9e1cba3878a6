"""Before flows run: the checkpoint of each, a new one in a full refresh, and the tables created or emptied.

After they have run, the views that stay in the catalog.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from declarative_pipelines.changes.change_tables import forget_changes
from declarative_pipelines.changes.snapshots import forget_snapshots
from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.engine.spark_engine import SparkEngine
from declarative_pipelines.engine.storage import Checkpoint, Storage
from declarative_pipelines.errors import BadDefinition, innermost_message
from declarative_pipelines.planning.flow_nodes import OWN_TABLE, FlowKind, FlowNode
from declarative_pipelines.planning.plan import PipelinePlan
from declarative_pipelines.sql.queries import QueryText


def choose(
    engine: SparkEngine, storage: Storage, flows: Sequence[FlowNode], full_refresh: Collection[str]
) -> dict[str, Checkpoint]:
    """Return the checkpoint of each flow, also of views, which store schemas there; nothing is changed.

    A flow begins a new checkpoint if its dataset is refreshed in full, its table is missing, or an earlier update was
    killed during its refresh.
    """
    newest = {flow.name: Checkpoint.of_flow(storage, engine.full_name(flow.target), flow.name) for flow in flows}
    new = {flow.target.name for flow in flows if _begins_anew(engine, flow, newest[flow.name], full_refresh)}
    return {flow.name: newest[flow.name].next() if flow.target.name in new else newest[flow.name] for flow in flows}


def prepare(plan: PipelinePlan, flows: Sequence[FlowNode], chosen: Mapping[str, Checkpoint]) -> None:
    """Create the tables of the flows to run, and empty those of a full refresh."""
    for flow in flows:
        if flow.target.kind is not DatasetKind.SINK:
            _refuse_table_of_others(plan, flow, chosen)
    flows = [flow for flow in flows if flow.kind in (FlowKind.APPEND, FlowKind.CHANGES, FlowKind.SNAPSHOT)]
    for flow in flows:
        chosen[flow.name].begin()
    targets = {flow.target.name: flow.target for flow in flows if flow.target.kind is not DatasetKind.SINK}
    tables = list(targets.values())
    emptied = [table for table in tables if any(chosen[flow.name].is_new for flow in flows if flow.target == table)]
    for flow in flows:
        if flow.target in emptied and flow.kind in (FlowKind.CHANGES, FlowKind.SNAPSHOT):
            forget = forget_changes if flow.kind is FlowKind.CHANGES else forget_snapshots
            forget(plan.engine.session, plan.engine.quoted(flow.target))
    plan.engine.create_databases(plan.definitions.datasets)
    plan.graph.create_tables([one for one in tables if one not in emptied], emptied)
    for flow in flows:
        if chosen[flow.name].is_new:
            chosen[flow.name].table_is_empty()


def publish_views(plan: PipelinePlan) -> None:
    """Create or replace the views that stay in the catalog; BadDefinition if Spark rejects one."""
    for dataset in plan.definitions.datasets:
        if dataset.is_published:
            try:
                plan.engine.publish_view(dataset, cast(QueryText, dataset.query).text)
            except (PySparkException, Py4JJavaError) as error:
                problem = f"the view {dataset.name} cannot be made in the catalog: {innermost_message(error)}"
                raise BadDefinition(dataset.location, problem) from error


def _refuse_table_of_others(plan: PipelinePlan, flow: FlowNode, chosen: Mapping[str, Checkpoint]) -> None:
    """Raise BadDefinition if another writer has written the target's table, whose rows would double or get lost."""
    engine, table = plan.engine, plan.engine.quoted(flow.target)
    own = [chosen[one.name] for one in plan.flows if one.target == flow.target]
    if any(one.is_new or one.has_begun for one in own) or not engine.session.catalog.tableExists(table):
        return
    if flow.kind is FlowKind.REPLACE:
        is_own = engine.table_property(flow.target, OWN_TABLE) is not None
    else:
        is_own = flow.kind is FlowKind.SNAPSHOT or engine.session.table(table).isEmpty()
    if not is_own:
        raise BadDefinition(
            flow.location,
            f"{flow.target.name} is a table already, which this pipeline has not made. Drop it, or give one of the two "
            "another name; a pipeline continues with its own tables where its name= or storage= is as it was.",
        )


def _begins_anew(engine: SparkEngine, flow: FlowNode, newest: Checkpoint, full_refresh: Collection[str]) -> bool:
    if flow.kind is FlowKind.VIEW or flow.kind is FlowKind.REPLACE:
        return False
    if flow.target.name in full_refresh or newest.is_pending:
        return True
    in_catalog = flow.target.kind is not DatasetKind.SINK
    return in_catalog and newest.has_begun and not engine.session.catalog.tableExists(engine.quoted(flow.target))
