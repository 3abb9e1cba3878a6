"""The prose of a Markdown cell, passage by passage: paragraphs, headings, list items, table cells and alt texts.

Code is left out: a character stands in for it, so that the words beside it do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from bs4 import BeautifulSoup
from bs4.element import PreformattedString, Tag

from .cell_html import tree

STAND_IN = "\ufffc"  # for code and pictures
CODE = frozenset(("code", "pre", "kbd", "samp", "script", "style"))
# Tags inside a passage; any other tag begins another one.
_INLINE = CODE | frozenset(("a", "abbr", "b", "br", "em", "i", "s", "small", "span", "strong", "sub", "sup", "u"))
_INLINE |= frozenset(("hr", "img", "input", "wbr"))


@dataclass(frozen=True)
class Passage:
    """A piece of prose.

    Parameters
    ----------
    text
        As it stands in the source, line ends too.
    line
        Where it begins.
    tags
        The names of the block that it is in and of those around that; ``img`` for an alt text.
    """

    text: str
    line: int
    tags: frozenset[str] = frozenset()

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Its lines, each with its number in the cell."""
        return enumerate(self.text.split("\n"), start=self.line)

    def line_at(self, offset: int) -> int:
        """Return the line of a character of the text."""
        return self.line + self.text.count("\n", 0, offset)


def passages(source: str) -> Iterator[Passage]:
    """Yield the prose of a cell; the alt text of a picture is a passage of its own."""
    for picture in tree(source).find_all("img"):
        yield Passage(picture.get("alt", ""), picture.sourceline, frozenset(("img",)))
    for _block, group in groupby(_pieces(tree(source)), key=lambda piece: id(piece[0])):
        pieces = list(group)
        block = pieces[0][0]
        tags = frozenset(tag.name for tag in (block, *block.parents))
        yield _joined([(text, line) for _, text, line in pieces], tags)


def _pieces(soup: BeautifulSoup) -> Iterator[tuple[Tag, str, int]]:
    """Yield the texts of a tree, each with the block that it is in and its line."""
    line = 1
    for node in soup.descendants:
        block = next(parent for parent in node.parents if parent.name not in _INLINE)
        if isinstance(node, Tag):
            line = node.sourceline
            if node.name == "img" or node.name in CODE:
                yield block, STAND_IN, line
            line += "".join(map(str, node.attrs.values())).count("\n")  # of an alt text
            continue
        is_hidden = isinstance(node, PreformattedString) or any(parent.name in CODE for parent in node.parents)
        if not is_hidden:
            yield block, str(node), line
        line += node.count("\n")


def _joined(pieces: list[tuple[str, int]], tags: frozenset[str]) -> Passage:
    """Return a passage of its pieces; line ends stand in for those of what is left out."""
    text, first = "", pieces[0][1]
    for piece, line in pieces:
        text += "\n" * (line - first - text.count("\n")) + piece
    return Passage(text, first, tags)
