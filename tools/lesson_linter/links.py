"""The links of a lesson: safe, alive as far as the disk can tell, and named for what they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from bs4.element import Tag

from .cell_html import HEADINGS, text_of, tree
from .lesson_file import Cell, Lesson
from .passages import passages
from .problem import Problem
from .sections import section_named

OFFICIAL_HOSTS = (
    "avro.apache.org",
    "arrow.apache.org",
    "cloud.google.com",
    "docs.aws.amazon.com",
    "docs.databricks.com",
    "docs.delta.io",
    "docs.jupyter.org",
    "docs.python.org",
    "ipython.readthedocs.io",
    "ipywidgets.readthedocs.io",
    "jupyter.org",
    "jupyterlab.readthedocs.io",
    "kafka.apache.org",
    "learn.microsoft.com",
    "numpy.org",
    "pandas.pydata.org",
    "parquet.apache.org",
    "protobuf.dev",
    "spark.apache.org",
)
READING = "Further reading"
FEWEST_READINGS = 2
_SAYS_NOTHING = frozenset(("", "here", "click here", "this", "link", "this link", "more", "read more"))
# What Markdown did not take for a link, although somebody meant one.
_BROKEN = re.compile(r"\]\(|\]\[|\]\s+\((?:https?:|#|\.{0,2}/|[^\s)]+\.(?:html|ipynb|md|png|py|svg)\b)")
_BARE = re.compile(r"https?://\S*")
_BRACKETS = re.compile(r"(?:^|(?<=\s))\w{1,2}\)|[\[\](){}]")  # 'a)' numbers an item


def targets(lesson: Lesson) -> Iterator[Problem]:
    """A link leads to https, to a file beside the lesson, or to a heading of it."""
    for cell, link in _links(lesson):
        if message := _about_target(lesson, link["href"]):
            yield lesson.problem("link-targets", message, cell, link.sourceline)


def texts(lesson: Lesson) -> Iterator[Problem]:
    """The text of a link says where it leads."""
    for cell, link in _links(lesson):
        if text_of(link).casefold().strip(" .") in _SAYS_NOTHING:
            yield lesson.problem("link-texts", "let the link's text say where it leads", cell, link.sourceline)


def broken(lesson: Lesson) -> Iterator[Problem]:
    """Nothing in the text looks like a link that is none, and each bracket is closed."""
    for cell in lesson.markdown:
        for passage in passages(cell.source):
            text = passage.text
            if match := _BROKEN.search(text):
                line = passage.line_at(match.start())
                yield lesson.problem("broken-links", "write the link as [text](address), without blanks", cell, line)
            elif match := _BARE.search(text):
                line = passage.line_at(match.start())
                yield lesson.problem("broken-links", f"give {match[0]} a text: [text](address)", cell, line)
            elif (offset := _unbalanced(text)) is not None:
                line = passage.line_at(offset)
                yield lesson.problem("brackets", f"give this '{text[offset]}' its other bracket", cell, line)


def reading(lesson: Lesson) -> Iterator[Problem]:
    """Further reading is official documentation."""
    section = section_named(lesson, READING)
    if section is None:
        return
    found = list(section.find_all("a"))
    if len(found) < FEWEST_READINGS:
        message = f"link at least {FEWEST_READINGS} pages of official documentation"
        yield lesson.problem("reading", message, section.cell, section.heading.sourceline)
    for cell, link in found:
        address = _split(link.get("href", ""))
        if address is not None and address.scheme == "https" and address.hostname not in OFFICIAL_HOSTS:
            message = f"link official documentation here: {address.hostname} is not in the linter's list"
            yield lesson.problem("reading", message, cell, link.sourceline)


def _links(lesson: Lesson) -> Iterator[tuple[Cell, Tag]]:
    for cell in lesson.markdown:
        yield from ((cell, link) for link in tree(cell.source).find_all("a", href=True))


def _about_target(lesson: Lesson, target: str) -> str | None:
    """Return what to do about the target of a link; None if it is right."""
    address = _split(target)
    if re.search(r"\s|%20", target):
        return "leave blanks out of the link's address"
    if address is None or not target:
        return "correct the link's address"
    if target.startswith("#"):
        known = _slug(unquote(target[1:])) in _anchors(lesson)
        return None if known else f"link a heading of this lesson: none is named {target}"
    if address.scheme or address.netloc:
        is_safe = address.scheme == "https" and "." in (address.hostname or "")
        return None if is_safe else "link an https:// address"
    return None if _exists(lesson.path.parent / unquote(address.path)) else f"link a file that exists: {target}"


def _split(target: str) -> SplitResult | None:
    try:
        return urlsplit(target)
    except ValueError:
        return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or with characters that no name can have
        return False


def _anchors(lesson: Lesson) -> set[str]:
    """Return the names of all places in the lesson that a link can lead to."""
    found: set[str] = set()
    for cell in lesson.markdown:
        found.update(_slug(text_of(heading)) for heading in tree(cell.source).find_all(HEADINGS))
        found.update(_slug(place["id"]) for place in tree(cell.source).find_all(id=True))
    return found


def _slug(heading: str) -> str:
    """Return a heading as both JupyterLab (blanks to hyphens) and GitHub (no punctuation) would know it."""
    return re.sub(r"[^\w-]", "", heading.strip().casefold().replace(" ", "-"))


def _unbalanced(text: str) -> int | None:
    """Return where a bracket has no other one; ``[0, 10)`` is an interval, and balanced."""
    is_open: list[int] = []
    for match in _BRACKETS.finditer(text):
        if match[0] in "[({":
            is_open.append(match.start())
        elif match[0] in "])}":
            if not is_open:
                return match.start()
            is_open.pop()
        elif is_open:  # the last word of a short remark, such as "(to be)"
            is_open.pop()
    return is_open[0] if is_open else None
