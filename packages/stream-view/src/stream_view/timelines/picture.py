"""A timeline as one picture: event time from left to right, batches from top to bottom.

The picture is one string of SVG that needs no script, no style of the page's and no ids, so that any number of them
may stand on a page.  First everything gets its place, then it is drawn in the order in which it lies on the paper.
"""

from __future__ import annotations

import textwrap

from stream_view.timelines.drawing import _knows_closed, bands, columns, grid, mark_shape, marks, spans, watermark
from stream_view.timelines.layout import (
    BATCH_X,
    CLOSED,
    COLOURS,
    FAINT,
    INK,
    OPEN,
    SOFT,
    WIDTH,
    axis_of,
    counted_noun,
    lanes_of,
    many_days,
    rectangle,
    shorten,
    text_element,
)
from stream_view.timelines.story import Outcome, Story, date_text, time_text
from streaming_base.svg_text import clean, escape_xml, text_width


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


def _paragraphs(story: Story, y: float) -> list[tuple[str, float]]:
    """Return the lines below the plot with their places."""
    lines = [line for note in story.notes for line in textwrap.wrap(clean(note), 118)]
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
