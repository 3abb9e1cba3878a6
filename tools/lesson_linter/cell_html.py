"""A Markdown cell as a tree of HTML, in which each tag knows the line of the cell's source that it is on.

Markdown (``[text](x.md)``) and HTML (``<a href="x.md">``) become the same tree, so a rule is written once.  The HTML
keeps the source's lines: what stands on line 7 of the cell stands on line 7 of the HTML, and the parser's
``sourceline`` is the line to report.  Any text has a tree; what is never closed goes on to the end of its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from bs4 import BeautifulSoup
from bs4.element import PageElement, PreformattedString, Tag
from bs4.exceptions import ParserRejectedMarkup
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.backticks import backtick
from markdown_it.token import Token

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@lru_cache(maxsize=4096)
def tree(source: str) -> BeautifulSoup:
    """Return the tree of a cell; nobody may change it."""
    try:
        return BeautifulSoup(_parser().render(source), "html.parser")
    except ParserRejectedMarkup:  # <![ in a tag that the author wrote: a browser shows it as text
        return BeautifulSoup(escapeHtml(source), "html.parser")


def written_html(source: str) -> str:
    """Return the HTML that the author wrote, on its lines, without what Markdown makes."""
    return _on_their_lines(_parser().parse(source), _only_html)


def text_of(node: PageElement) -> str:
    """Return all text in a part of a tree, code and the alt texts of pictures too, without blanks at the ends."""
    nodes = [node, *node.descendants] if isinstance(node, Tag) else [node]
    return "".join(_own_text(node) for node in nodes).strip()


def _own_text(node: PageElement) -> str:
    if isinstance(node, Tag):
        return node.get("alt", "") if node.name == "img" else ""
    return "" if isinstance(node, PreformattedString) else str(node)  # which comments are


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", renderer_cls=_LineRenderer).enable(["table", "strikethrough"])
    parser.inline.ruler.at("backticks", _code_with_its_line_ends)
    return parser


class _LineRenderer(RendererHTML):
    """Renders as ever, except for line ends: a block begins on its line of the source."""

    def render(self, tokens, options, env) -> str:
        render = super().render
        return _on_their_lines(tokens, lambda token: render([token], options, env))

    def text(self, tokens, idx, options, env) -> str:
        return super().text(tokens, idx, options, env).replace("\n", " ")  # from &#10;, which ends no line


def _on_their_lines(tokens: Sequence[Token], render: Callable[[Token], str]) -> str:
    html = ""
    for token in tokens:
        if token.map:
            html += "\n" * (token.map[0] - html.count("\n"))
        html += render(token).rstrip("\n")
    return html


def _only_html(token: Token) -> str:
    """Return what a token has of the author's HTML; of all else the line ends."""
    if token.type == "inline":
        return "".join(map(_only_html, token.children or ()))
    if token.type in ("html_block", "html_inline"):
        return token.content
    return "\n" * (token.type in ("softbreak", "hardbreak") or token.content.count("\n"))


def _code_with_its_line_ends(state: StateInline, silent: bool) -> bool:
    """Read code as Markdown does, and put the line ends that it makes blanks of behind it: what follows needs them."""
    start, before = state.pos, len(state.tokens)
    found = backtick(state, silent)
    if len(state.tokens) > before and state.tokens[-1].type == "code_inline":
        state.tokens[-1].content += "\n" * state.src.count("\n", start, state.pos)
    return found
