"""A graph as values: nodes with states and counts, arrows, errors.

Nothing here knows what runs: the callers describe it with these values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum


class Phase(Enum):
    """How far a node, or the whole, is."""

    WAITING = "waiting"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    STOPPED = "stopped"
    EXCLUDED = "excluded"


class Shape(Enum):
    """By which shape and sign a node is known, beside its word."""

    STREAM = "stream"
    TABLE = "table"
    VIEW = "view"
    SINK = "sink"
    OUTSIDE = "outside"


@dataclass(frozen=True)
class Bar:
    """The passed and failed records of a rule, or None before the first count; ``consequence`` is one word."""

    name: str
    consequence: str
    met: int | None = None
    violated: int | None = None


@dataclass(frozen=True)
class Node:
    """A box: a unique ``name``, its kind in a ``word``, a shorter ``label``, and the phase and seconds of its flows."""

    name: str
    shape: Shape
    word: str
    phase: Phase | None = None
    rows: int | None = None
    dropped: int | None = None
    seconds: float | None = None
    bars: tuple[Bar, ...] = ()
    label: str = ""

    @property
    def shown_name(self) -> str:
        """The text in its box."""
        return self.label or self.name


@dataclass(frozen=True)
class Graph:
    """The whole graph at one moment.

    ``word`` replaces the phase's name, ``edges`` are pairs of node names in the direction of the rows, ``errors``
    one sentence each.
    """

    title: str
    phase: Phase
    seconds: float | None = None
    word: str = ""
    nodes: tuple[Node, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """The state of the whole, in a word or two."""
        return self.word or self.phase.value


def headline(graph: Graph) -> str:
    """Return the graph's title and state."""
    return " · ".join([graph.title, graph.state, *seconds_text(graph.seconds, graph.phase)])


def description(graph: Graph) -> str:
    """Return the graph in words, for screen readers."""
    return " ".join([f"Graph of {headline(graph)}.", *(f"{_sentence(graph, node)}." for node in graph.nodes)])


def as_text(graph: Graph, with_seconds: bool = True) -> str:
    """Return the graph as a table of its nodes, and one of their rules."""
    inside = [node for node in graph.nodes if node.shape is not Shape.OUTSIDE]
    nodes = [
        (node.name, node.word, node.phase.value if node.phase else "", _number(node.rows), _number(node.dropped))
        + ((" ".join(seconds_text(node.seconds, node.phase)),) if with_seconds else ())
        for node in inside
    ]
    rules = [
        (node.name, bar.name, bar.consequence, _number(bar.met), _number(bar.violated))
        for node in inside
        for bar in node.bars
    ]
    heads = ("dataset", "kind", "state", "rows", "dropped", *(("time",) if with_seconds else ()))
    tables = [_table(heads, nodes), _table(("dataset", "rule", "if violated", "met", "violated"), rules)]
    return "\n\n".join([headline(graph if with_seconds else timeless(graph)), *filter(None, tables), *graph.errors])


def timeless(graph: Graph) -> Graph:
    """Return the graph without how long it took."""
    return replace(graph, seconds=None)


def seconds_text(seconds: float | None, phase: Phase | None) -> list[str]:
    """Return a duration or an empty string; whole seconds while running, to limit redraws."""
    if seconds is None:
        return []
    return [f"{int(seconds)} s" if phase is Phase.RUNNING else f"{seconds:.1f} s"]


def _sentence(graph: Graph, node: Node) -> str:
    sources = [source for source, target in graph.edges if target == node.name]
    return f"{node.name}, {node.word}" + "".join(f", {part}" for part in _facts(node, sources))


def _facts(node: Node, sources: Sequence[str]) -> Iterator[str]:
    if node.phase:
        yield node.phase.value
    if node.rows is not None:
        yield f"{node.rows:,} rows"
    if node.dropped:
        yield f"{node.dropped:,} dropped"
    for bar in node.bars:
        if bar.violated:
            yield f"{bar.violated:,} violated {bar.name}"
    if sources:
        yield f"reads {' and '.join(sources)}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in [heads, *rows])
    return "\n".join(lines) if rows else ""
