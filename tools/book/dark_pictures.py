"""Dark variants of the course's pictures: the same drawing with light and dark exchanged, and each hue kept."""

from __future__ import annotations

import colorsys
import re

_COLOR = re.compile(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
_PICTURE = re.compile(r"!\[[^\]]*\]\((?P<file>[^)\s]+)\.svg\)")
DARKEST, LIGHTEST = 0.11, 0.93  # of a dark page: neither black nor white


def dark_svg(text: str) -> str:
    """Return an SVG file with the lightness of each color turned around."""
    return _COLOR.sub(lambda color: _turned(color[1]), text)


def _turned(digits: str) -> str:
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    turned = DARKEST + (LIGHTEST - DARKEST) * (1 - lightness)
    # A pale color has a saturation that nobody sees, and that a dark one would show.
    calm = saturation * (0.5 if lightness > 0.85 else 1)
    return "#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hls_to_rgb(hue, turned, calm))


def with_dark_pictures(text: str) -> str:
    """Return Markdown in which each SVG picture stands twice: for the light pages and for the dark ones."""

    def both(picture: re.Match[str]) -> str:
        dark = picture[0].replace(f"{picture['file']}.svg", f"{picture['file']}.dark.svg")
        return f"{picture[0]}{{.only-light}} {dark}{{.only-dark}}"

    return _PICTURE.sub(both, text)
