"""The HTML tags in Markdown cells: each is closed, in the right order, and a fold has one summary.

A browser guesses where a tag was meant to close; Jupyter and GitHub guess differently.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser

from .cell_html import tree, written_html
from .lesson_file import Lesson
from .problem import Problem

RULE = "tags"
VOID = frozenset(("br", "hr", "img", "input", "wbr"))  # tags that never close


def tags(lesson: Lesson) -> Iterator[Problem]:
    """In every Markdown cell, tags are balanced and properly nested."""
    for cell in lesson.markdown:
        for line, message in _unbalanced(cell.source) or _wrong_folds(cell.source):
            yield lesson.problem(RULE, message, cell, line)


def _unbalanced(source: str) -> list[tuple[int, str]]:
    """Return the first tag that does not match, if any; what follows it would be guessing."""
    balance = _Balance()
    with suppress(AssertionError):  # how Python's parser gives up on <![
        balance.feed(written_html(source))
        balance.close()
    unclosed = [(line, f"close <{tag}>, or write it as code") for tag, line in balance.is_open]
    return (balance.wrong or unclosed)[:1]


class _Balance(HTMLParser):
    """Pairs tags as they are written: a tree would not tell, because its parser mends what is wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open: list[tuple[str, int]] = []
        self.wrong: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.is_open.append((tag, self.getpos()[0]))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        line = self.getpos()[0]
        last, opened = self.is_open.pop() if self.is_open else (None, None)
        if last is None:
            self.wrong.append((line, f"open <{tag}> before closing it, or take </{tag}> out"))
        elif last != tag:
            self.wrong.append((line, f"close <{last}> of line {opened} before </{tag}>"))


def _wrong_folds(source: str) -> Iterator[tuple[int, str]]:
    for summary in tree(source).find_all("summary"):
        if summary.parent.name != "details" or summary.find_previous_sibling(True):
            yield summary.sourceline, "put <summary> right behind <details>"
    for fold in tree(source).find_all("details"):
        if fold.find("summary") is None:
            yield fold.sourceline, "give <details> a <summary>"
