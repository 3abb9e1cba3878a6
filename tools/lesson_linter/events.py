"""A Markdown cell as what a browser gets: tags that open, tags that close, and text, each with its line.

Markdown (``[text](x.md)``) and HTML (``<a href="x.md">``) give the same events, so a rule is written once.  Lines
are those of the cell's source, from 1.  Any text has events: what is no markup is text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

VOID = frozenset(("br", "hr", "img", "input", "wbr"))  # tags that never close


@dataclass(frozen=True)
class Event:
    """One step through a cell's text.

    Parameters
    ----------
    name
        The tag, in lower case; of a text, the text.
    is_html
        Whether the author wrote a tag, and not Markdown.
    """

    kind: Literal["open", "close", "text"]
    name: str
    line: int
    attributes: Mapping[str, str] = field(default_factory=dict)
    is_html: bool = False


@lru_cache(maxsize=4096)
def events(source: str) -> tuple[Event, ...]:
    """Return the events of a cell, in the order of its text."""
    place = _Place(source.split("\n"))
    return tuple(event for token in _parser().parse(source) for event in _events_of(token, place))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


class _Place:
    """The line that the walk has come to; markdown-it says only where a block begins and ends."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._end = len(lines)
        self.line = 1

    def enter(self, block: list[int]) -> None:
        """Go to the first line of a block."""
        self.line, self._end = block[0] + 1, block[1]

    def find(self, text: str) -> int:
        """Return the first line of the block, from here on, that has a text; this one if none has it."""
        wanted = text.strip().split("\n", 1)[0]
        lines = range(self.line, self._end + 1)
        return next((line for line in lines if wanted in self._lines[line - 1]), self.line)

    def move_to(self, text: str) -> int:
        """Go to the line of a text and return it."""
        self.line = self.find(text)
        return self.line


def _events_of(token: Token, place: _Place) -> Iterator[Event]:
    if token.map:
        place.enter(token.map)
    match token.type:
        case "inline":
            for child in token.children or []:
                yield from _events_of(child, place)
        case "text" | "text_special":
            yield Event("text", token.content, place.move_to(token.content))
        case "softbreak" | "hardbreak":
            yield Event("text", "\n", place.line)
            place.line += 1
        case "html_block":
            yield from _events_of_html(token.content, place.line)
        case "html_inline":
            yield from _events_of_html(token.content, place.move_to(token.content))
        case "code_inline":
            yield from _around("code", token.content, place.move_to(token.content), {})
        case "fence" | "code_block":
            yield from _around("pre", token.content, place.line, {"info": token.info.strip()})
        case "image":
            attributes = {"src": str(token.attrs.get("src", "")), "alt": token.content}
            yield Event("open", "img", place.move_to(attributes["alt"]), attributes)
        case _:
            yield from _events_of_tag(token, place)


def _events_of_tag(token: Token, place: _Place) -> Iterator[Event]:
    attributes = {name: str(value) for name, value in token.attrs.items()}
    line = place.find(attributes.get("href", ""))
    if token.nesting >= 0 and token.tag:
        yield Event("open", token.tag, line, attributes)
    if token.nesting < 0:
        yield Event("close", token.tag, line)


def _around(tag: str, text: str, line: int, attributes: dict[str, str]) -> Iterator[Event]:
    yield Event("open", tag, line, attributes)
    yield Event("text", text, line)
    yield Event("close", tag, line)


def _events_of_html(html: str, line: int) -> list[Event]:
    reader = _HtmlReader(line)
    try:
        reader.feed(html)
        reader.close()
    except AssertionError:  # how Python's parser gives up on <![...
        reader.found.append(Event("text", html, line))
    return reader.found


class _HtmlReader(HTMLParser):
    """Collects the events of a piece of HTML."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self._before = line - 1
        self.found: list[Event] = []

    @property
    def _line(self) -> int:
        return self._before + self.getpos()[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.found.append(Event("open", tag, self._line, attributes, is_html=True))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self.found.append(Event("close", tag, self._line, is_html=True))

    def handle_data(self, data: str) -> None:
        self.found.append(Event("text", data, self._line))
