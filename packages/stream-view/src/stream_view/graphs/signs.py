"""The symbols of node kinds and states, each beside its word and color.

They are paths, since no font has all of them.
"""

from __future__ import annotations

from stream_view.graphs.graph import Phase, Shape

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
    """Return the rules of all graphs of a page; those of one hold for the others too, and are the same."""
    light, dark = ("".join(f"--sg-{name}:{pair[at]};" for name, pair in COLOURS.items()) for at in (0, 1))
    phases = "".join(
        f".sg text.{name}{{fill:var(--sg-{name})}}.sg .b.{name},.sg .g.{name}{{stroke:var(--sg-{name})}}"
        f".sg span.{name}{{color:var(--sg-{name})}}"
        for name in (phase.value for phase in Phase if phase in COLOURED)
    )
    strong = ".sg .b.running,.sg .b.failed{stroke-width:2.2}"
    return f"<style>.sg{{{light}}}{_DARK}{{{dark}}}{_RULES}{phases}{strong}</style>"
