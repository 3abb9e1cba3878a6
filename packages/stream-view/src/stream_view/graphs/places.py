"""Pixel positions of boxes and arrows: the second half of a graph's layout.

All boxes of a column are equally wide, so that an arrow which is curved between columns only never meets a box.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from stream_view.graphs.layers import Spot, columns_of

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
        """Where it ends."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Where it ends below."""
        return self.y + self.height


@dataclass(frozen=True)
class Route:
    """An arrow by its points: pairs of them are joined by a curve, and a pair and the next by a straight line."""

    source: str
    target: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Layout:
    """The places of all."""

    width: float
    height: float
    boxes: Mapping[str, Box]
    routes: tuple[Route, ...]


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
    """Return the height of each spot's middle: near its neighbours', and clear of those above and below."""
    before: dict[Spot, list[Spot]] = {}
    after: dict[Spot, list[Spot]] = {}
    for one, other in pairs:
        after.setdefault(one, []).append(other)
        before.setdefault(other, []).append(one)
    middles: dict[Spot, float] = {}
    for column in columns:
        middles |= _apart(column, heights, [0.0] * len(column))
    for turn in range(ROUNDS):
        neighbours, order = (after, reversed(columns)) if turn % 2 else (before, columns)
        for column in order:
            wanted = [_mean([middles[one] for one in neighbours.get(spot, [spot])]) for spot in column]
            middles |= _apart(column, heights, wanted)
    return middles


def _apart(column: Sequence[Spot], heights: Mapping[Spot, float], wanted: Sequence[float]) -> dict[Spot, float]:
    """Return the places nearest to those that are wanted, in this order and without overlaps.

    Spots that would overlap become a group, which stands where its members want to be on average.
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


def _routes(routes: Sequence[Sequence[Spot]], boxes: Mapping[Spot, Box]) -> tuple[Route, ...]:
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
        assert isinstance(first, str) and isinstance(last, str)  # bends are never ends
        found.append(Route(first, last, (*points, (boxes[last].x, end))))
    return tuple(found)


def _port(box: Box, numbers: Sequence[int], number: int, other_end) -> float:
    """Return at which height an arrow leaves or reaches a box, below those whose other end is higher."""
    ordered = sorted(numbers, key=lambda one: (other_end(one).y + other_end(one).height / 2, one))
    step = min(PORTS, (box.height - 8) / len(numbers))
    return round(box.y + box.height / 2 + (ordered.index(number) - (len(numbers) - 1) / 2) * step, 1)
