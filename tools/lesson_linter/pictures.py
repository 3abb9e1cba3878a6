"""The pictures of a lesson: at least one, drawn for the course, beside it on disk, and described in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from bs4.element import Tag

from . import svg
from .cell_html import tree
from .lesson_file import Cell, Lesson
from .problem import Problem

SHORTEST_ALT = 20  # characters
_REMOTE = re.compile(r"(?:[a-z][a-z0-9+.-]+:|//|/)", re.IGNORECASE)


@dataclass(frozen=True)
class Picture:
    """One place where a picture is shown, and its file; None where it is not one of the course's."""

    cell: Cell
    element: Tag
    file: Path | None

    @property
    def is_there(self) -> bool:
        """Whether there is such a file."""
        try:
            return self.file is not None and self.file.is_file()
        except OSError:  # a name too long to be one
            return False

    @property
    def drawing(self) -> Path | None:
        """The file, if it is an SVG that is there."""
        return self.file if self.is_there and self.file and self.file.suffix.lower() == ".svg" else None


def pictures(lesson: Lesson) -> Iterator[Picture]:
    """Yield the pictures of a lesson, each as often as it is shown."""
    for cell in lesson.markdown:
        for element in tree(cell.source).find_all("img"):
            yield Picture(cell, element, _file(lesson, element.get("src", "")))


def at_least_one(lesson: Lesson) -> Iterator[Problem]:
    """A lesson shows something."""
    if not any(pictures(lesson)) and not any(_diagrams(lesson)):
        yield lesson.problem("pictures", "add a picture where words are long: an SVG in images/")


def described(lesson: Lesson) -> Iterator[Problem]:
    """A picture says in words what it shows, for those who cannot see it."""
    for picture in pictures(lesson):
        alt = picture.element.get("alt", "").strip()
        if not alt:
            yield _at(lesson, picture, "alt", "the picture has no alt text: say what it shows")
        elif len(alt) < SHORTEST_ALT:
            yield _at(lesson, picture, "alt", f"say more in the alt text: at least {SHORTEST_ALT} characters")
    for cell, diagram in _diagrams(lesson):
        for wanted in ("accTitle", "accDescr"):
            if not re.search(rf"^\s*{wanted}\b", diagram.get_text(), re.MULTILINE):
                yield lesson.problem("alt", f"add a line '{wanted}' to the diagram", cell, diagram.sourceline)


def local(lesson: Lesson) -> Iterator[Problem]:
    """A picture lies beside the lesson."""
    yield from (problem for problem, _picture in strangers(lesson))


def strangers(lesson: Lesson) -> Iterator[tuple[Problem, Picture]]:
    """Yield the pictures that are not beside the lesson, each with what to do about it."""
    for picture in pictures(lesson):
        source = picture.element.get("src", "")
        if picture.file is None:
            yield _at(lesson, picture, "local", "put the picture into images/ and show that file"), picture
        elif not picture.is_there:
            message = f"draw the picture, or correct its path: there is no {unquote(source)}"
            yield _at(lesson, picture, "local", message), picture


def drawn(lesson: Lesson) -> Iterator[Problem]:
    """An SVG is well-formed, scales, needs nothing else, and has a name for those who cannot see it."""
    for picture in pictures(lesson):
        for message in svg.problems(picture.drawing) if picture.drawing else ():
            yield _at(lesson, picture, "svg", f"{message} in {picture.drawing.name}")


def _file(lesson: Lesson, source: str) -> Path | None:
    path = unquote(source)
    if not path or _REMOTE.match(path) or "\0" in path:
        return None
    return lesson.path.parent / path.split("?", 1)[0].split("#", 1)[0]


def _diagrams(lesson: Lesson) -> Iterator[tuple[Cell, Tag]]:
    for cell in lesson.markdown:
        yield from ((cell, fence) for fence in tree(cell.source).select("pre > code.language-mermaid"))


def _at(lesson: Lesson, picture: Picture, rule: str, message: str) -> Problem:
    return lesson.problem(rule, message, picture.cell, picture.element.sourceline)
