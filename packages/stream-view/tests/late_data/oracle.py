"""Random streams, and in plain Python which of their rows Spark's watermark drops: no Spark is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

BEGIN = 1_748_858_400_000  # 2025-06-02 10:00:00 UTC, in milliseconds
SECOND = 1_000
KINDS = ("tumbling", "sliding", "session", "dedupe", "within", "join")

Late = tuple[int, str | None, str, int | None]  # batch, side of a join, the row's id, start of its window


@dataclass(frozen=True)
class Row:
    """A row: its event time in milliseconds, a key of few values, and an id of its own."""

    time: int
    key: str
    id: str


@dataclass(frozen=True)
class Stream:
    """The batches of the left and the right side, and the lengths of delays, windows and gaps in seconds."""

    seed: int
    left: list[list[Row]]
    right: list[list[Row]]
    delay: int
    right_delay: int
    size: int
    slide: int
    gap: int


@dataclass
class Expected:
    """The rows that are dropped, and how many Spark counts in each batch."""

    rows: list[Late] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)


def stream(seed: int, batches: int = 5) -> Stream:
    """Return a stream; the same seed always gives the same one."""
    chance = random.Random(seed)
    slide = chance.choice([20, 30, 60])
    size = slide * chance.choice([2, 3])
    delay, right_delay = chance.choice([0, 30, 60, 90]), chance.choice([0, 30, 60])
    steps = [chance.randint(0, 120) for _ in range(batches)]
    left = [list(_rows(chance, "left", number, sum(steps[:number]), slide)) for number in range(batches)]
    right = [list(_rows(chance, "right", number, sum(steps[:number]), slide)) for number in range(batches)]
    return Stream(seed, left, right, delay, right_delay, size, slide, chance.choice([15, 30, 60]))


def _rows(chance: random.Random, side: str, batch: int, after: int, step: int) -> Iterator[Row]:
    """Give a batch's rows: the time moves on, and some rows are late, some on the very edge of a window."""
    now = BEGIN + after * SECOND
    for number in range(chance.randint(0, 12)):
        time = now - chance.choice([0, 0, 5, 30, 90, 200, 400]) * SECOND + chance.randint(0, 20_000)
        if chance.random() < 0.3:
            time -= time % (step * SECOND)
        elif chance.random() < 0.3:
            time -= time % SECOND
        yield Row(time, chance.choice("ab"), f"{side}-{batch}-{number}")


def watermarks(sides: list[tuple[list[list[Row]], int]]) -> list[int]:
    """Return the watermark of each batch's rows: that of the batch before, the lowest of all sides.

    A batch's watermark comes from the rows of all batches before it, and never goes back.
    """
    marks, highest = [0], [0] * len(sides)
    for number in range(len(sides[0][0])):
        for side, (batches, delay) in enumerate(sides):
            times = [row.time for row in batches[number]]
            highest[side] = max([highest[side], *(time - delay * SECOND for time in times)])
        marks.append(max(marks[-1], min(highest)))
    return [0, *marks][: len(marks) - 1]


def expected(given: Stream, kind: str, marks: list[int]) -> Expected:
    """Return what an operator drops of a stream."""
    result = Expected()
    for batch, mark in enumerate(marks):
        late = list(_late(given, kind, batch, mark))
        result.rows += [row for row, _ in late]
        groups = {group for _, group in late}
        result.counts[batch] = len(groups)
    return result


def _late(given: Stream, kind: str, batch: int, mark: int) -> Iterator[tuple[Late, object]]:
    """Give the late rows of a batch, each with the group in which Spark counts it."""
    for row in given.left[batch]:
        if kind in ("tumbling", "sliding"):
            step = (given.size if kind == "tumbling" else given.slide) * SECOND
            for start in _starts(row.time, given.size * SECOND, step):
                if start + given.size * SECOND <= mark:
                    yield (batch, None, row.id, start), (row.key, start)
        elif kind == "session":
            if row.time + given.gap * SECOND <= mark:
                yield (batch, None, row.id, row.time), (row.key, row.time)
        elif row.time <= mark:
            yield (batch, "left" if kind == "join" else None, row.id, None), row.id
    for row in given.right[batch] if kind == "join" else ():
        if row.time <= mark:
            yield (batch, "right", row.id, None), row.id


def _starts(time: int, size: int, step: int) -> Iterator[int]:
    """Give the starts of all windows that a time is in."""
    start = time - time % step
    while start > time - size:
        yield start
        start -= step
