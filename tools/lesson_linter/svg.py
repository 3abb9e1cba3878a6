"""An SVG file: what a drawing of the course must have, must not have, and the words in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

_NAMESPACE = re.compile(r"^\{[^}]*\}")
_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|data:|javascript:", re.IGNORECASE)
_URL = re.compile(r"url\(\s*['\"]?([^)]*)|@import\s+['\"]([^'\"]*)")
# The two in the middle are what it raises for an encoding that it does not know.
_UNREADABLE = (ElementTree.ParseError, ValueError, LookupError, OSError)
_TEXTS = frozenset(("text", "tspan", "textPath", "title", "desc"))
_UNSEEN = frozenset(("title", "desc", "defs", "style", "metadata"))
_LIGHT = re.compile(r"white|#(?:[e-f]{3}|(?:[e-f][0-9a-f]){3})", re.IGNORECASE)


def problems(path: Path) -> Iterator[str]:
    """Yield what to do about a drawing, one phrase each."""
    try:
        root = _parse(path)
    except _UNREADABLE as error:
        yield f"correct the XML ({error})"
        return
    if "viewBox" not in root.attrib:
        yield "give the drawing a viewBox"
    if root.get("role") != "img":
        yield 'give the drawing role="img"'
    if not (root.get("aria-label") or any(_name(child) == "title" and child.text for child in root)):
        yield "give the drawing an aria-label or a <title>"
    if "viewBox" in root.attrib and not _has_background(root):
        yield "begin the drawing with a light <rect> of its whole size, as the page may be dark"
    if any(_has_script(element) for element in root.iter()):
        yield "leave out scripts"
    if any(_is_elsewhere(target) for element in root.iter() for target in _targets(element)):
        yield "leave out references to what is not in the file"


def words(path: Path) -> Iterator[str]:
    """Yield the texts of a drawing; none of a file that is not well-formed."""
    try:
        root = _parse(path)
    except _UNREADABLE:
        return
    for element in root.iter():
        yield element.get("aria-label", "")
        if _name(element) in _TEXTS:
            yield "".join(element.itertext())


def _parse(path: Path) -> ElementTree.Element:
    return ElementTree.fromstring(path.read_bytes())


def _name(element: ElementTree.Element) -> str:
    return _NAMESPACE.sub("", str(element.tag))


def _has_background(root: ElementTree.Element) -> bool:
    """Whether the first that is drawn covers everything: an image on a page knows nothing of the page's theme."""
    first = next((child for child in root if _name(child) not in _UNSEEN), None)
    if first is None or _name(first) != "rect" or not _LIGHT.fullmatch(first.get("fill", "")):
        return False
    left, top, *size = root.get("viewBox", "").replace(",", " ").split()
    covered = [first.get("x", "0"), first.get("y", "0"), first.get("width"), first.get("height")]
    return covered == [left, top, *size] and not any("opacity" in name for name in first.attrib)


def _has_script(element: ElementTree.Element) -> bool:
    return _name(element) in ("script", "foreignObject") or any(name.startswith("on") for name in element.attrib)


def _targets(element: ElementTree.Element) -> Iterator[str]:
    """Yield what an element refers to: by attributes, in styles, and in the text of a style sheet."""
    for name, value in element.attrib.items():
        if _NAMESPACE.sub("", name) in ("href", "src"):
            yield value
    texts = [*element.attrib.values(), element.text or ""]
    yield from (match[1] or match[2] or "" for text in texts for match in _URL.finditer(text))


def _is_elsewhere(target: str) -> bool:
    return _ELSEWHERE.match(target.strip()) is not None
