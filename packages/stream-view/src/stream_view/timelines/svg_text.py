"""Texts, rectangles and colors of a timeline's SVG, distinct to color-blind eyes."""

from __future__ import annotations

import re
import unicodedata
from html import escape

from stream_view.timelines.story import Fate

INK, SOFT, FAINT = "#0f172a", "#475569", "#cbd5e1"
COLOURS = {Fate.ON_TIME: "#0072B2", Fate.LATE: "#E69F00", Fate.DROPPED: "#D55E00"}
OPEN, CLOSED = "#e0f2fe", "#f1f5f9"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}"{more}>{escaped(text)}</text>'


def width_of(text: str, size: int) -> float:
    """Return about how wide a text is, rather too wide than too narrow."""

    def share(character: str) -> float:
        if unicodedata.east_asian_width(character) in "WF":
            return 1.05
        if character in "ijltfrI.,:;'|!()[]- ":
            return 0.34
        return 0.86 if character.isupper() or character in "mw@%—×" or not character.isascii() else 0.58

    return size * sum(share(character) for character in text)


def shortened(text: str, most: int) -> str:
    text = " ".join(_clean(text).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def escaped(text: str) -> str:
    return escape(_clean(text))


def counted_noun(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def compact(number: int) -> str:
    return f"{number:,}" if number < 1_000_000 else f"{number / 1_000_000:,.1f} M"
