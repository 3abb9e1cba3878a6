"""The pictures of a lesson: at least one, beside it on disk, described in words, drawn for any page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from bs4.element import Tag

from .lesson import Cell, Lesson, Problem
from .markdown import tree

SHORTEST_ALT = 20  # characters
_REMOTE = re.compile(r"(?:[a-z][a-z0-9+.-]+:|//|/)", re.IGNORECASE)
_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|data:|javascript:", re.IGNORECASE)
_URL = re.compile(r"url\(\s*['\"]?([^)]*)|@import\s+['\"]([^'\"]*)")
_LIGHT = re.compile(r"white|#(?:[e-f]{3}|(?:[e-f][0-9a-f]){3})", re.IGNORECASE)


def at_least_one(lesson: Lesson) -> Iterator[Problem]:
    """A lesson shows a picture."""
    if not any(_pictures(lesson)):
        yield lesson.problem("pictures", "add a picture where words are long: an SVG in images/")


def described(lesson: Lesson) -> Iterator[Problem]:
    """A picture has an alt text that says what it shows."""
    for cell, picture in _pictures(lesson):
        alt = picture.get("alt", "").strip()
        if len(alt) < SHORTEST_ALT:
            problem = f"say more in the alt text: at least {SHORTEST_ALT} characters"
            message = problem if alt else "the picture has no alt text: say what it shows"
            yield lesson.problem("alt", message, cell, cell.find_line(picture.get("src", "")))


def local(lesson: Lesson) -> Iterator[Problem]:
    """A picture is a file beside the lesson."""
    for cell, picture in _pictures(lesson):
        source = picture.get("src", "")
        file = _file(lesson, source)
        if file is None or not file.is_file():
            missing = f"draw the picture, or correct its path: there is no {unquote(source)}"
            message = missing if file else "put the picture into images/ and show that file"
            yield lesson.problem("local", message, cell, cell.find_line(source))


def drawn(lesson: Lesson) -> Iterator[Problem]:
    """An SVG is well-formed, scales, needs nothing else, and has a name for those who cannot see it."""
    for cell, picture in _pictures(lesson):
        file = _file(lesson, picture.get("src", ""))
        if file and file.suffix.lower() == ".svg" and file.is_file():
            for message in _wrong_with(file):
                yield lesson.problem("svg", f"{message} in {file.name}", cell, cell.find_line(picture["src"]))


def _pictures(lesson: Lesson) -> Iterator[tuple[Cell, Tag]]:
    for cell in lesson.markdown:
        yield from ((cell, picture) for picture in tree(cell.source).find_all("img"))


def _file(lesson: Lesson, source: str) -> Path | None:
    """Return the file that a picture shows; None for an address, and for a name that no file can have."""
    path = unquote(source)
    if not path or _REMOTE.match(path):
        return None
    file = lesson.path.parent / path.split("?", 1)[0].split("#", 1)[0]
    with suppress(OSError, ValueError):  # a name that is too long, or has a null character
        file.is_file()
        return file
    return None


def _wrong_with(path: Path) -> Iterator[str]:
    """Yield the fixes for a drawing, one phrase each."""
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the last two for an unknown encoding
        yield f"correct the XML ({error})"
        return
    if "viewBox" not in root.attrib:
        yield "give the drawing a viewBox"
    elif not _has_background(root):
        yield "begin the drawing with a light <rect> of its whole size, as the page may be dark"
    if root.get("role") != "img":
        yield 'give the drawing role="img"'
    if not (root.get("aria-label") or any(_name(child) == "title" and child.text for child in root)):
        yield "give the drawing an aria-label or a <title>"
    for element in root.iter():
        if _name(element) in ("script", "foreignObject") or any(name.startswith("on") for name in element.attrib):
            yield "leave out scripts"
        texts = [*element.attrib.values(), element.text or ""]
        references = [value for name, value in element.attrib.items() if name.rpartition("}")[2] in ("href", "src")]
        references += [match[1] or match[2] or "" for text in texts for match in _URL.finditer(text)]
        if any(_ELSEWHERE.match(reference.strip()) for reference in references):
            yield "leave out references to other files"


def _has_background(root: ElementTree.Element) -> bool:
    """Whether a light rectangle covers everything: a picture does not know the theme of its page."""
    first = next((child for child in root if _name(child) not in ("title", "desc", "defs", "style", "metadata")), None)
    if first is None or _name(first) != "rect" or not _LIGHT.fullmatch(first.get("fill", "")):
        return False
    left, top, *size = root.get("viewBox", "").replace(",", " ").split()
    covered = [first.get("x", "0"), first.get("y", "0"), first.get("width"), first.get("height")]
    return covered == [left, top, *size] and not any("opacity" in name for name in first.attrib)


def _name(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]
