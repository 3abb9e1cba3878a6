"""What the rules look for in a cell's events: links, pictures and headings; folds; and the prose to read.

An element that is never closed goes on to the end of the cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .events import VOID, Event

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
CODE = frozenset(("code", "pre", "kbd", "samp", "script", "style"))
STAND_IN = "\ufffc"  # for code and pictures in prose, so that the words beside them do not meet
# Tags inside a paragraph; any other tag begins another one.
_INLINE = (
    frozenset(("a", "abbr", "b", "br", "em", "i", "s", "small", "span", "strong", "sub", "sup", "u")) | CODE | VOID
)


@dataclass(frozen=True)
class Element:
    """One tag with what is in it.

    Parameters
    ----------
    text
        All text in it, code and the alt texts of pictures too, without white space at the ends.
    line
        Where it opens.
    """

    name: str
    attributes: Mapping[str, str]
    text: str
    line: int


@dataclass(frozen=True)
class Fold:
    """A ``<details>`` that is closed: its summary (None without one) and what it hides."""

    summary: str | None
    hidden: str
    line: int


@dataclass(frozen=True)
class Passage:
    """A paragraph, heading, list item, table cell or alt text, without its code.

    Parameters
    ----------
    block
        The tag that it is directly in.
    pieces
        Texts, each with its line.
    """

    block: str
    pieces: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        """The whole text, with line breaks."""
        return "".join(text for text, _ in self.pieces)

    @property
    def line(self) -> int:
        """Where it begins."""
        return next((line for text, line in self.pieces if text.strip()), self.pieces[0][1])

    def line_at(self, offset: int) -> int:
        """Return the line of a character of the text."""
        for text, line in self.pieces:
            if offset < len(text):
                return line + text.count("\n", 0, offset)
            offset -= len(text)
        return self.pieces[-1][1]


def elements(events: Sequence[Event], *names: str) -> Iterator[Element]:
    """Yield the elements of these names, in the order in which they open."""
    for start, event in enumerate(events):
        if event.kind == "open" and event.name in names:
            inside = [] if event.name in VOID else _inside(events, start)
            yield Element(event.name, event.attributes, _text(inside), event.line)


def folds(events: Sequence[Event]) -> Iterator[Fold]:
    """Yield the outermost folded notes."""
    end = 0
    for start, event in enumerate(events):
        if event.kind == "open" and event.name == "details" and start >= end:
            inside = _inside(events, start)
            end = start + len(inside)
            yield _fold(inside, event.line)


def passages(events: Sequence[Event]) -> Iterator[Passage]:
    """Yield the prose of a cell; the alt text of a picture is a passage of the block ``img``."""
    block, pieces, in_code = "", [], 0
    for event in events:
        if event.kind != "text" and event.name not in _INLINE:
            if pieces:
                yield Passage(block, tuple(pieces))
            block, pieces = event.name if event.kind == "open" else "", []
        elif event.kind == "text":
            pieces += [] if in_code else [(event.name, event.line)]
        elif event.name in CODE:
            in_code = max(0, in_code + (1 if event.kind == "open" else -1))
            pieces.append((STAND_IN, event.line))
        elif event.name == "img":
            pieces.append((STAND_IN, event.line))
            yield Passage("img", ((event.attributes.get("alt", ""), event.line),))
    if pieces:
        yield Passage(block, tuple(pieces))


def _inside(events: Sequence[Event], start: int) -> Sequence[Event]:
    """Return the events between an opening tag and the one that closes it."""
    depth = 0
    for end in range(start, len(events)):
        if events[end].name == events[start].name and events[end].kind != "text":
            depth += 1 if events[end].kind == "open" else -1
            if depth == 0:
                return events[start + 1 : end]
    return events[start + 1 :]


def _text(events: Sequence[Event]) -> str:
    texts = (event.name if event.kind == "text" else event.attributes.get("alt", "") for event in events)
    return "".join(texts).strip()


def _fold(inside: Sequence[Event], line: int) -> Fold:
    summary = next(elements(inside, "summary"), None)
    if summary is None:
        return Fold(None, _text(inside), line)
    return Fold(summary.text, _text(inside).removeprefix(summary.text).strip(), line)
