"""Text in SVG pictures: escaped, without characters that XML does not allow, and its approximate width."""

from __future__ import annotations

import re
import unicodedata
from html import escape

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text_width(text: str, size: int) -> float:
    """Return the approximate width of a text in pixels, rounded up, at a font size."""

    def share(character: str) -> float:
        if unicodedata.east_asian_width(character) in "WF":
            return 1.05
        if character in "ijltfrI.,:;'|!()[]- ":
            return 0.34
        return 0.86 if character.isupper() or character in "mw@%—×" or not character.isascii() else 0.58

    return size * sum(share(character) for character in text)


def clean(text: str) -> str:
    """Replace characters that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)


def escape_xml(text: str) -> str:
    """Return a text as SVG has it."""
    return escape(clean(text))
