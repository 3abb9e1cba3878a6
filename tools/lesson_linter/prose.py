"""How the text is written: no word twice, no shouting, no emoji, nothing left to do, no blanks at line ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lesson_file import Lesson
from .passages import passages
from .problem import Problem

_DOUBLED = re.compile(r"\b([^\W\d_]+)\s+\1\b", re.IGNORECASE)
_MAY_DOUBLE = frozenset(("had", "that"))
_SHOUT = re.compile(r"(?<![\s!(])!(?=[\s\"')\]”’]|$)")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\ufe0f]")
# A note, or what tools/new_lesson.py has left for the author to write.
_UNFINISHED = re.compile(
    r"\b(TODO|FIXME|XXX)\b"
    r"|^(#+ (\d+\. )?|\* (Change )?|\*\*The question:\*\* |<details><summary>\d+\. )?\.{3}\??(</summary>)?$"
    r"|^Say what the next cell does\.$|^Explain what it has shown\.$|say what to show\.$|^Say in a paragraph why "
)
_BLANKS = re.compile(r"[ \t]+$")


def doubled_words(lesson: Lesson) -> Iterator[Problem]:
    """No word stands twice in a row, across line ends too."""
    for cell in lesson.markdown:
        for passage in passages(cell.source):
            for match in _DOUBLED.finditer(passage.text):
                if match[1].lower() not in _MAY_DOUBLE:
                    line = passage.line_at(match.end() - 1)
                    yield lesson.problem("doubled-words", f"say '{match[1]}' once", cell, line)


def exclamations(lesson: Lesson) -> Iterator[Problem]:
    """No sentence ends in an exclamation mark."""
    for cell in lesson.markdown:
        for passage in passages(cell.source):
            for match in _SHOUT.finditer(passage.text):
                line = passage.line_at(match.start())
                yield lesson.problem("exclamations", "end the sentence without an exclamation mark", cell, line)


def emoji(lesson: Lesson) -> Iterator[Problem]:
    """No cell has emoji."""
    return _in_lines(lesson, "emoji", _EMOJI, "leave the emoji out")


def unfinished(lesson: Lesson) -> Iterator[Problem]:
    """No cell says that something is left to do."""
    return _in_lines(lesson, "unfinished", _UNFINISHED, "do what is left to do here, in place of this line")


def trailing_blanks(lesson: Lesson) -> Iterator[Problem]:
    """No line ends in blanks."""
    return _in_lines(lesson, "trailing-blanks", _BLANKS, "remove the blanks at the end of the line")


def _in_lines(lesson: Lesson, rule: str, pattern: re.Pattern[str], message: str) -> Iterator[Problem]:
    """Yield one problem for each line, of any cell, in which a pattern is found."""
    for cell in lesson.cells:
        for number, line in enumerate(cell.lines, start=1):
            if pattern.search(line):
                yield lesson.problem(rule, message, cell, number)
