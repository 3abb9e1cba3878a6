"""The events that an update reports while it runs; an observer is a function of one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from declarative_pipelines.definitions.model import DatasetKind, Expectation
from declarative_pipelines.planning.expectations import Counts
from declarative_pipelines.updates.results import State


@dataclass(frozen=True)
class DatasetNode:
    """A dataset of the graph."""

    name: str
    kind: DatasetKind
    expectations: tuple[Expectation, ...] = ()
    comment: str | None = None


@dataclass(frozen=True)
class GraphKnown:
    """The definitions were planned.

    Parameters
    ----------
    datasets
        All of the pipeline, in the order of their definitions.
    flows
        Each flow's dataset.
    edges
        Pairs of what is read and what reads it, by dataset; a table outside the pipeline has its full name.
    """

    datasets: tuple[DatasetNode, ...]
    flows: Mapping[str, str]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class UpdateChanged:
    """The update is in another state."""

    state: State
    seconds: float
    error: Exception | None = None


@dataclass(frozen=True)
class FlowChanged:
    """A flow is in another state, or, while it runs, has written one more batch.

    Parameters
    ----------
    counts
        What it has counted in this update so far, by dataset.
    seconds
        Since it was begun.
    """

    flow: str
    dataset: str
    state: State
    counts: Mapping[str, Counts] = field(default_factory=dict)
    seconds: float = 0.0
    error: Exception | None = None


Progress = GraphKnown | UpdateChanged | FlowChanged
Observer = Callable[[Progress], None]
