"""Graphs for tests."""

from __future__ import annotations

from declarative_pipelines.view.graph import Bar, Graph, Node, Phase, Shape

RULES = (
    Bar("has a customer", "warn", 11_000, 988),
    Bar("readable", "drop", 11_988, 0),
    Bar("positive quantities", "drop", None, None),
)


def eight_datasets(phase: Phase = Phase.COMPLETED) -> Graph:
    """Return a pipeline of usual size."""
    stream, view, table = Shape.STREAM, Shape.VIEW, Shape.TABLE
    nodes = (
        Node("bronze_orders", stream, "streaming table", phase, 12_345, 0, 3.21),
        Node("orders", view, "temporary view"),
        Node("silver_orders", stream, "streaming table", phase, 11_988, 357, 12.7, RULES),
        Node("quarantine", stream, "streaming table", phase, 357, None, 1.0),
        Node("gold_orders", table, "materialized view", phase, 84, None, 2.0),
        Node("customer_changes", view, "temporary view"),
        Node("customers", stream, "streaming table", phase, 250, None, 2.2),
        Node("customer_history", stream, "streaming table", phase, 1_234_567, None, 2.2),
    )
    edges = (
        ("bronze_orders", "orders"),
        ("orders", "silver_orders"),
        ("orders", "quarantine"),
        ("silver_orders", "gold_orders"),
        ("customer_changes", "customers"),
        ("customer_changes", "customer_history"),
    )
    return Graph("shop", phase, 14.2, nodes=nodes, edges=edges)
