"""The columns of a graph and the order of nodes within them: the first half of the layout.

A node is one column after the last one that it reads (the longest path to it), so every arrow goes to the right.  An
arrow over several columns has a bend in each of those between, which takes a place there as a node does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

SWEEPS = 4  # there and back; more do not make graphs of this size better

#: A node's name, or where an arrow passes through a column: its two ends and the column.
Spot = str | tuple[str, str, int]


def columns_of(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> tuple[list[list[Spot]], list[list[Spot]]]:
    """Return the columns, ordered, and each arrow as the spots it passes. The same graph always gives the same.

    Parameters
    ----------
    names
        The nodes; their order decides where nothing else does.
    edges
        Arrows between them. One that would close a circle is left out.
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
    """Return how many arrows cross between neighbouring columns."""
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
    after: dict[str, list[str]] = {name: [] for name in names}
    kept = []
    for source, target in edges:
        if not _reaches(after, target, source):
            after[source].append(target)
            kept.append((source, target))
    return kept


def _reaches(after: Mapping[str, Sequence[str]], start: str, goal: str) -> bool:
    left, seen = [start], set()
    while left:
        name = left.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            left += after[name]
    return False


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
    """Order each column by the middle of its neighbours, to the right and back, and keep the best that was seen."""
    best, fewest = [list(column) for column in columns], crossings(columns, pairs)
    before: dict[Spot, list[Spot]] = {}
    after: dict[Spot, list[Spot]] = {}
    for one, other in pairs:
        before.setdefault(other, []).append(one)
        after.setdefault(one, []).append(other)
    for _ in range(SWEEPS if fewest else 0):
        for neighbours, order in ((before, range(1, len(columns))), (after, range(len(columns) - 2, -1, -1))):
            for number in order:
                columns[number] = _sorted(columns, number, neighbours)
            if (now := crossings(columns, pairs)) < fewest:
                best, fewest = [list(column) for column in columns], now
    return best


def _sorted(columns: Sequence[Sequence[Spot]], number: int, neighbours: Mapping[Spot, Sequence[Spot]]) -> list[Spot]:
    place = _places(columns)

    def middle(spot: Spot) -> float:
        found = [place[one][1] for one in neighbours.get(spot, ())]
        return sum(found) / len(found) if found else place[spot][1]

    return sorted(columns[number], key=middle)


def _places(columns: Sequence[Sequence[Spot]]) -> dict[Spot, tuple[int, int]]:
    return {spot: (number, row) for number, column in enumerate(columns) for row, spot in enumerate(column)}
