"""A graph as values: nodes with states and counts, arrows, errors; and these values as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.updates.results import State, text_table


@dataclass(frozen=True)
class Bar:
    """The passed and failed records of a rule, or None before the first count; ``consequence`` is one word."""

    name: str
    consequence: str
    met: int | None = None
    violated: int | None = None


@dataclass(frozen=True)
class Node:
    """A box: its unique ``name``, its kind, or None outside the pipeline, and the state and seconds of its flows."""

    name: str
    kind: DatasetKind | None
    state: State | None = None
    rows: int | None = None
    dropped: int | None = None
    seconds: float | None = None
    bars: tuple[Bar, ...] = ()

    @property
    def shown_name(self) -> str:
        """The text in its box."""
        return self.name.split(".")[-1] if self.kind is None else self.name

    @property
    def shown_kind(self) -> str:
        """The kind in words."""
        return "outside the pipeline" if self.kind is None else self.kind.value


@dataclass(frozen=True)
class Graph:
    """The whole graph at one moment.

    ``word`` replaces the state's, ``edges`` are pairs of node names in the direction of the rows, ``errors`` one
    sentence each.
    """

    title: str
    state: State
    seconds: float | None = None
    word: str = ""
    nodes: tuple[Node, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def shown_state(self) -> str:
        """The state of the whole, in a word or two."""
        return self.word or state_word(self.state)


def state_word(state: State) -> str:
    """Return a state in a word."""
    return "waiting" if state is State.QUEUED else state.value.lower()


def headline(graph: Graph) -> str:
    """Return the graph's title and state."""
    return " · ".join([graph.title, graph.shown_state, *seconds_text(graph.seconds, graph.state)])


def description(graph: Graph) -> str:
    """Return the graph in words, for screen readers."""
    sentences = [f"Graph of {headline(graph)}."]
    for node in graph.nodes:
        sources = [source for source, target in graph.edges if target == node.name]
        sentences.append(f"{', '.join([node.name, node.shown_kind, *_facts(node, sources)])}.")
    return " ".join(sentences)


def as_text(graph: Graph, with_seconds: bool = True) -> str:
    """Return the graph as a table of its nodes, and one of their rules."""
    inside = [node for node in graph.nodes if node.kind is not None]
    nodes = [
        (
            node.name,
            node.shown_kind,
            state_word(node.state) if node.state else "",
            _number(node.rows),
            _number(node.dropped),
        )
        + ((" ".join(seconds_text(node.seconds, node.state)),) if with_seconds else ())
        for node in inside
    ]
    rules = [
        (node.name, bar.name, bar.consequence, _number(bar.met), _number(bar.violated))
        for node in inside
        for bar in node.bars
    ]
    heads = ("dataset", "kind", "state", "rows", "dropped", *(("time",) if with_seconds else ()))
    tables = [text_table(heads, nodes), text_table(("dataset", "rule", "if violated", "met", "violated"), rules)]
    return "\n\n".join([headline(graph if with_seconds else timeless(graph)), *filter(None, tables), *graph.errors])


def timeless(graph: Graph) -> Graph:
    """Return the graph without how long it took."""
    return replace(graph, seconds=None)


def seconds_text(seconds: float | None, state: State | None) -> list[str]:
    """Return a duration or an empty string; whole seconds while running, to limit redraws."""
    if seconds is None:
        return []
    return [f"{int(seconds)} s" if state is State.RUNNING else f"{seconds:.1f} s"]


def _facts(node: Node, sources: Sequence[str]) -> Iterator[str]:
    if node.state:
        yield state_word(node.state)
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
