"""A graph as HTML: a summary line, nodes as boxes and arrows as SVG, and errors below.

Without scripts and without ids, so that it may stand in a saved notebook, and beside others.  How large a box is
depends only on what is known before anything runs, so that nothing moves while it does.  Signs are paths, since no font
has all of them.
"""

from __future__ import annotations

import base64
from html import escape

from declarative_pipelines.definitions.model import DatasetKind
from declarative_pipelines.graph import (
    Bar,
    Box,
    Graph,
    Layout,
    Node,
    description,
    layout,
    seconds_text,
    state_word,
    timeless,
)
from declarative_pipelines.updates.results import State
from streaming_base.svg_text import escape_xml, text_width

_TABLE = "M1.5 2.5h13v11h-13zM1.5 6.2h13M1.5 9.8h13M6 6.2v7.3"
#: What a node is, on 16 by 16 pixels; None is outside the pipeline.
KINDS = {
    DatasetKind.STREAMING_TABLE: (
        "M1 4c2.3-3 4.7-3 7 0s4.7 3 7 0M1 8.5c2.3-3 4.7-3 7 0s4.7 3 7 0M1 13c2.3-3 4.7-3 7 0s4.7 3 7 0"
    ),
    DatasetKind.TABLE: _TABLE,
    DatasetKind.MATERIALIZED_VIEW: _TABLE,
    DatasetKind.TEMPORARY_VIEW: "M1 8c3.5-6 10.5-6 14 0c-3.5 6-10.5 6-14 0zM8 5.8a2.2 2.2 0 1 0 .01 0z",
    DatasetKind.SINK: "M8 1v8.5M4.5 6.2L8 9.7l3.5-3.5M1.5 9.5v4.5h13v-4.5",
    None: "M2 4c0-3 12-3 12 0s-12 3-12 0v8c0 3 12 3 12 0v-8",
}
#: How far it is, on 12 by 12 pixels.
STATES = {
    State.QUEUED: "M6 1.5a4.5 4.5 0 1 0 .01 0zM6 3.8v2.4l1.7 1",
    State.RUNNING: "M3 1.5l7 4.5l-7 4.5z",
    State.COMPLETED: "M1.5 6.5l3 3l6-7",
    State.FAILED: "M2 2l8 8M10 2l-8 8",
    State.SKIPPED: "M2 2l4 4l-4 4M7 2l4 4l-4 4",
    State.STOPPED: "M2 2h8v8h-8z",
    State.EXCLUDED: "M2 6h8",
}
#: Colours on light ground and on dark; each is at least 4.5 : 1 against the boxes, which a test computes.
COLOURS = {
    "ink": ("#0f172a", "#e8edf4"),
    "soft": ("#475569", "#b3bfce"),
    "line": ("#94a3b8", "#64748b"),
    "box": ("#ffffff", "#1b222c"),
    "pale": ("#f4f6f9", "#161b22"),
    "keep": ("#3f8fc4", "#5aa9dd"),
    "break": ("#d55e00", "#ff9f6b"),
    "running": ("#005a8e", "#7cc4f5"),
    "completed": ("#00664b", "#4cd3ae"),
    "failed": ("#a83a00", "#ff9f6b"),
    "stopped": ("#7d4a00", "#ffc24d"),
}
#: States that have a colour of their own; the others are soft.
COLOURED = (State.RUNNING, State.COMPLETED, State.FAILED, State.STOPPED)

_DARK = ':is(body[data-jp-theme-light="false"],body.vscode-dark,body.vscode-high-contrast) .sg'
_RULES = (
    ".sg svg,.sg img{display:block;height:auto;direction:ltr;zoom:var(--sc-scale,1)}"  # larger for a projector
    ".sg .b{fill:var(--sg-box);stroke:var(--sg-line);stroke-width:1.3}"
    ".sg .o{fill:var(--sg-pale);stroke:var(--sg-line);stroke-width:1}"
    ".sg .v{stroke-dasharray:5 3}"
    ".sg .e{stroke:var(--sg-line);stroke-width:1.4;fill:none}.sg .a{fill:var(--sg-line)}"
    ".sg text{fill:var(--sg-ink)}.sg text.s{fill:var(--sg-soft)}.sg .n{fill:var(--sg-ink)}"
    ".sg .i{fill:none;stroke:var(--sg-soft);stroke-width:1.4}"
    ".sg .g{fill:none;stroke:var(--sg-soft);stroke-width:1.8;stroke-linejoin:round}"
    ".sg .k{fill:var(--sg-keep)}.sg .x{fill:var(--sg-break)}"
    # A shade at an edge behind which there is more, by the position of the scroll bar where a browser knows it.
    ".sg .w{display:flex}.sg .w::before,.sg .w::after{content:'';position:sticky;flex:0 0 32px;"
    "background:linear-gradient(var(--sg-to),var(--sg-line),transparent);pointer-events:none;opacity:0;"
    "animation:sg-shade linear both;animation-timeline:scroll(inline)}"
    ".sg .w::before{inset-inline-start:0;margin-inline-end:-32px;animation-direction:reverse}"
    ".sg .w::after{inset-inline-end:0;margin-inline-start:-32px}"
    ".sg .w::before,.sg .w.r::after{--sg-to:90deg}.sg .w::after,.sg .w.r::before{--sg-to:270deg}"
    "@keyframes sg-shade{from{opacity:.6}to{opacity:0}}"
)
WIDEST = 260.0
WITH_BARS, WITH_STATE, WITHOUT = 232.0, 208.0, 120.0  # the least width, by what a box has to show
PAD = 11.0
HEAD, DROPPED, BAR = 66.0, 17.0, 31.0  # heights of what a box has always, for its dropped rows, for each rule
VIEW_HEAD = 46.0  # without a line for the state
NAME_SIZE, SMALL = 13, 11
SIGN = 23.0  # width of the sign before the name
BOLD = 1.1  # how much wider than other text bold text is
_FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
_HEAD = 7.0  # length of an arrow's head
_SMALLEST = 0.8  # of its size, to which a graph shrinks to be seen whole; a larger one is scrolled, for texts are small


def as_html(graph: Graph) -> str:
    """Return the graph as HTML in the page's theme."""
    return f"{_style()}{_framed(graph, as_svg(graph), with_seconds=True)}"


def as_image(graph: Graph) -> str:
    """Return the graph as an image for saved notebooks, whose viewers may remove SVG from HTML.

    It has no seconds: the same counts always give the same string.
    """
    # Its own ground and its own rules: the page's do not reach into an image.
    svg = as_svg(graph, with_seconds=False, inner=f'{_style()}<rect class="p" width="100%" height="100%"/>')
    encoded = base64.b64encode(svg.encode()).decode()
    image = (
        f'<img alt="{escape(description(timeless(graph)))}" {_fitting(_places(graph)) if graph.nodes else ""} '
        f'src="data:image/svg+xml;base64,{encoded}">'
    )
    return _framed(graph, image, with_seconds=False)


def as_svg(graph: Graph, with_seconds: bool = True, inner: str = "") -> str:
    """Return boxes and arrows; an empty string without nodes."""
    if not graph.nodes:
        return ""
    places = _places(graph)
    width, height = f"{places.width:g}", f"{places.height:g}"
    label = description(graph if with_seconds else timeless(graph))
    named = f'role="img" aria-label="{escape_xml(label)}"'
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="sg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" {_fitting(places)} font-family="{_FONT}" font-size="12" fill="none" {named}>',
            inner.replace('class="p"', f'fill="{COLOURS["box"][0]}"'),
            *(_arrow(route) for route in places.routes),
            *(_box(node, places.boxes[node.name], with_seconds) for node in graph.nodes),
            "</svg>",
        ]
    )


def _places(graph: Graph) -> Layout:
    return layout({node.name: _size_of(node) for node in graph.nodes}, graph.edges)


def _fitting(places: Layout) -> str:
    """Return the attribute that shrinks a graph slightly wider than its page."""
    return f'style="max-width:100%;min-width:{round(places.width * _SMALLEST)}px"'


def _framed(graph: Graph, picture: str, with_seconds: bool) -> str:
    ink = "color:var(--jp-ui-font-color1,var(--vscode-foreground,#1f2328))"
    box = f"<div {_scroller(graph)}>{picture}</div>" if picture else ""
    errors = "".join(
        f'<p style="margin:.4em 0 0;padding-left:.6em;border-left:4px solid {COLOURS["break"][0]};'
        f'overflow-wrap:anywhere">{escape(error)}</p>'
        for error in graph.errors
    )
    return f'<div class="sg" style="{ink}">{_headline(graph, with_seconds)}{box}{errors}</div>'


def _scroller(graph: Graph) -> str:
    """Return the attributes of a graph's scroll container; it begins at the right end if the graph failed there."""
    failed = next((node.name for node in graph.nodes if node.state is State.FAILED), None)
    if failed is not None:
        places = _places(graph)
        box = places.boxes[failed]
        if box.x + box.width / 2 > places.width / 2:
            return 'class="w r" style="overflow-x:auto;direction:rtl"'
    return 'class="w" style="overflow-x:auto"'


def _headline(graph: Graph, with_seconds: bool) -> str:
    mark = {State.COMPLETED: "✓ ", State.FAILED: "✗ "}.get(graph.state, "")
    colour = f' class="{state_word(graph.state)}"' if graph.state in COLOURED else ""
    seconds = "".join(f" · {said}" for said in seconds_text(graph.seconds, graph.state)) if with_seconds else ""
    state = f"<span{colour}>{mark}{escape(graph.shown_state)}</span>"
    return f'<p style="margin:0 0 .3em"><strong>{escape(graph.title)}</strong> · {state}{seconds}</p>'


def _arrow(route: list[tuple[float, float]]) -> str:
    *points, (tip_x, tip_y) = route
    points.append((tip_x - _HEAD + 1, tip_y))
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for number in range(1, len(points)):
        (x, y), (to_x, to_y) = points[number - 1], points[number]
        if number % 2 == 0 or y == to_y:
            path += f"L{to_x:g} {to_y:g}"
        else:
            half = (x + to_x) / 2
            path += f"C{half:g} {y:g} {half:g} {to_y:g} {to_x:g} {to_y:g}"
    head = f"M{tip_x:g} {tip_y:g}l-{_HEAD:g}-4v8z"
    return f'<path class="e" d="{path}"/><path class="a" d="{head}"/>'


def _style() -> str:
    """Return the CSS rules of all graphs of a page, the same for each."""
    light, dark = ("".join(f"--sg-{name}:{pair[at]};" for name, pair in COLOURS.items()) for at in (0, 1))
    phases = "".join(
        f".sg text.{name}{{fill:var(--sg-{name})}}.sg .b.{name},.sg .g.{name}{{stroke:var(--sg-{name})}}"
        f".sg span.{name}{{color:var(--sg-{name})}}"
        for name in map(state_word, COLOURED)
    )
    strong = ".sg .b.running,.sg .b.failed{stroke-width:2.2}"
    return f"<style>.sg{{{light}}}{_DARK}{{{dark}}}{_RULES}{phases}{strong}</style>"


def _size_of(node: Node) -> tuple[float, float]:
    """Return the width and the height that a node's box needs."""
    texts = [SIGN + text_width(node.shown_name, NAME_SIZE) * BOLD, text_width(node.shown_kind, SMALL)]
    texts += [45 + text_width(bar.name, SMALL) for bar in node.bars]
    narrowest = WITH_BARS if node.bars else WITH_STATE if node.state else WITHOUT
    width = min(max(max(texts) + 2 * PAD, narrowest), WIDEST)
    height = VIEW_HEAD if node.state is None else HEAD
    height += DROPPED if _may_drop(node) else 0
    return round(width), height + BAR * len(node.bars)


def _box(node: Node, box: Box, with_seconds: bool) -> str:
    """Return a box; its texts are cut to the available width, and whole in its title."""
    inner = box.width - 2 * PAD
    title = f"{node.name}: {node.shown_kind}" + (f", {state_word(node.state)}" if node.state else "")
    parts = [
        f'<g transform="translate({box.x:g} {box.y:g})">',
        f"<title>{escape_xml(title)}</title>",
        _outline(node, box),
        f'<path class="i" transform="translate({PAD:g} 9)" d="{KINDS[node.kind]}"/>',
        _text(PAD + SIGN, 21.5, truncate(node.shown_name, (inner - SIGN) / BOLD, NAME_SIZE), weight=True),
        _text(PAD, 38.5, node.shown_kind, "s", SMALL),
        *(_state(node, box) if node.state else ()),
    ]
    if with_seconds and node.state not in (None, State.QUEUED):
        parts += [_right(box, 38.5, said, "s") for said in seconds_text(node.seconds, node.state)]
    y = VIEW_HEAD if node.state is None else HEAD
    if _may_drop(node):
        y += DROPPED
        if node.dropped is not None:
            parts.append(_right(box, y - 10, f"{node.dropped:,} dropped", "" if node.dropped else "s"))
    columns = _columns(node)
    for number, bar in enumerate(node.bars):
        parts += _rule(bar, box, y + BAR * number, columns)
    return "".join([*parts, "</g>"])


def _text(x: float, y: float, said: str, kind: str = "", size: int = 12, weight: bool = False, anchor: str = "") -> str:
    more = f' class="{kind}"' if kind else ""
    more += f' font-size="{size}"' if size != 12 else ""
    more += ' font-weight="600"' if weight else ""
    more += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape_xml(said)}</text>'


def truncate(said: str, room: float, size: int) -> str:
    """Return a text cut to a width."""
    said = " ".join(said.split())
    if text_width(said, size) <= room:
        return said
    while said and text_width(said + "…", size) > room:
        said = said[:-1]
    return said.rstrip() + "…"


def _may_drop(node: Node) -> bool:
    return any(bar.consequence == "drop" for bar in node.bars)


def _outline(node: Node, box: Box) -> str:
    width, height = f"{box.width:g}", f"{box.height:g}"
    kind = "o" if node.kind is None or node.state is State.EXCLUDED else f"b{_colour(node.state)}"
    if node.kind is DatasetKind.SINK:  # pointed, to where the rows leave
        middle, edge = f"{box.height / 2:g}", f"{box.width - 9:g}"
        return f'<path class="{kind}" d="M0 0H{edge}L{width} {middle}L{edge} {height}H0z"/>'
    dashed = " v" if node.kind is DatasetKind.TEMPORARY_VIEW else ""
    corners = {DatasetKind.STREAMING_TABLE: 12, DatasetKind.TEMPORARY_VIEW: 8, None: 5}
    return f'<rect class="{kind}{dashed}" width="{width}" height="{height}" rx="{corners.get(node.kind, 1)}"/>'


def _colour(state: State | None) -> str:
    return f" {state_word(state)}" if state in COLOURED else ""


def _state(node: Node, box: Box) -> list[str]:
    assert node.state is not None  # asked by the caller
    colour = _colour(node.state)
    parts = [
        f'<path class="g{colour}" transform="translate({PAD:g} 45.5)" d="{STATES[node.state]}"/>',
        _text(PAD + 18, 56, state_word(node.state), colour.strip() or "s"),
    ]
    if node.rows is not None:
        number = f'<tspan class="n" font-size="12" font-weight="600">{node.rows:,}</tspan>'
        place = f'x="{box.width - PAD:g}" y="56" font-size="{SMALL}" text-anchor="end"'
        parts.append(f'<text class="s" {place}>{number} {"row" if node.rows == 1 else "rows"}</text>')
    return parts


def _right(box: Box, y: float, said: str, kind: str = "") -> str:
    return _text(box.width - PAD, y, said, kind, SMALL, anchor="end")


def _columns(node: Node) -> tuple[float, float]:
    """Return how wide the counts left and right of the bars are, so that the bars of a box begin and end alike."""
    said = [_counts(bar) for bar in node.bars]
    left, right = (max((text_width(one[at], SMALL) + 7 for one in said if one), default=0.0) for at in (0, 1))
    return left, right


def _counts(bar: Bar) -> tuple[str, str] | None:
    if bar.met is None or bar.violated is None:
        return None
    return f"{bar.met:,} met", f"{bar.violated:,} violated"


def _rule(bar: Bar, box: Box, y: float, columns: tuple[float, float]) -> list[str]:
    """Draw an expectation: its name and consequence, and below the passed records, a bar, the violations."""
    inner = box.width - 2 * PAD
    room = inner - text_width(bar.consequence, SMALL) - 8
    said = _counts(bar)
    title = f"{bar.name} ({bar.consequence})"
    if said is not None:
        title += f": {bar.met:,} met it, {bar.violated:,} violated it"
    parts = [
        f"<g><title>{escape_xml(title)}</title>",
        _text(PAD, y + 9, truncate(bar.name, room, SMALL), "", SMALL),
        _right(box, y + 9, bar.consequence, "s"),
    ]
    if said is None:
        return [*parts, f'<path class="e" opacity=".5" d="M{PAD:g} {y + 18:g}h{inner:g}"/></g>']
    parts += [_text(PAD, y + 22, said[0], "s", SMALL), _right(box, y + 22, said[1], "failed" if bar.violated else "s")]
    met, violated = bar.met or 0, bar.violated or 0
    x, room = PAD + columns[0], inner - sum(columns)
    if room >= 12 and met + violated:
        # What is there is seen, be it one row of a million.
        width = min(max(met / (met + violated) * room, 2 if met else 0), room - (2 if violated else 0))
        strips = (("k", met, x, width), ("x", violated, x + width, room - width))
        parts += [
            f'<path class="{kind}" d="M{begin:.1f} {y + 16:g}h{long:.1f}v4h-{long:.1f}z"/>'
            for kind, rows, begin, long in strips
            if rows
        ]
    return [*parts, "</g>"]
