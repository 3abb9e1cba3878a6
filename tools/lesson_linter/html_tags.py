"""The HTML tags in Markdown cells: each is closed, in the right order, and a fold has one summary.

A browser guesses where a tag was meant to close; Jupyter and GitHub guess differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .elements import elements
from .events import VOID, Event, events
from .lesson_file import Lesson
from .problem import Problem

RULE = "tags"


def tags(lesson: Lesson) -> Iterator[Problem]:
    """In every Markdown cell, tags are balanced and properly nested."""
    for cell in lesson.markdown:
        written = [event for event in events(cell.source) if event.is_html and event.name not in VOID]
        for line, message in _unbalanced(written) or _wrong_folds(written):
            yield lesson.problem(RULE, message, cell, line)


def _unbalanced(written: Sequence[Event]) -> list[tuple[int, str]]:
    """Return the first tag that does not match, if any; what follows it would be guessing."""
    is_open: list[Event] = []
    for event in written:
        if event.kind == "open":
            is_open.append(event)
        elif not is_open:
            return [(event.line, f"open <{event.name}> before closing it, or take </{event.name}> out")]
        elif (last := is_open.pop()).name != event.name:
            return [(event.line, f"close <{last.name}> of line {last.line} before </{event.name}>")]
    return [(event.line, f"close <{event.name}>, or write it as code") for event in is_open[:1]]


def _wrong_folds(written: Sequence[Event]) -> Iterator[tuple[int, str]]:
    for before, event in zip([None, *written], written, strict=False):
        is_first = before is not None and before.kind == "open" and before.name == "details"
        if event.kind == "open" and event.name == "summary" and not is_first:
            yield event.line, "put <summary> right behind <details>"
    for index, event in enumerate(written):
        if (
            event.kind == "open"
            and event.name == "details"
            and next(elements(written[index:], "summary"), None) is None
        ):
            yield event.line, "give <details> a <summary>"
