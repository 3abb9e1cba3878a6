"""The layout of a timeline: the axis of event time, a lane per batch, rows of marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from stream_view.timelines.story import DAY, HOUR, MINUTE, SECOND, Batch, Event, Outcome, Story
from streaming_base.svg_text import clean, escape_xml, text_width

INK, SOFT, FAINT = "#0f172a", "#475569", "#cbd5e1"
COLOURS = {Outcome.ON_TIME: "#0072B2", Outcome.LATE: "#E69F00", Outcome.DROPPED: "#D55E00"}
OPEN, CLOSED = "#e0f2fe", "#f1f5f9"


def rectangle(x: float, y: float, width: float, height: float, fill: str, rx: float = 0, opacity: float = 1) -> str:
    more = (f' rx="{rx:g}"' if rx else "") + (f' opacity="{opacity:g}"' if opacity < 1 else "")
    return f'<rect x="{x:g}" y="{y:g}" width="{max(width, 0):g}" height="{max(height, 0):g}" fill="{fill}"{more}/>'


def text_element(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 13,
    fill: str = INK,
    anchor: str = "start",
    weight: str = "",
    halo: int = 0,
) -> str:
    more = f' font-size="{size}"' if size != 13 else ""
    more += f' text-anchor="{anchor}"' if anchor != "start" else ""
    more += f' font-weight="{weight}"' if weight else ""
    more += f' stroke="#fff" stroke-width="{halo}" paint-order="stroke" stroke-linejoin="round"' if halo else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}"{more}>{escape_xml(text)}</text>'


def shorten(text: str, most: int) -> str:
    text = " ".join(clean(text).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def counted_noun(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def compact(number: int) -> str:
    return f"{number:,}" if number < 1_000_000 else f"{number / 1_000_000:,.1f} M"


WIDTH = 900
LEFT, RIGHT = 136, 684  # the plot; the columns of numbers stand left and right of it
BATCH_X, ROWS_X, WATERMARK_X, DROPPED_X = 28, 112, 790, 872
LANE, IDLE_LANE, ROW = 44, 26, 22  # heights: a batch with rows, one without, each further row of marks
STEP, GAP = 26, 8  # between two lanes: with a step of the watermark, without
MARK = 5.5  # half the size of a mark
MOST_ROWS = 8  # rows of marks in a lane; where they do not suffice, marks at one place become one with a number
LABEL = 12  # size of the events' labels

_NICE: tuple[int, ...] = (1, 1000, 10_000, 100_000, 500_000)
_NICE += tuple(n * SECOND for n in (1, 2, 5, 10, 15, 30))
_NICE += tuple(n * MINUTE for n in (1, 2, 5, 10, 15, 20, 30))
_NICE += tuple(n * HOUR for n in (1, 2, 3, 6, 12))
_NICE += tuple(n * DAY for n in (1, 2, 7, 14, 28, 91, 182, 365, 1826, 3652, 36_524, 365_242))


@dataclass(frozen=True)
class Mark:
    """One event, or ``count`` of them at one place, with its label and the place of both."""

    event: Event
    count: int
    x: float
    y: float
    label: str = ""
    label_x: float = 0.0
    end: bool = False  # whether the label ends at label_x instead of beginning there


@dataclass
class Lane:
    """The strip of one batch: ``top`` and ``bottom`` of the lane itself, ``end`` where the next one's begins."""

    batch: Batch
    top: float
    bottom: float
    end: float
    marks: list[Mark] = field(default_factory=list)

    @property
    def middle(self) -> float:
        """Where the numbers of the batch stand."""
        return (self.top + self.bottom) / 2

    @property
    def step_y(self) -> float:
        """Where the watermark steps on: between this lane and the next."""
        return (self.bottom + self.end) / 2


@dataclass(frozen=True)
class Axis:
    """Event time from left to right; times outside are drawn at the edge."""

    low: int
    high: int
    ticks: tuple[int, ...]
    dates: bool

    def x(self, time: float) -> float:
        """Return where a time stands."""
        share = (time - self.low) / (self.high - self.low)
        return round(LEFT + min(max(share, 0.0), 1.0) * (RIGHT - LEFT), 1)


def axis_of(story: Story) -> Axis:
    """Return an axis for all events, spans, and watermarks that are not far off."""
    times = [event.time for event in story.events]
    times += [time for batch in story.batches for time in (batch.first, batch.last) if time is not None]
    watermarks = [time for batch in story.batches for time in (batch.before, batch.after) if time is not None]
    if not times and not watermarks:
        return Axis(0, 1, (), False)
    low, high = min(times or watermarks), max(times or watermarks)
    span = high - low
    near = [time for time in watermarks if low - max(span, HOUR) <= time <= high + max(span, HOUR)]
    low, high = min([low, *near]), max([high, *near])
    unit = story.windows.slide if story.windows else 0
    if unit and unit <= max(high - low, story.windows.size):
        low, high = story.windows.last_start(low), story.windows.last_start(high) + unit
    if low == high:
        low, high = low - MINUTE, high + MINUTE
    edge = max((high - low) // 40, 1)
    low, high = low - edge, high + edge
    dates = many_days([low, high, *near])
    return Axis(low, high, _ticks(low, high, unit, story.windows.start if story.windows else 0, dates), dates)


def lanes_of(story: Story, axis: Axis, top: float) -> list[Lane]:
    """Return a lane for each batch, high enough for its marks."""
    by_batch: dict[int, list[Event]] = {}
    for event in story.events:
        by_batch.setdefault(event.batch, []).append(event)
    lanes = []
    for batch in story.batches:
        rows = _rows_of(by_batch.get(batch.number, []), axis, batch)
        height = max(LANE if batch.rows or rows else IDLE_LANE, LANE - ROW + ROW * len(rows))
        bottom = top + height
        end = bottom + (STEP if moves(batch) else GAP if batch is not story.batches[-1] else 0)
        first = (top + bottom - ROW * (len(rows) - 1)) / 2
        marks = [
            Mark(m.event, m.count, m.x, first + ROW * number, m.label, m.label_x, m.end)
            for number, row in enumerate(rows)
            for m in row
        ]
        lanes.append(Lane(batch, top, bottom, end, marks))
        top = end
    return lanes


def _rows_of(events: Sequence[Event], axis: Axis, batch: Batch) -> list[list[Mark]]:
    """Return the lane's marks in rows in which nothing touches; too many are put together by place and fate."""
    order = sorted(events, key=lambda event: (event.time, event.fate.value, event.label))
    single = [Mark(event, 1, axis.x(event.time), 0.0, shorten(event.label, 22)) for event in order]
    line = axis.x(batch.before) if batch.before is not None else None
    if len(rows := _packed(single, line)) <= MOST_ROWS:
        return rows
    if len(rows := _packed([Mark(m.event, 1, m.x, 0.0) for m in single], line)) <= MOST_ROWS:
        return rows
    places = Counter((int(mark.x // 16), mark.event.fate) for mark in single)
    first = {(int(mark.x // 16), mark.event.fate): mark for mark in reversed(single)}
    return _packed(
        [
            Mark(first[key].event, places[key], key[0] * 16 + 8.0, 0.0, f"× {places[key]:,}" if places[key] > 1 else "")
            for key in sorted(places, key=lambda key: (key[0], key[1].value))
        ],
        line,
    )


def _packed(marks: Iterable[Mark], line: float | None) -> list[list[Mark]]:
    """Put each mark into the first row with room for it and its label, at the side where no line runs through it."""
    rows: list[list[Mark]] = []
    taken: list[list[tuple[float, float]]] = []
    for mark in marks:
        candidates = _candidates(mark, line)
        for row, used in zip(rows, taken, strict=True):
            free = [(m, s) for m, s in candidates if all(s[1] <= begin or s[0] >= end for begin, end in used)]
            if free:
                row.append(free[0][0])
                used.append(free[0][1])
                break
        else:
            rows.append([candidates[0][0]])
            taken.append([candidates[0][1]])
    return rows


def _candidates(mark: Mark, line: float | None) -> list[tuple[Mark, tuple[float, float]]]:
    """Return the mark with its label right of it and left of it, the better first, each with the span it takes."""
    x = min(max(mark.x, LEFT + MARK), RIGHT - MARK)
    half, gap = MARK + 2.5, MARK + 5
    if not mark.label:
        return [(Mark(mark.event, mark.count, x, 0.0), (x - half, x + half))]
    width = text_width(mark.label, LABEL)
    right = (Mark(mark.event, mark.count, x, 0.0, mark.label, x + gap), (x - half, x + gap + width + 6))
    left = (Mark(mark.event, mark.count, x, 0.0, mark.label, x - gap, True), (x - gap - width - 6, x + half))
    inside = [side for side in (right, left) if side[1][0] >= LEFT - 4 and side[1][1] <= RIGHT + 10]
    clear = [side for side in inside if line is None or not side[1][0] < line < side[1][1] or abs(line - x) < half]
    return clear or inside or [right]


def moves(batch: Batch) -> bool:
    return batch.after is not None and batch.after != batch.before


def _ticks(low: int, high: int, unit: int, offset: int, dates: bool) -> tuple[int, ...]:
    """Return ticks at round times, at the ends of windows if any, with room for their labels."""
    room = 66 if dates else 58
    wide = [step for step in _NICE if step / (high - low) * (RIGHT - LEFT) >= room]
    step = wide[0] if wide else (high - low)
    if unit:
        multiples = [n * unit for n in (1, 2, 3, 4, 5, 6, 10, 12, 20, 24, 30, 60) if n * unit >= step]
        step = next((n for n in multiples if n in _NICE), multiples[0] if multiples else step)
    first = low + (offset - low) % step if unit else low + -low % step
    return tuple(range(first, high, step))[:20]


def many_days(times: Iterable[int | None]) -> bool:
    return len({time // DAY for time in times if time is not None}) > 1
