"""Graphs for tests."""

from __future__ import annotations

from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.graph import Bar, Graph, Node
from declarative_pipelines.updates.results import State

RULES = (
    Bar("has a customer", "warn", 11_000, 988),
    Bar("readable", "drop", 11_988, 0),
    Bar("positive quantities", "drop", None, None),
)


def eight_datasets(state: State = State.COMPLETED) -> Graph:
    """Return a pipeline of usual size."""
    stream, view, table = DatasetKind.STREAMING_TABLE, DatasetKind.TEMPORARY_VIEW, DatasetKind.MATERIALIZED_VIEW
    nodes = (
        Node("bronze_orders", stream, state, 12_345, 0, 3.21),
        Node("orders", view),
        Node("silver_orders", stream, state, 11_988, 357, 12.7, RULES),
        Node("quarantine", stream, state, 357, None, 1.0),
        Node("gold_orders", table, state, 84, None, 2.0),
        Node("customer_changes", view),
        Node("customers", stream, state, 250, None, 2.2),
        Node("customer_history", stream, state, 1_234_567, None, 2.2),
    )
    edges = (
        ("bronze_orders", "orders"),
        ("orders", "silver_orders"),
        ("orders", "quarantine"),
        ("silver_orders", "gold_orders"),
        ("customer_changes", "customers"),
        ("customer_changes", "customer_history"),
    )
    return Graph("shop", state, 14.2, nodes=nodes, edges=edges)
