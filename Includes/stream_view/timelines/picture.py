"""A timeline as a picture: event time from left to right, batches from top to bottom, the watermark a line of steps.

The picture is one string of SVG that needs no script, no style of the page's and no ids, so that any number of them
may stand on a page.  First everything gets its place, then it is drawn in the order in which it lies on the paper.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from stream_view.timelines.story import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Batch,
    Event,
    Fate,
    Story,
    date_text,
    duration_text,
    time_text,
)

WIDTH = 900
LEFT, RIGHT = 136, 684  # the plot; the columns of numbers stand left and right of it
BATCH_X, ROWS_X, WATERMARK_X, DROPPED_X = 28, 112, 790, 872
LANE, IDLE_LANE, ROW = 44, 26, 22  # heights: a batch with rows, one without, each further row of marks
STEP, GAP = 26, 8  # between two lanes: with a step of the watermark, without
MARK = 5.5  # half the size of a mark
MOST_ROWS = 8  # rows of marks in a lane; where they do not suffice, marks at one place become one with a number
LABEL = 12  # size of the events' labels

INK, SOFT, FAINT = "#0f172a", "#475569", "#cbd5e1"
COLOURS = {Fate.ON_TIME: "#0072B2", Fate.LATE: "#E69F00", Fate.DROPPED: "#D55E00"}
OPEN, CLOSED = "#e0f2fe", "#f1f5f9"

_NICE = (1, 1000, 10_000, 100_000, 500_000)
_NICE += tuple(n * SECOND for n in (1, 2, 5, 10, 15, 30))
_NICE += tuple(n * MINUTE for n in (1, 2, 5, 10, 15, 20, 30))
_NICE += tuple(n * HOUR for n in (1, 2, 3, 6, 12))
_NICE += tuple(n * DAY for n in (1, 2, 7, 14, 28, 91, 182, 365, 1826, 3652, 36_524, 365_242))
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    """Event time from left to right; what lies outside stands at the edge."""

    low: int
    high: int
    ticks: tuple[int, ...]
    dates: bool

    def x(self, time: float) -> float:
        """Return where a time stands."""
        share = (time - self.low) / (self.high - self.low)
        return round(LEFT + min(max(share, 0.0), 1.0) * (RIGHT - LEFT), 1)


def picture(story: Story) -> str:
    """Return the timeline as SVG; the same story always gives the same string."""
    axis = axis_of(story)
    legend = _legend(story)
    top = 150 if legend else 126
    lanes = lanes_of(story, axis, top)
    below = lanes[-1].end + 34 if lanes else 66
    foot = _paragraphs(story, below)
    height = round(foot[-1][1] + 24 if foot else below - 12)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'style="max-width:100%;height:auto" font-family="Helvetica, Arial, sans-serif" font-size="13" role="img" '
        f'aria-label="{_xml(description(story))}">',
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#ffffff"/>',
        _text(BATCH_X, 40, _shorten(story.name, 60), size=17, weight="bold"),
        _text(BATCH_X, 61, _subtitle(story), fill=SOFT),
        *legend,
    ]
    if lanes:
        parts += [*_bands(story, axis, lanes), *_grid(axis, lanes), *_columns(story, lanes)]
        parts += [*_spans(story, axis, lanes), *_watermark(story, axis, lanes), *_marks(lanes)]
    parts += [_text(BATCH_X, y, line, fill=SOFT) for line, y in foot]
    return "".join([*parts, "</svg>"])


def description(story: Story) -> str:
    """Return in words what is to be seen, for those who do not see it."""
    if not story.batches:
        return f"Timeline of {story.name}: no batch yet."
    first, last = story.batches[0], story.batches[-1]
    dates = _many_days([t for b in story.batches for t in (b.before, b.after, b.first, b.last)])
    sentences = [f"Timeline of {story.name}: {_count(len(story.batches), 'batch', 'batches')}, {_numbers(story)}."]
    marks = [b.before for b in story.batches if b.before is not None]
    marks += [last.after] if last.after is not None else []
    if marks:
        begin = "is not set at first, then goes" if first.before is None else "goes"
        sentences.append(f"The watermark {begin} from {time_text(marks[0], dates)} to {time_text(marks[-1], dates)}.")
    else:
        sentences.append("There is no watermark.")
    if story.events:
        fates = ", ".join(f"{story.count(fate):,} {fate.value}" for fate in Fate)
        sentences.append(f"Of {_count(len(story.events), 'event', 'events')}: {fates}.")
    return " ".join(sentences)


def axis_of(story: Story) -> Axis:
    """Return an axis on which all events and spans have their place, and the watermark while it is not far off."""
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
    dates = _many_days([low, high, *near])
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
        end = bottom + (STEP if _moves(batch) else GAP if batch is not story.batches[-1] else 0)
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
    single = [Mark(event, 1, axis.x(event.time), 0.0, _shorten(event.label, 22)) for event in order]
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
    width = _width(mark.label, LABEL)
    right = (Mark(mark.event, mark.count, x, 0.0, mark.label, x + gap), (x - half, x + gap + width + 6))
    left = (Mark(mark.event, mark.count, x, 0.0, mark.label, x - gap, True), (x - gap - width - 6, x + half))
    inside = [side for side in (right, left) if side[1][0] >= LEFT - 4 and side[1][1] <= RIGHT + 10]
    clear = [side for side in inside if line is None or not side[1][0] < line < side[1][1] or abs(line - x) < half]
    return clear or inside or [right]


def _bands(story: Story, axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    """Draw what is closed in each lane, and each window from its first event to the batch that closes it."""
    parts = [_rect(LEFT, lane.top, RIGHT - LEFT, lane.bottom - lane.top, "#f8fafc") for lane in lanes]
    opened, bars = _open_windows(story, axis, lanes)
    parts += opened
    if not _knows_closed(story):
        return parts
    closed = []
    for lane in lanes:
        refused = lane.batch.refused
        edges = (None, None) if refused is None else _closed_until(story, refused)
        closed.append((axis.x(edges[0]) if edges[0] is not None else LEFT, lane.top, lane.end))
        if edges[0] is not None and edges[1] > edges[0]:
            x = axis.x(edges[0])
            parts.append(_rect(x, lane.top, axis.x(edges[1]) - x, lane.end - lane.top, "#e2e8f0", opacity=0.75))
    parts += [_rect(LEFT, top, x - LEFT, end - top, CLOSED) for x, top, end in closed if x > LEFT]
    if path := _hatching(closed):
        parts.append(f'<path d="{path}" stroke="{FAINT}" fill="none"/>')
    return parts + bars


def _knows_closed(story: Story) -> bool:
    """Whether the picture can tell what is closed: not of reports alone, which do not say how long windows are."""
    return story.closes and story.has_watermark and bool(story.windows or story.events)


def _closed_until(story: Story, refused: int) -> tuple[int, int]:
    """Return up to where every window is closed, and up to where at least one is."""
    windows = story.windows
    if windows is None:
        return refused, refused
    some = windows.last_start(refused)
    return windows.last_start(refused - windows.size) + windows.slide, some


def _open_windows(story: Story, axis: Axis, lanes: Sequence[Lane]) -> tuple[list[str], list[str]]:
    """Draw the windows that have begun, and the bars that end them.

    Sliding windows lie over each other, so what the same ones share is drawn as one piece.
    """
    windows = story.windows
    if windows is None or windows.slide * (RIGHT - LEFT) < 7 * (axis.high - axis.low):
        return [], []
    begun: dict[int, int] = {}
    for number, lane in enumerate(lanes):
        for time in _counted(story, lane):
            last = windows.last_start(time)
            reach = range(-windows.size + windows.slide, windows.size, windows.slide)
            for piece in (last + away for away in reach):
                if axis.low <= piece < axis.high:
                    begun.setdefault(piece, number)
    parts, bars = [], []
    for piece, number in sorted(begun.items()):
        x, end = axis.x(piece), axis.x(piece + windows.slide)
        closing = [lane for lane in lanes if (lane.batch.before or 0) >= piece + windows.size] if story.closes else []
        bottom = closing[0].end if closing and closing[0].top >= lanes[number].top else lanes[-1].end
        parts.append(_rect(x + 1, lanes[number].top, end - x - 2, bottom - lanes[number].top, OPEN, rx=3))
        if closing and bottom == closing[0].end:
            bars += _closing(windows.size == windows.slide, x, end, closing[0])
    return parts, bars


def _closing(tumbling: bool, x: float, end: float, lane: Lane) -> list[str]:
    """Draw the bar that ends a window, and say so where a batch without rows leaves room for it."""
    bar = _rect(x + 1, lane.bottom - 1.5, end - x - 2, 3, INK, rx=1.5)
    if not tumbling or lane.marks or lane.batch.rows or end - x < 48:
        return [bar]
    return [bar, _text((x + end) / 2, lane.middle + 3, "closes", size=12, fill=SOFT, anchor="middle")]


def _counted(story: Story, lane: Lane) -> list[int]:
    """Return the times that opened windows in this batch; without events, all times that its span may hold."""
    if story.events:
        mine = [event for event in story.events if event.batch == lane.batch.number]
        return [event.time for event in mine if event.fate is not Fate.DROPPED]
    first, last, windows = lane.batch.first, lane.batch.last, story.windows
    if first is None or last is None or (last - first) // windows.slide > 1000:
        return []
    return [first, last, *range(windows.last_start(first) + windows.slide, last, windows.slide)]


def _hatching(regions: Sequence[tuple[float, float, float]]) -> str:
    """Return diagonals over all regions (right edge, top, bottom) that begin at the left edge of the plot."""
    if all(right <= LEFT for right, _, _ in regions):
        return ""
    top, bottom, right = regions[0][1], regions[-1][2], max(region[0] for region in regions)
    pieces = []
    for total in range(int(LEFT + top) + 9, int(right + bottom), 9):
        open_y: tuple[float, float] | None = None
        for edge, begin, end in [*regions, (LEFT, bottom, bottom)]:
            high, low = max(begin, total - edge), min(end, total - LEFT)
            if edge > LEFT and low > high and open_y and abs(open_y[1] - high) < 0.01:
                open_y = (open_y[0], low)
                continue
            if open_y:
                pieces.append(f"M{total - open_y[0]:.0f} {open_y[0]:.0f}L{total - open_y[1]:.0f} {open_y[1]:.0f}")
            open_y = (high, low) if edge > LEFT and low > high else None
    return "".join(pieces)


def _grid(axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    top, bottom = lanes[0].top, lanes[-1].end
    parts, day = [], None
    whole_days, years = axis.dates and all(tick % DAY == 0 for tick in axis.ticks), axis.high - axis.low > 365 * DAY
    for tick in axis.ticks:
        x = axis.x(tick)
        parts.append(f'<path d="M{x} {top - 6}V{bottom:g}" stroke="{FAINT}" stroke-dasharray="1 3"/>')
        if whole_days:
            parts.append(_text(x, top - 13, date_text(tick, years), size=12, fill=SOFT, anchor="middle"))
            continue
        parts.append(_text(x, top - 13, time_text(tick), size=12, fill=SOFT, anchor="middle"))
        if axis.dates and date_text(tick) != day:
            day = date_text(tick)
            parts.append(_text(x, top - 28, day, size=12, fill=SOFT, anchor="middle"))
    return parts


def _columns(story: Story, lanes: Sequence[Lane]) -> list[str]:
    """Write the numbers of each batch left and right of its lane."""
    y = lanes[0].top - 13
    parts = [
        _text(BATCH_X, y, "batch", size=12, fill=SOFT),
        _text(ROWS_X, y, "rows", size=12, fill=SOFT, anchor="end"),
        _text(WATERMARK_X, y - 15, "works with", size=12, fill=SOFT, anchor="end"),
        _text(WATERMARK_X, y, "watermark", size=12, fill=SOFT, anchor="end"),
        _text(DROPPED_X, y - 15, "Spark", size=12, fill=SOFT, anchor="end"),
        _text(DROPPED_X, y, "dropped", size=12, fill=SOFT, anchor="end"),
    ]
    dates = _many_days([batch.before for batch in story.batches])
    for lane in lanes:
        batch, y = lane.batch, lane.middle + 4.5
        watermark = "none yet" if batch.before is None else time_text(batch.before, dates)
        dropped = "–" if batch.dropped is None else _compact(batch.dropped)
        ink, bold = (INK, "bold") if batch.rows else (SOFT, "")
        drop_ink, drop_bold = (INK, "bold") if batch.dropped else (SOFT, "")
        parts += [
            _text(BATCH_X, y, str(batch.number), weight=bold, fill=ink),
            _text(ROWS_X, y, _compact(batch.rows) if batch.rows else "no data", anchor="end", fill=ink),
            _text(WATERMARK_X, y, watermark if story.has_watermark else "–", anchor="end", fill=ink),
            _text(DROPPED_X, y, dropped, anchor="end", weight=drop_bold, fill=drop_ink),
        ]
    return parts


def _spans(story: Story, axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    """Draw each batch's span of event times, with its mean, where no events are drawn."""
    parts = []
    for lane in lanes:
        batch = lane.batch
        if lane.marks or batch.first is None or batch.last is None:
            continue
        x, width = axis.x(batch.first), axis.x(batch.last) - axis.x(batch.first)
        title = f"batch {batch.number}: event times {time_text(batch.first)} to {time_text(batch.last)}"
        colour = COLOURS[Fate.ON_TIME]
        bar = f'<rect x="{x - 5:g}" y="{lane.middle - 5:g}" width="{width + 10:g}" height="10" rx="5" fill="{colour}"'
        parts.append(f"{bar}><title>{_xml(title)}</title></rect>")
        if batch.mean is not None and width > 10:
            parts.append(_rect(axis.x(batch.mean) - 1, lane.middle - 5, 2, 10, "#ffffff"))
    return parts


def _watermark(story: Story, axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    """Draw the watermark: down through the batches that work with it, sideways where one leaves it further on."""
    parts, path = [], ""
    for lane in lanes:
        batch = lane.batch
        if batch.before is not None:
            x = axis.x(batch.before)
            path += f"{'L' if path else 'M'}{x:g} {lane.top:g}"
            path += f"L{x:g} {lane.step_y:g}"
        if _moves(batch):
            x = axis.x(batch.after)
            path += f"{'' if path else f'M{LEFT} {lane.step_y:g}'}L{x:g} {lane.step_y:g}L{x:g} {lane.end:g}"
            parts += _delay(story, axis, lane)
    if path:
        parts.append(f'<path d="{path}" fill="none" stroke="#ffffff" stroke-width="6" stroke-linejoin="round"/>')
        parts.append(f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="2.5" stroke-linejoin="round"/>')
    return parts


def _delay(story: Story, axis: Axis, lane: Lane) -> list[str]:
    """Draw how far the new watermark stays behind the newest event."""
    batch = lane.batch
    if story.delay is None or batch.last is None or batch.last - batch.after != story.delay or not story.delay:
        return []
    x, end, y = axis.x(batch.after), axis.x(batch.last), lane.step_y
    if end - x < 16 or batch.after < axis.low:
        return []
    text, middle = duration_text(story.delay), (x + end) / 2 + 3
    half = _width(text, 12) / 2 + 4
    fits = end - x > 2 * half + 26
    line = f"M{end:g} {lane.bottom - 3:g}V{y:g}" + (f"H{middle + half:g}M{middle - half:g} {y:g}" if fits else "")
    parts = [f'<path d="{line}H{x + 6:g}" fill="none" stroke="{SOFT}" stroke-dasharray="2 3"/>']
    return parts + ([_text(middle, y + 4, text, size=12, fill=SOFT, anchor="middle")] if fits else [])


def _marks(lanes: Sequence[Lane]) -> list[str]:
    parts = []
    for lane in lanes:
        for mark in lane.marks:
            parts.append(_mark(mark.event.fate, mark.x, mark.y, _tooltip(mark)))
            if mark.label:
                anchor = "end" if mark.end else "start"
                parts.append(_text(mark.label_x, mark.y + 4, mark.label, size=LABEL, anchor=anchor, halo=3))
    return parts


def _mark(fate: Fate, x: float, y: float, title: str = "") -> str:
    """Draw a circle, a triangle or a cross: the colour is never the only sign."""
    colour, inside = COLOURS[fate], f"<title>{_xml(title)}</title>" if title else ""
    if fate is Fate.ON_TIME:
        return (
            f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{colour}" stroke="#fff" stroke-width="1.5">{inside}</circle>'
        )
    if fate is Fate.LATE:
        shape = f'd="M{x:g} {y - 6.5:g}l6.5 12h-13z" fill="{colour}" stroke="#7c4a00" stroke-linejoin="round"'
        return f"<path {shape}>{inside}</path>"
    cross = f"M{x - 4.5:g} {y - 4.5:g}l9 9m0 -9l-9 9"
    halo = f'<path d="{cross}" stroke="#fff" stroke-width="6" stroke-linecap="round"/>'
    return f'{halo}<path d="{cross}" stroke="{colour}" stroke-width="3" stroke-linecap="round">{inside}</path>'


def _tooltip(mark: Mark) -> str:
    event = mark.event
    if mark.count > 1:
        return f"{mark.count:,} events about {time_text(event.time)}, batch {event.batch}: {event.fate.value}"
    name = f"{event.label}: " if event.label else ""
    return f"{name}{time_text(event.time)}, batch {event.batch}, {event.fate.value}: {event.why}"


def _legend(story: Story) -> list[str]:
    """Draw what the signs mean; only those that may occur."""
    entries: list[tuple[str, str]] = []
    if not story.batches:
        return []
    if story.events:
        entries += [(_mark(fate, 7, 0), fate.value) for fate in Fate]
    elif any(batch.first is not None for batch in story.batches):
        entries.append(
            (_rect(0, -5, 22, 10, COLOURS[Fate.ON_TIME], rx=5) + _rect(12, -5, 2, 10, "#fff"), "event times")
        )
    if story.has_watermark:
        line = f'<path d="M1 -7V0H17V7" fill="none" stroke="{INK}" stroke-width="2.5" stroke-linejoin="round"/>'
        entries.append((line, "watermark"))
    if story.windows and story.has_watermark:
        entries.append((_rect(0, -7, 18, 14, OPEN, rx=3), "open window"))
    if story.windows and story.windows.slide < story.windows.size and _knows_closed(story):
        entries.append((_rect(0, -7, 18, 14, "#e2e8f0"), "partly closed"))
    if _knows_closed(story):
        diagonals = f'<path d="M0 1L8 -7M2 7L16 -7M11 7L18 0" stroke="{FAINT}"/>'
        entries.append((_rect(0, -7, 18, 14, CLOSED) + diagonals, "closed window" if story.windows else "too late"))
    parts, x = [], BATCH_X
    for sign, name in entries:
        parts.append(f'<g transform="translate({x:g} 88)">{sign}</g>')
        parts.append(_text(x + 28, 92.5, name, fill=SOFT))
        x = round(x + 28 + _width(name, 13) + 18)
    return parts


def _paragraphs(story: Story, y: float) -> list[tuple[str, float]]:
    """Return the lines below the plot with their places."""
    lines = [line for note in story.notes for line in textwrap.wrap(_clean(note), 118)]
    return [(line, y + 19 * number) for number, line in enumerate(lines)]


def _subtitle(story: Story) -> str:
    if not story.batches:
        return ""
    times = [t for b in story.batches for t in (b.first, b.last, b.before, b.after)]
    times += [event.time for event in story.events]
    known = [time for time in times if time is not None]
    if not known:
        return f"{_numbers(story)}"
    first, last = date_text(min(known), True), date_text(max(known), True)
    days = first if first == last else f"{first} to {last}"
    return f"{_numbers(story)} · event time in UTC, {days}"


def _numbers(story: Story) -> str:
    first, last = story.batches[0].number, story.batches[-1].number
    return f"batch {first}" if first == last else f"batches {first} to {last}"


def _moves(batch: Batch) -> bool:
    return batch.after is not None and batch.after != batch.before


def _ticks(low: int, high: int, unit: int, offset: int, dates: bool) -> tuple[int, ...]:
    """Return ticks at nice times, at the ends of windows where there are any, with room for their labels."""
    room = 66 if dates else 58
    wide = [step for step in _NICE if step / (high - low) * (RIGHT - LEFT) >= room]
    step = wide[0] if wide else (high - low)
    if unit:
        multiples = [n * unit for n in (1, 2, 3, 4, 5, 6, 10, 12, 20, 24, 30, 60) if n * unit >= step]
        step = next((n for n in multiples if n in _NICE), multiples[0] if multiples else step)
    first = low + (offset - low) % step if unit else low + -low % step
    return tuple(range(first, high, step))[:20]


def _many_days(times: Iterable[int | None]) -> bool:
    return len({time // DAY for time in times if time is not None}) > 1


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _compact(number: int) -> str:
    return f"{number:,}" if number < 1_000_000 else f"{number / 1_000_000:,.1f} M"


def _rect(x: float, y: float, width: float, height: float, fill: str, rx: float = 0, opacity: float = 1) -> str:
    more = (f' rx="{rx:g}"' if rx else "") + (f' opacity="{opacity:g}"' if opacity < 1 else "")
    return f'<rect x="{x:g}" y="{y:g}" width="{max(width, 0):g}" height="{max(height, 0):g}" fill="{fill}"{more}/>'


def _text(
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
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}"{more}>{_xml(text)}</text>'


def _width(text: str, size: int) -> float:
    """Return about how wide a text is, rather too wide than too narrow."""

    def share(character: str) -> float:
        if unicodedata.east_asian_width(character) in "WF":
            return 1.05
        if character in "ijltfrI.,:;'|!()[]- ":
            return 0.34
        return 0.86 if character.isupper() or character in "mw@%—×" or not character.isascii() else 0.58

    return size * sum(share(character) for character in text)


def _shorten(text: str, most: int) -> str:
    text = " ".join(_clean(text).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _xml(text: str) -> str:
    return escape(_clean(text))
