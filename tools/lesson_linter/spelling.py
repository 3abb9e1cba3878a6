"""Misspellings that codespell knows, in text, comments and pictures.

codespell lists wrong words, not right ones, so an unknown word is never a problem.  Where one of them is meant, name it
in ``pyproject.toml``: ``[tool.codespell]``, ``ignore-words-list``.
"""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from streaming_classroom.files import directories

from . import svg
from .lesson_file import Cell, Lesson
from .passages import passages
from .pictures import pictures
from .problem import Problem

if TYPE_CHECKING:
    from codespell_lib._spellchecker import Misspelling

_DICTIONARIES = ("dictionary.txt", "dictionary_rare.txt")  # what the command codespell uses, unless told otherwise
_WORD = re.compile(r"[\w\-'’]+")
_ADDRESS = re.compile(r"\S+://\S+|\S+@\S+")
_SQL_COMMENT = re.compile(r"--\s(.*)")


def spelling(lesson: Lesson) -> Iterator[Problem]:
    """No word is misspelt in text or comments."""
    for cell in lesson.cells:
        for line, text in _comments(cell) if cell.kind == "code" else _prose(cell):
            for wrong, right in misspelt(text):
                yield lesson.problem("spelling", f"write '{right}' for '{wrong}'", cell, line)


def spelling_of_pictures(lesson: Lesson) -> Iterator[Problem]:
    """No word is misspelt in a drawing."""
    for picture in pictures(lesson):
        if drawing := picture.drawing:
            found = {pair for text in svg.words(drawing) for pair in misspelt(text)}
            for wrong, right in sorted(found):
                message = f"write '{right}' for '{wrong}' in {drawing.name}"
                yield lesson.problem("spelling", message, picture.cell, picture.element.sourceline)


def misspelt(text: str) -> Iterator[tuple[str, str]]:
    """Yield the misspelt words of a text, each with what codespell would write."""
    for word in _WORD.findall(_ADDRESS.sub(" ", text)):
        if known := _misspellings().get(word.lower()):
            yield word, known.data.strip(" ,").replace(",", " or")


def _prose(cell: Cell) -> Iterator[tuple[int, str]]:
    for passage in passages(cell.source):
        yield from passage.lines


def _comments(cell: Cell) -> Iterator[tuple[int, str]]:
    if cell.is_python:
        yield from _python_comments(cell.source)
        return
    for number, line in enumerate(cell.lines, start=1):
        if comment := _SQL_COMMENT.search(line):
            yield number, comment[1]


def _python_comments(source: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return  # of code that does not parse, which has its own rule


@lru_cache(maxsize=1)
def _misspellings() -> dict[str, Misspelling]:
    from codespell_lib._spellchecker import build_dict

    found: dict[str, Misspelling] = {}
    for name in _DICTIONARIES:
        with resources.as_file(resources.files("codespell_lib") / "data" / name) as path:
            build_dict(str(path), found, _ignored())
    return found


def _ignored() -> set[str]:
    settings = tomllib.loads((directories.PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    words = settings.get("tool", {}).get("codespell", {}).get("ignore-words-list", "")
    return {word.strip().lower() for word in words.split(",")}
