"""One node of a graph as an SVG box: name, kind, state, rows, and a bar per rule.

How large a box is depends only on what is known before anything runs, so that nothing moves while it does.

They are paths, since no font has all of them.
"""

from __future__ import annotations

from declarative_pipelines.view.graph import Bar, Node, Phase, Shape, seconds_text
from declarative_pipelines.view.layers import Box
from streaming_base.svg_text import escape_xml, text_width

#: What a node is, on 16 by 16 pixels.
KINDS = {
    Shape.STREAM: "M1 4c2.3-3 4.7-3 7 0s4.7 3 7 0M1 8.5c2.3-3 4.7-3 7 0s4.7 3 7 0M1 13c2.3-3 4.7-3 7 0s4.7 3 7 0",
    Shape.TABLE: "M1.5 2.5h13v11h-13zM1.5 6.2h13M1.5 9.8h13M6 6.2v7.3",
    Shape.VIEW: "M1 8c3.5-6 10.5-6 14 0c-3.5 6-10.5 6-14 0zM8 5.8a2.2 2.2 0 1 0 .01 0z",
    Shape.SINK: "M8 1v8.5M4.5 6.2L8 9.7l3.5-3.5M1.5 9.5v4.5h13v-4.5",
    Shape.OUTSIDE: "M2 4c0-3 12-3 12 0s-12 3-12 0v8c0 3 12 3 12 0v-8",
}
#: How far it is, on 12 by 12 pixels.
PHASES = {
    Phase.WAITING: "M6 1.5a4.5 4.5 0 1 0 .01 0zM6 3.8v2.4l1.7 1",
    Phase.RUNNING: "M3 1.5l7 4.5l-7 4.5z",
    Phase.COMPLETED: "M1.5 6.5l3 3l6-7",
    Phase.FAILED: "M2 2l8 8M10 2l-8 8",
    Phase.SKIPPED: "M2 2l4 4l-4 4M7 2l4 4l-4 4",
    Phase.STOPPED: "M2 2h8v8h-8z",
    Phase.EXCLUDED: "M2 6h8",
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
#: Phases that have a colour of their own; the others are soft.
COLOURED = {Phase.RUNNING, Phase.COMPLETED, Phase.FAILED, Phase.STOPPED}

_DARK = ':is(body[data-jp-theme-light="false"],body.vscode-dark,body.vscode-high-contrast) .sg'
_RULES = (
    ".sg svg,.sg img{display:block;height:auto;zoom:var(--sc-scale,1)}"  # larger for a projector
    ".sg .b{fill:var(--sg-box);stroke:var(--sg-line);stroke-width:1.3}"
    ".sg .o{fill:var(--sg-pale);stroke:var(--sg-line);stroke-width:1}"
    ".sg .v{stroke-dasharray:5 3}"
    ".sg .e{stroke:var(--sg-line);stroke-width:1.4;fill:none}.sg .a{fill:var(--sg-line)}"
    ".sg text{fill:var(--sg-ink)}.sg text.s{fill:var(--sg-soft)}.sg .n{fill:var(--sg-ink)}"
    ".sg .i{fill:none;stroke:var(--sg-soft);stroke-width:1.4}"
    ".sg .g{fill:none;stroke:var(--sg-soft);stroke-width:1.8;stroke-linejoin:round}"
    ".sg .k{fill:var(--sg-keep)}.sg .x{fill:var(--sg-break)}"
)


def style() -> str:
    """Return the CSS rules of all graphs of a page, the same for each."""
    light, dark = ("".join(f"--sg-{name}:{pair[at]};" for name, pair in COLOURS.items()) for at in (0, 1))
    phases = "".join(
        f".sg text.{name}{{fill:var(--sg-{name})}}.sg .b.{name},.sg .g.{name}{{stroke:var(--sg-{name})}}"
        f".sg span.{name}{{color:var(--sg-{name})}}"
        for name in (phase.value for phase in Phase if phase in COLOURED)
    )
    strong = ".sg .b.running,.sg .b.failed{stroke-width:2.2}"
    return f"<style>.sg{{{light}}}{_DARK}{{{dark}}}{_RULES}{phases}{strong}</style>"


WIDEST = 260.0
WITH_BARS, WITH_STATE, WITHOUT = 232.0, 208.0, 120.0  # the least width, by what a box has to show
PAD = 11.0
HEAD, DROPPED, BAR = 66.0, 17.0, 31.0  # heights of what a box has always, for its dropped rows, for each rule
VIEW_HEAD = 46.0  # without a line for the state
NAME_SIZE, SMALL = 13, 11
SIGN = 23.0  # width of the sign before the name
BOLD = 1.1  # how much wider than other text bold text is
_MOST_EXACT = 10_000_000


def size_of(node: Node) -> tuple[float, float]:
    """Return the width and the height that a node's box needs."""
    texts = [SIGN + text_width(node.shown_name, NAME_SIZE) * BOLD, text_width(node.word, SMALL)]
    texts += [45 + text_width(bar.name, SMALL) for bar in node.bars]
    narrowest = WITH_BARS if node.bars else WITH_STATE if node.phase else WITHOUT
    width = min(max(max(texts) + 2 * PAD, narrowest), WIDEST)
    height = VIEW_HEAD if node.phase is None else HEAD
    height += DROPPED if _may_drop(node) else 0
    return round(width), height + BAR * len(node.bars)


def draw_box(node: Node, box: Box, with_seconds: bool) -> str:
    """Return a box; its texts are cut to the available width, and whole in its title."""
    inner = box.width - 2 * PAD
    parts = [
        f'<g transform="translate({box.x:g} {box.y:g})">',
        f"<title>{escape_xml(_title(node))}</title>",
        _outline(node, box),
        f'<path class="i" transform="translate({PAD:g} 9)" d="{KINDS[node.shape]}"/>',
        text(PAD + SIGN, 21.5, truncate(node.shown_name, (inner - SIGN) / BOLD, NAME_SIZE), weight=True),
        text(PAD, 38.5, node.word, "s", SMALL),
        *(_state(node, box) if node.phase else ()),
        *([_right(box, 38.5, said[0], "s")] if with_seconds and (said := _seconds(node)) else []),
    ]
    y = VIEW_HEAD if node.phase is None else HEAD
    if _may_drop(node):
        y += DROPPED
        if node.dropped is not None:
            parts.append(_right(box, y - 10, f"{counted(node.dropped)} dropped", "" if node.dropped else "s"))
    columns = _columns(node)
    for number, bar in enumerate(node.bars):
        parts += _rule(bar, box, y + BAR * number, columns)
    return "".join([*parts, "</g>"])


def text(x: float, y: float, said: str, kind: str = "", size: int = 12, weight: bool = False, anchor: str = "") -> str:
    """Return a text as SVG."""
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


def counted(number: int) -> str:
    """Return a number with its thousands apart; a very large one in millions."""
    return f"{number:,}" if number < _MOST_EXACT else f"{number / 1_000_000:,.1f} M"


def _may_drop(node: Node) -> bool:
    return any(bar.consequence == "drop" for bar in node.bars)


def _seconds(node: Node) -> list[str]:
    return [] if node.phase in (None, Phase.WAITING) else seconds_text(node.seconds, node.phase)


def _title(node: Node) -> str:
    return f"{node.name}: {node.word}" + (f", {node.phase.value}" if node.phase else "")


def _outline(node: Node, box: Box) -> str:
    width, height = f"{box.width:g}", f"{box.height:g}"
    kind = "o" if node.shape is Shape.OUTSIDE or node.phase is Phase.EXCLUDED else f"b{_colour(node.phase)}"
    if node.shape is Shape.SINK:  # pointed, to where the rows leave
        middle, edge = f"{box.height / 2:g}", f"{box.width - 9:g}"
        return f'<path class="{kind}" d="M0 0H{edge}L{width} {middle}L{edge} {height}H0z"/>'
    dashed = " v" if node.shape is Shape.VIEW else ""
    corner = {Shape.STREAM: 12, Shape.TABLE: 1, Shape.VIEW: 8, Shape.OUTSIDE: 5}[node.shape]
    return f'<rect class="{kind}{dashed}" width="{width}" height="{height}" rx="{corner}"/>'


def _colour(phase: Phase | None) -> str:
    return f" {phase.value}" if phase in COLOURED else ""


def _state(node: Node, box: Box) -> list[str]:
    assert node.phase is not None  # asked by the caller
    colour = _colour(node.phase)
    parts = [
        f'<path class="g{colour}" transform="translate({PAD:g} 45.5)" d="{PHASES[node.phase]}"/>',
        text(PAD + 18, 56, node.phase.value, colour.strip() or "s"),
    ]
    if node.rows is not None:
        number = f'<tspan class="n" font-size="12" font-weight="600">{counted(node.rows)}</tspan>'
        place = f'x="{box.width - PAD:g}" y="56" font-size="{SMALL}" text-anchor="end"'
        parts.append(f'<text class="s" {place}>{number} {"row" if node.rows == 1 else "rows"}</text>')
    return parts


def _right(box: Box, y: float, said: str, kind: str = "") -> str:
    return text(box.width - PAD, y, said, kind, SMALL, anchor="end")


def _columns(node: Node) -> tuple[float, float]:
    """Return how wide the counts left and right of the bars are, so that the bars of a box begin and end alike."""
    said = [_counts(bar) for bar in node.bars]
    left, right = (max((text_width(one[at], SMALL) + 7 for one in said if one), default=0.0) for at in (0, 1))
    return left, right


def _counts(bar: Bar) -> tuple[str, str] | None:
    if bar.met is None or bar.violated is None:
        return None
    return f"{counted(bar.met)} met", f"{counted(bar.violated)} violated"


def _rule(bar: Bar, box: Box, y: float, columns: tuple[float, float]) -> list[str]:
    """Draw an expectation: its name and consequence, and below the passed records, a bar, the violations."""
    inner = box.width - 2 * PAD
    room = inner - text_width(bar.consequence, SMALL) - 8
    parts = [
        f"<g><title>{escape_xml(_rule_title(bar))}</title>",
        text(PAD, y + 9, truncate(bar.name, room, SMALL), "", SMALL),
        _right(box, y + 9, bar.consequence, "s"),
    ]
    if (said := _counts(bar)) is None:
        return [*parts, f'<path class="e" opacity=".5" d="M{PAD:g} {y + 18:g}h{inner:g}"/></g>']
    parts += [text(PAD, y + 22, said[0], "s", SMALL), _right(box, y + 22, said[1], "failed" if bar.violated else "s")]
    return [*parts, *_strips(bar, PAD + columns[0], inner - sum(columns), y + 16), "</g>"]


def _strips(bar: Bar, x: float, room: float, y: float) -> list[str]:
    met, violated = bar.met or 0, bar.violated or 0
    if room < 12 or not met + violated:
        return []
    # What is there is seen, be it one row of a million.
    width = min(max(met / (met + violated) * room, 2 if met else 0), room - (2 if violated else 0))
    strips = [_strip("k", x, y, width)] if met else []
    return [*strips, *([_strip("x", x + width, y, room - width)] if violated else [])]


def _strip(kind: str, x: float, y: float, width: float) -> str:
    return f'<path class="{kind}" d="M{x:.1f} {y:g}h{width:.1f}v4h-{width:.1f}z"/>'


def _rule_title(bar: Bar) -> str:
    if bar.met is None or bar.violated is None:
        return f"{bar.name} ({bar.consequence})"
    return f"{bar.name} ({bar.consequence}): {bar.met:,} met it, {bar.violated:,} violated it"
