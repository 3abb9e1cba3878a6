"""A Markdown cell as a tree of HTML, so that ``[text](x.md)`` and ``<a href="x.md">`` are one case for a rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from bs4 import BeautifulSoup
from bs4.element import PageElement, PreformattedString, Tag
from bs4.exceptions import ParserRejectedMarkup
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_CODE = ("code", "pre", "kbd", "samp", "script", "style")
_BLOCKS = (*HEADINGS, "p", "li", "td", "th", "details", "summary", "div", "blockquote")
_STAND_IN = "\ufffc"  # for code, so that the words beside it do not meet


@lru_cache(maxsize=4096)
def tree(source: str) -> BeautifulSoup:
    """Return the tree of a cell, which callers must not change."""
    return _parse(source)


def text_of(node: PageElement) -> str:
    """Return the text of a part of a tree, with code and the alt texts of pictures, without blanks at the ends."""
    return "".join(_own_text(part) for part in ([node, *node.descendants] if isinstance(node, Tag) else [node])).strip()


def _own_text(node: PageElement) -> str:
    if isinstance(node, Tag):
        return node.get("alt", "") if node.name == "img" else ""
    return "" if isinstance(node, PreformattedString) else str(node)  # which comments are


def passages(source: str) -> list[str]:
    """Return the prose of a cell without code: paragraphs, headings, list items and table cells, each by itself."""
    soup = _parse(source)
    for code in soup.find_all(_CODE):
        code.replace_with(_STAND_IN)
    for block in soup.find_all(_BLOCKS):
        block.insert(0, "\0")
        block.append("\0")
    return [passage.strip() for passage in soup.get_text().split("\0") if passage.strip()]


def written_html(source: str) -> str:
    """Return the HTML that the author wrote, without the HTML that Markdown makes."""
    return "".join(token.content for token in _tokens(source) if token.type in ("html_block", "html_inline"))


def _parse(source: str) -> BeautifulSoup:
    try:
        return BeautifulSoup(_PARSER.render(source), "html.parser")
    except ParserRejectedMarkup:  # <![ in a tag that the author wrote: a browser shows it as text
        return BeautifulSoup(escapeHtml(source), "html.parser")


def _tokens(source: str) -> Iterator[Token]:
    for token in _PARSER.parse(source):
        yield token
        yield from token.children or ()
