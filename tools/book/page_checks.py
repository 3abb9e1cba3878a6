"""Checks of the made pages: links, pictures, headings, order of reading, and that a page fetches nothing.

Outputs of cells and HTML of the lessons pass through Sphinx unread, so the pages are checked as a browser gets them.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# What a browser fetches by itself.
_FETCHED = (("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("link", "href"))
_NOT_FETCHED = {"canonical", "next", "prev", "search", "index", "author", "copyright"}


def problems(site: Path) -> list[str]:
    """Return the problems of the pages of a site, each with the page's name."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    names = sorted(name for name in files if name.endswith(".html") and not name.startswith("_static/"))
    pages = {name: BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser") for name in names}
    places = {name: _places(page) for name, page in pages.items()}
    found = [f"{name}: {problem}" for name, page in pages.items() for problem in _problems_of(page)]
    for name, page in pages.items():
        found += [f"{name}: {problem}" for problem in _broken_links(page, name, places, files)]
    return found if pages else ["the site has no page"]


def _places(page: BeautifulSoup) -> set[str]:
    """Return the names of the places on a page that a link can lead to."""
    return {*(tag["id"] for tag in page.find_all(id=True)), *(tag["name"] for tag in page.select("a[name]")), "", "top"}


def _problems_of(page: BeautifulSoup) -> Iterator[str]:
    for name, attribute in _FETCHED:
        for tag in page.find_all(name, attrs={attribute: True}):
            address = urlsplit(tag[attribute])
            is_elsewhere = address.netloc or address.scheme not in ("", "data")
            if is_elsewhere and not _NOT_FETCHED & set(tag.get("rel") or ()):
                yield f"it would fetch {tag[attribute]}"
    for picture in page.find_all("img"):
        alt = picture.get("alt", "").strip()
        is_file = alt.lower().endswith((".png", ".svg", ".jpg", ".gif", ".webp"))  # as Sphinx fills in
        if (not alt or is_file) and picture.get("role") != "presentation":
            yield f"a picture has no alt text: {picture.get('src', '')[:80]}"
    headings = (page.find("article") or page).find_all(_HEADINGS)
    levels = [int(heading.name[1]) for heading in headings]
    if levels.count(1) != 1 or levels[0] != 1:
        yield f"it begins with a heading of level {levels[:1]} and has {levels.count(1)} of level 1"
    for heading, (before, level) in zip(headings[1:], pairwise(levels), strict=True):
        if level > before + 1:
            yield f"the heading {heading.get_text().strip('#').strip()!r} skips {level - before - 1} levels"
    ids = Counter(tag["id"] for tag in page.find_all(id=True))
    yield from (f"the id {name!r} is there {count} times" for name, count in ids.items() if count > 1)
    for tag in page.find_all(tabindex=True):
        if tag["tabindex"].isdigit() and tag["tabindex"] != "0":
            yield f"a tabindex changes the order of reading: {str(tag)[:80]}"
    first = page.body.find("a", href=True) if page.body else None
    if page.find("main") is None or first is None or not (first["href"][0] == "#" and first["href"][1:] in ids):
        yield "its first link does not lead to its main part"


def _broken_links(page: BeautifulSoup, name: str, places: dict[str, set[str]], files: set[str]) -> Iterator[str]:
    targets = [tag["href"] for tag in page.find_all("a", href=True)] + [tag["src"] for tag in page.select("img[src]")]
    for target in targets:
        address = urlsplit(target)
        if address.scheme or address.netloc:
            if address.scheme not in ("https", "data", "mailto") and address.hostname != "localhost":
                yield f"a link is not safe: {target}"
            continue
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(address.path)))
        path = path if address.path else name
        if path not in files:
            yield f"a link leads nowhere: {target}"
        elif unquote(address.fragment) not in places.get(path, {unquote(address.fragment)}):
            yield f"a link leads to a place that is not there: {target}"
