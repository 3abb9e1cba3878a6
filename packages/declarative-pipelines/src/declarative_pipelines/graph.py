"""A graph as values: nodes with states and counts, arrows, errors; these values as text, and their places.

A node is one column after the last one that it reads (the longest path to it), so every arrow goes to the right.  An
arrow over several columns has a bend in each of those between, which takes a place there as a node does.  All boxes
of a column are equally wide, so that an arrow which is curved between columns only never meets a box.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

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


MARGIN = 8.0  # around all of it
BETWEEN_COLUMNS = 40.0
BETWEEN_BOXES = 18.0
BEND = 8.0  # height that an arrow needs where it passes between boxes
PORTS = 12.0  # between two arrows that end at one box
ROUNDS = 7  # in which boxes move towards what they read, and towards their readers; the last one decides


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True)
class Layout:
    """The places of all.

    A route is an arrow by its points: pairs of them are joined by a curve, and a pair and the next by a straight line.
    """

    width: float
    height: float
    boxes: Mapping[str, Box]
    routes: list[list[tuple[float, float]]]


def layout(sizes: Mapping[str, tuple[float, float]], edges: Iterable[tuple[str, str]]) -> Layout:
    """Return where boxes of these widths and heights stand; a narrow one is as wide as the widest of its column."""
    columns, routes = columns_of(list(sizes), edges)
    heights = {spot: sizes[spot][1] if isinstance(spot, str) else BEND for column in columns for spot in column}
    middles = _middles(columns, heights, [pair for route in routes for pair in pairwise(route)])
    top = min((middles[spot] - heights[spot] / 2 for spot in heights), default=0.0) - MARGIN
    boxes: dict[Spot, Box] = {}
    x = MARGIN
    for column in columns:
        width = max(sizes[spot][0] for spot in column if isinstance(spot, str))
        for spot in column:
            boxes[spot] = Box(x, round(middles[spot] - heights[spot] / 2 - top, 1), width, heights[spot])
        x += width + BETWEEN_COLUMNS
    bottom = max((box.bottom for box in boxes.values()), default=0.0) + MARGIN
    named = {name: boxes[name] for name in sizes}
    return Layout(max(x - BETWEEN_COLUMNS, 0.0) + MARGIN, bottom, named, _routes(routes, boxes))


def _middles(
    columns: Sequence[Sequence[Spot]], heights: Mapping[Spot, float], pairs: Sequence[tuple[Spot, Spot]]
) -> dict[Spot, float]:
    """Return the height of each spot's middle: near its neighbors', and clear of those above and below."""
    before, after = _neighbors(pairs)
    middles: dict[Spot, float] = {}
    for column in columns:
        middles |= _apart(column, heights, [0.0] * len(column))
    for turn in range(ROUNDS):
        neighbors, order = (after, reversed(columns)) if turn % 2 else (before, columns)
        for column in order:
            wanted = [_mean([middles[one] for one in neighbors.get(spot, [spot])]) for spot in column]
            middles |= _apart(column, heights, wanted)
    return middles


def _apart(column: Sequence[Spot], heights: Mapping[Spot, float], wanted: Sequence[float]) -> dict[Spot, float]:
    """Return the positions nearest to the wanted ones, in this order and without overlaps.

    Spots that would overlap become a group at the average of its members' wanted positions.
    """
    offsets, offset = [], 0.0
    for number, spot in enumerate(column):
        if number:
            offset += (heights[column[number - 1]] + heights[spot]) / 2 + BETWEEN_BOXES
        offsets.append(offset)
    groups: list[list[float]] = []
    for want, before in zip(wanted, offsets, strict=True):
        groups.append([want - before])
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    levels = [_mean(group) for group in groups for _ in group]
    return {spot: level + before for spot, level, before in zip(column, levels, offsets, strict=True)}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _routes(routes: Sequence[Sequence[Spot]], boxes: Mapping[Spot, Box]) -> list[list[tuple[float, float]]]:
    leaving: dict[Spot, list[int]] = {}
    arriving: dict[Spot, list[int]] = {}
    for number, route in enumerate(routes):
        leaving.setdefault(route[0], []).append(number)
        arriving.setdefault(route[-1], []).append(number)
    found = []
    for number, (first, *bends, last) in enumerate(routes):
        begin = _port(boxes[first], leaving[first], number, lambda one: boxes[routes[one][1]])
        end = _port(boxes[last], arriving[last], number, lambda one: boxes[routes[one][-2]])
        points = [(boxes[first].right, begin)]
        for bend in bends:
            box = boxes[bend]
            middle = round(box.y + box.height / 2, 1)
            points += [(box.x, middle), (box.right, middle)]
        found.append([*points, (boxes[last].x, end)])
    return found


def _port(box: Box, numbers: Sequence[int], number: int, other_end) -> float:
    """Return the height at which an arrow meets a box, ordered by the arrows' other ends."""
    ordered = sorted(numbers, key=lambda one: (other_end(one).y + other_end(one).height / 2, one))
    step = min(PORTS, (box.height - 8) / len(numbers))
    return round(box.y + box.height / 2 + (ordered.index(number) - (len(numbers) - 1) / 2) * step, 1)


SWEEPS = 4  # there and back; more do not make graphs of this size better

#: A node's name, or where an arrow passes through a column: its two ends and the column.
Spot = str | tuple[str, str, int]


def columns_of(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> tuple[list[list[Spot]], list[list[Spot]]]:
    """Return the ordered columns, and each arrow as the spots that it passes; deterministic.

    The order of ``names`` breaks ties; an arrow that would close a circle is left out.
    """
    edges = _without_circles(names, [edge for edge in dict.fromkeys(edges) if set(edge) <= set(names)])
    depth = _depths(names, edges)
    columns: list[list[Spot]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in names:
        columns[depth[name]].append(name)
    routes: list[list[Spot]] = []
    for source, target in edges:
        bends: list[Spot] = [(source, target, column) for column in range(depth[source] + 1, depth[target])]
        for bend in bends:
            columns[bend[2]].append(bend)  # type: ignore[index]
        routes.append([source, *bends, target])
    return _untangled(columns, [pair for route in routes for pair in pairwise(route)]), routes


def crossings(columns: Sequence[Sequence[Spot]], pairs: Iterable[tuple[Spot, Spot]]) -> int:
    """Return how many arrows cross between neighboring columns."""
    place = _places(columns)
    by_column: dict[int, list[tuple[int, int]]] = {}
    for one, other in pairs:
        by_column.setdefault(place[one][0], []).append((place[one][1], place[other][1]))
    total = 0
    for ends in by_column.values():
        seen: list[int] = []
        for _start, end in sorted(ends):
            at = bisect_right(seen, end)
            total += len(seen) - at
            seen.insert(at, end)
    return total


def _without_circles(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    reached_from = {name: {name} for name in names}
    kept = []
    for source, target in edges:
        if target not in reached_from[source]:
            kept.append((source, target))
            for found in reached_from.values():
                if target in found:
                    found |= reached_from[source]
    return kept


def _depths(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    depth = dict.fromkeys(names, 0)
    for _ in names:  # the longest path has as many arrows at most
        deeper = {name: max([0, *(depth[source] + 1 for source, target in edges if target == name)]) for name in names}
        if deeper == depth:
            break
        depth = deeper
    fed = {target for _, target in edges}
    for name in names:  # what reads nothing stands right before who reads it first
        readers = [depth[target] for source, target in edges if source == name]
        if name not in fed and readers:
            depth[name] = min(readers) - 1
    return depth


def _untangled(columns: list[list[Spot]], pairs: Sequence[tuple[Spot, Spot]]) -> list[list[Spot]]:
    """Order each column by the middle of its neighbors, to the right and back, and keep the best that was seen."""
    best, fewest = [list(column) for column in columns], crossings(columns, pairs)
    before, after = _neighbors(pairs)
    for _ in range(SWEEPS if fewest else 0):
        for neighbors, order in ((before, range(1, len(columns))), (after, range(len(columns) - 2, -1, -1))):
            for number in order:
                place = _places(columns)
                middles = {
                    spot: _mean([place[one][1] for one in neighbors.get(spot, [spot])]) for spot in columns[number]
                }
                columns[number] = sorted(columns[number], key=middles.__getitem__)
            if (now := crossings(columns, pairs)) < fewest:
                best, fewest = [list(column) for column in columns], now
    return best


def _neighbors(pairs: Iterable[tuple[Spot, Spot]]) -> tuple[dict[Spot, list[Spot]], dict[Spot, list[Spot]]]:
    """Return the spots that each one has before it, and those after it."""
    before: dict[Spot, list[Spot]] = {}
    after: dict[Spot, list[Spot]] = {}
    for one, other in pairs:
        before.setdefault(other, []).append(one)
        after.setdefault(one, []).append(other)
    return before, after


def _places(columns: Sequence[Sequence[Spot]]) -> dict[Spot, tuple[int, int]]:
    return {spot: (number, row) for number, column in enumerate(columns) for row, spot in enumerate(column)}
