"""Checks of the pages that were made: links, pictures, headings, order of reading, and that nothing is fetched.

Sphinx checks what it resolves itself.  Outputs of cells and HTML of the lessons pass through it unread, so the pages
are checked as a browser gets them.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from bs4.element import Tag

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# What a browser fetches by itself.
_FETCHED = (("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("link", "href"))
_NO_FETCH = {"canonical", "next", "prev", "search", "index", "author", "copyright"}


@dataclass(frozen=True)
class PageProblem:
    """What is to be corrected on a page."""

    page: str
    message: str

    def __str__(self) -> str:
        return f"{self.page}: {self.message}"


class Page:
    """A page of the site.

    Parameters
    ----------
    path : Path
        Its file.
    name : str
        Its path in the site.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.tree = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")

    @cached_property
    def ids(self) -> Counter[str]:
        """How often each id is there; what is drawn in a picture has ids of its own."""
        return Counter(tag["id"] for tag in self.tree.find_all(id=True))

    @cached_property
    def anchors(self) -> set[str]:
        """What a link to a place on the page may name."""
        return {*self.ids, *(tag["name"] for tag in self.tree.find_all("a", attrs={"name": True})), "", "top"}

    @property
    def content(self) -> Tag:
        """The part that is the page's own."""
        return self.tree.find("article") or self.tree


def problems(site: Path) -> list[PageProblem]:
    """Return what is to be corrected on the pages of a site."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    names = sorted(name for name in files if name.endswith(".html") and not name.startswith("_static/"))
    pages = {name: Page(site / name, name) for name in names}
    checks = (_fetched, _pictures, _headings, _ids, _order)
    found = [PageProblem(page.name, text) for page in pages.values() for check in checks for text in check(page)]
    found += [PageProblem(page.name, text) for page in pages.values() for text in _links(page, pages, files)]
    if not pages:
        found.append(PageProblem("the site", "it has no page"))
    return found


def _fetched(page: Page) -> Iterator[str]:
    """Everything that a page needs is beside it."""
    for name, attribute in _FETCHED:
        for tag in page.tree.find_all(name, attrs={attribute: True}):
            address = urlsplit(tag[attribute])
            if (address.netloc or address.scheme not in ("", "data")) and not _NO_FETCH & set(tag.get("rel") or ()):
                yield f"it would fetch {tag[attribute]}"


def _pictures(page: Page) -> Iterator[str]:
    """A picture says in words what it shows."""
    for picture in page.tree.find_all("img"):
        text = picture.get("alt", "").strip()
        is_file = text.lower().endswith((".png", ".svg", ".jpg", ".gif", ".webp"))  # Sphinx's own, where there is none
        if (not text or is_file) and picture.get("role") != "presentation":
            yield f"a picture has no alt text: {picture.get('src', '')[:80]}"


def _headings(page: Page) -> Iterator[str]:
    """One heading is the page's, and none is more than one level below the one before it."""
    headings = page.content.find_all(_HEADINGS)
    levels = [int(tag.name[1]) for tag in headings]
    if levels.count(1) != 1 or levels[0] != 1:
        yield f"it begins with a heading of level {levels[:1]} and has {levels.count(1)} of level 1"
    for heading, before, level in zip(headings[1:], levels, levels[1:], strict=False):
        if level > before + 1:
            text = heading.get_text().strip("#").strip()
            yield f"the heading {text!r} is {level - before} levels below the one before"


def _ids(page: Page) -> Iterator[str]:
    """An id names one place."""
    yield from (f"the id {name!r} is there {count} times" for name, count in page.ids.items() if count > 1)


def _order(page: Page) -> Iterator[str]:
    """The page is read in the order in which it is written, and its content can be reached at once."""
    for tag in page.tree.find_all(tabindex=True):
        if tag["tabindex"].lstrip("-").isdigit() and int(tag["tabindex"]) > 0:
            yield f"a tabindex changes the order of reading: {str(tag)[:80]}"
    first = page.tree.body.find("a", href=True) if page.tree.body else None
    main = page.tree.find("main")
    if main is None or first is None or not (first["href"].startswith("#") and first["href"][1:] in page.ids):
        yield "its first link does not lead to its main part"


def _links(page: Page, pages: dict[str, Page], files: set[str]) -> Iterator[str]:
    """A link leads to a file of the site, and to a place that is there; one to elsewhere is safe."""
    pairs = [(tag, tag["href"]) for tag in page.tree.find_all("a", href=True)]
    pairs += [(tag, tag["src"]) for tag in page.tree.find_all("img", src=True)]
    for _tag, target in pairs:
        address = urlsplit(target)
        if address.scheme or address.netloc:
            if address.scheme not in ("https", "data", "mailto") and address.hostname != "localhost":
                yield f"a link is not safe: {target}"
            continue
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.name), unquote(address.path)))
        path = page.name if not address.path else path
        if path not in files:
            yield f"a link leads nowhere: {target}"
        elif path in pages and unquote(address.fragment) not in pages[path].anchors:
            yield f"a link leads to a place that is not there: {target}"
