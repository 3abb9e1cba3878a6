"""A timeline as one picture: event time from left to right, batches from top to bottom.

The picture is one string of SVG that needs no script, no style of the page's and no ids, so that any number of them
may stand on a page.  First everything gets its place, then it is drawn in the order in which it lies on the paper.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from stream_view.timelines.layout import (
    BATCH_X,
    CLOSED,
    COLOURS,
    DROPPED_X,
    FAINT,
    INK,
    LABEL,
    LEFT,
    OPEN,
    RIGHT,
    ROWS_X,
    SOFT,
    WATERMARK_X,
    WIDTH,
    Axis,
    Lane,
    Mark,
    axis_of,
    compact,
    counted_noun,
    lanes_of,
    many_days,
    moves,
    rectangle,
    shorten,
    text_element,
)
from stream_view.timelines.story import DAY, Outcome, Story, date_text, duration_text, time_text
from streaming_base.svg_text import clean, escape_xml, text_width


def picture(story: Story) -> str:
    """Return the timeline as SVG; the same story always gives the same string."""
    axis = axis_of(story)
    legend = _legend(story)
    top = 150 if legend else 126
    lanes = lanes_of(story, axis, top)
    below = lanes[-1].end + 34 if lanes else 66
    lines = [line for note in story.notes for line in textwrap.wrap(clean(note), 118)]
    foot = [(line, below + 19 * number) for number, line in enumerate(lines)]
    height = round(foot[-1][1] + 24 if foot else below - 12)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'style="max-width:100%;height:auto" font-family="Helvetica, Arial, sans-serif" font-size="13" role="img" '
        f'aria-label="{escape_xml(description(story))}">',
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#ffffff"/>',
        text_element(BATCH_X, 40, shorten(story.name, 60), size=17, weight="bold"),
        text_element(BATCH_X, 61, _subtitle(story), fill=SOFT),
        *legend,
    ]
    if lanes:
        parts += [*bands(story, axis, lanes), *grid(axis, lanes), *columns(story, lanes)]
        parts += [*spans(story, axis, lanes), *watermark(story, axis, lanes), *marks(lanes)]
    parts += [text_element(BATCH_X, y, line, fill=SOFT) for line, y in foot]
    return "".join([*parts, "</svg>"])


def description(story: Story) -> str:
    """Return the timeline in words, for screen readers."""
    if not story.batches:
        return f"Timeline of {story.name}: no batch yet."
    first, last = story.batches[0], story.batches[-1]
    dates = many_days([t for b in story.batches for t in (b.before, b.after, b.first, b.last)])
    sentences = [
        f"Timeline of {story.name}: {counted_noun(len(story.batches), 'batch', 'batches')}, {_numbers(story)}."
    ]
    marks = [b.before for b in story.batches if b.before is not None]
    marks += [last.after] if last.after is not None else []
    if marks:
        begin = "is not set at first, then goes" if first.before is None else "goes"
        sentences.append(f"The watermark {begin} from {time_text(marks[0], dates)} to {time_text(marks[-1], dates)}.")
    else:
        sentences.append("There is no watermark.")
    if story.events:
        fates = ", ".join(f"{story.count(fate):,} {fate.value}" for fate in Outcome)
        sentences.append(f"Of {counted_noun(len(story.events), 'event', 'events')}: {fates}.")
    return " ".join(sentences)


def _legend(story: Story) -> list[str]:
    """Draw the legend of the signs that may occur."""
    entries: list[tuple[str, str]] = []
    if not story.batches:
        return []
    if story.events:
        entries += [(mark_shape(fate, 7, 0), fate.value) for fate in Outcome]
    elif any(batch.first is not None for batch in story.batches):
        entries.append(
            (rectangle(0, -5, 22, 10, COLOURS[Outcome.ON_TIME], rx=5) + rectangle(12, -5, 2, 10, "#fff"), "event times")
        )
    if story.has_watermark:
        line = f'<path d="M1 -7V0H17V7" fill="none" stroke="{INK}" stroke-width="2.5" stroke-linejoin="round"/>'
        entries.append((line, "watermark"))
    if story.windows and story.has_watermark:
        entries.append((rectangle(0, -7, 18, 14, OPEN, rx=3), "open window"))
    if story.windows and story.windows.slide < story.windows.size and _knows_closed(story):
        entries.append((rectangle(0, -7, 18, 14, "#e2e8f0"), "partly closed"))
    if _knows_closed(story):
        diagonals = f'<path d="M0 1L8 -7M2 7L16 -7M11 7L18 0" stroke="{FAINT}"/>'
        entries.append((rectangle(0, -7, 18, 14, CLOSED) + diagonals, "closed window" if story.windows else "too late"))
    parts, x = [], BATCH_X
    for sign, name in entries:
        parts.append(f'<g transform="translate({x:g} 88)">{sign}</g>')
        parts.append(text_element(x + 28, 92.5, name, fill=SOFT))
        x = round(x + 28 + text_width(name, 13) + 18)
    return parts


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


def bands(story: Story, axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    """Draw the closed times of each lane, and each window from its first event to the batch that closes it."""
    parts = [rectangle(LEFT, lane.top, RIGHT - LEFT, lane.bottom - lane.top, "#f8fafc") for lane in lanes]
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
            parts.append(rectangle(x, lane.top, axis.x(edges[1]) - x, lane.end - lane.top, "#e2e8f0", opacity=0.75))
    parts += [rectangle(LEFT, top, x - LEFT, end - top, CLOSED) for x, top, end in closed if x > LEFT]
    if path := _hatching(closed):
        parts.append(f'<path d="{path}" stroke="{FAINT}" fill="none"/>')
    return parts + bars


def _knows_closed(story: Story) -> bool:
    """Whether closed times are known: reports alone do not have the length of windows."""
    return story.closes and story.has_watermark and bool(story.windows or story.events)


def _closed_until(story: Story, refused: int) -> tuple[int, int]:
    """Return up to where every window is closed, and up to where at least one is."""
    windows = story.windows
    if windows is None:
        return refused, refused
    some = windows.last_start(refused)
    return windows.last_start(refused - windows.size) + windows.slide, some


def _open_windows(story: Story, axis: Axis, lanes: Sequence[Lane]) -> tuple[list[str], list[str]]:
    """Draw the open windows and the bars that end them.

    Sliding windows overlap, so pieces of the same set of windows are drawn once.
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
        parts.append(rectangle(x + 1, lanes[number].top, end - x - 2, bottom - lanes[number].top, OPEN, rx=3))
        if closing and bottom == closing[0].end:
            bars += _closing(windows.size == windows.slide, x, end, closing[0])
    return parts, bars


def _closing(tumbling: bool, x: float, end: float, lane: Lane) -> list[str]:
    """Draw the bar that ends a window, with its text if a batch without rows leaves room."""
    bar = rectangle(x + 1, lane.bottom - 1.5, end - x - 2, 3, INK, rx=1.5)
    if not tumbling or lane.marks or lane.batch.rows or end - x < 48:
        return [bar]
    return [bar, text_element((x + end) / 2, lane.middle + 3, "closes", size=12, fill=SOFT, anchor="middle")]


def _counted(story: Story, lane: Lane) -> list[int]:
    """Return the times that opened windows in this batch; without events, all times that its span may hold."""
    if story.events:
        mine = [event for event in story.events if event.batch == lane.batch.number]
        return [event.time for event in mine if event.fate is not Outcome.DROPPED]
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


def grid(axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    top, bottom = lanes[0].top, lanes[-1].end
    parts, day = [], None
    whole_days, years = axis.dates and all(tick % DAY == 0 for tick in axis.ticks), axis.high - axis.low > 365 * DAY
    for tick in axis.ticks:
        x = axis.x(tick)
        parts.append(f'<path d="M{x} {top - 6}V{bottom:g}" stroke="{FAINT}" stroke-dasharray="1 3"/>')
        if whole_days:
            parts.append(text_element(x, top - 13, date_text(tick, years), size=12, fill=SOFT, anchor="middle"))
            continue
        parts.append(text_element(x, top - 13, time_text(tick), size=12, fill=SOFT, anchor="middle"))
        if axis.dates and date_text(tick) != day:
            day = date_text(tick)
            parts.append(text_element(x, top - 28, day, size=12, fill=SOFT, anchor="middle"))
    return parts


def columns(story: Story, lanes: Sequence[Lane]) -> list[str]:
    """Write the numbers of each batch left and right of its lane."""
    y = lanes[0].top - 13
    parts = [
        text_element(BATCH_X, y, "batch", size=12, fill=SOFT),
        text_element(ROWS_X, y, "rows", size=12, fill=SOFT, anchor="end"),
        text_element(WATERMARK_X, y - 15, "works with", size=12, fill=SOFT, anchor="end"),
        text_element(WATERMARK_X, y, "watermark", size=12, fill=SOFT, anchor="end"),
        text_element(DROPPED_X, y - 15, "Spark", size=12, fill=SOFT, anchor="end"),
        text_element(DROPPED_X, y, "dropped", size=12, fill=SOFT, anchor="end"),
    ]
    dates = many_days([batch.before for batch in story.batches])
    for lane in lanes:
        batch, y = lane.batch, lane.middle + 4.5
        watermark = "none yet" if batch.before is None else time_text(batch.before, dates)
        dropped = "–" if batch.dropped is None else compact(batch.dropped)
        ink, bold = (INK, "bold") if batch.rows else (SOFT, "")
        drop_ink, drop_bold = (INK, "bold") if batch.dropped else (SOFT, "")
        parts += [
            text_element(BATCH_X, y, str(batch.number), weight=bold, fill=ink),
            text_element(ROWS_X, y, compact(batch.rows) if batch.rows else "no data", anchor="end", fill=ink),
            text_element(WATERMARK_X, y, watermark if story.has_watermark else "–", anchor="end", fill=ink),
            text_element(DROPPED_X, y, dropped, anchor="end", weight=drop_bold, fill=drop_ink),
        ]
    return parts


def spans(story: Story, axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    """Draw each batch's span of event times, with its mean, where no events are drawn."""
    parts = []
    for lane in lanes:
        batch = lane.batch
        if lane.marks or batch.first is None or batch.last is None:
            continue
        x, width = axis.x(batch.first), axis.x(batch.last) - axis.x(batch.first)
        title = f"batch {batch.number}: event times {time_text(batch.first)} to {time_text(batch.last)}"
        colour = COLOURS[Outcome.ON_TIME]
        bar = f'<rect x="{x - 5:g}" y="{lane.middle - 5:g}" width="{width + 10:g}" height="10" rx="5" fill="{colour}"'
        parts.append(f"{bar}><title>{escape_xml(title)}</title></rect>")
        if batch.mean is not None and width > 10:
            parts.append(rectangle(axis.x(batch.mean) - 1, lane.middle - 5, 2, 10, "#ffffff"))
    return parts


def watermark(story: Story, axis: Axis, lanes: Sequence[Lane]) -> list[str]:
    """Draw the watermark: down through the batches that work with it, sideways where one leaves it further on."""
    parts, path = [], ""
    for lane in lanes:
        batch = lane.batch
        if batch.before is not None:
            x = axis.x(batch.before)
            path += f"{'L' if path else 'M'}{x:g} {lane.top:g}"
            path += f"L{x:g} {lane.step_y:g}"
        if moves(batch):
            x = axis.x(batch.after)
            path += f"{'' if path else f'M{LEFT} {lane.step_y:g}'}L{x:g} {lane.step_y:g}L{x:g} {lane.end:g}"
            parts += _delay(story, axis, lane)
    if path:
        parts.append(f'<path d="{path}" fill="none" stroke="#ffffff" stroke-width="6" stroke-linejoin="round"/>')
        parts.append(f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="2.5" stroke-linejoin="round"/>')
    return parts


def _delay(story: Story, axis: Axis, lane: Lane) -> list[str]:
    """Draw the delay of the new watermark behind the newest event."""
    batch = lane.batch
    if story.delay is None or batch.last is None or batch.last - batch.after != story.delay or not story.delay:
        return []
    x, end, y = axis.x(batch.after), axis.x(batch.last), lane.step_y
    if end - x < 16 or batch.after < axis.low:
        return []
    text, middle = duration_text(story.delay), (x + end) / 2 + 3
    half = text_width(text, 12) / 2 + 4
    fits = end - x > 2 * half + 26
    line = f"M{end:g} {lane.bottom - 3:g}V{y:g}" + (f"H{middle + half:g}M{middle - half:g} {y:g}" if fits else "")
    parts = [f'<path d="{line}H{x + 6:g}" fill="none" stroke="{SOFT}" stroke-dasharray="2 3"/>']
    return parts + ([text_element(middle, y + 4, text, size=12, fill=SOFT, anchor="middle")] if fits else [])


def marks(lanes: Sequence[Lane]) -> list[str]:
    parts = []
    for lane in lanes:
        for mark in lane.marks:
            parts.append(mark_shape(mark.event.fate, mark.x, mark.y, _tooltip(mark)))
            if mark.label:
                anchor = "end" if mark.end else "start"
                parts.append(text_element(mark.label_x, mark.y + 4, mark.label, size=LABEL, anchor=anchor, halo=3))
    return parts


def mark_shape(fate: Outcome, x: float, y: float, title: str = "") -> str:
    """Draw a circle, a triangle or a cross: the colour is never the only sign."""
    colour, inside = COLOURS[fate], f"<title>{escape_xml(title)}</title>" if title else ""
    if fate is Outcome.ON_TIME:
        return (
            f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{colour}" stroke="#fff" stroke-width="1.5">{inside}</circle>'
        )
    if fate is Outcome.LATE:
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
