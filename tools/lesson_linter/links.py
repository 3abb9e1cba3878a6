"""The links and HTML tags of a lesson: links are safe, lead somewhere and say where; tags are closed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import SplitResult, unquote, urlsplit

from .lesson import Lesson, Problem
from .markdown import HEADINGS, passages, text_of, tree, written_html

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
_VOID = ("br", "hr", "img", "input", "wbr")  # tags that never close
_SAYS_NOTHING = ("", "here", "click here", "this", "link", "this link", "more", "read more")
# Text that resembles a link, and that Markdown did not take for one; and an address without a text.
_BROKEN = re.compile(r"\]\(|\]\[|\]\s+\((?:https?:|#|\.{0,2}/|[^\s)]+\.(?:html|ipynb|md|png|py|svg)\b)|https?://\S*")


def targets(lesson: Lesson) -> Iterator[Problem]:
    """A link leads to https, to a file beside the lesson, or to a heading of it."""
    for cell in lesson.markdown:
        for link in tree(cell.source).find_all("a", href=True):
            if message := _about_target(lesson, link["href"]):
                yield lesson.problem("link-targets", message, cell, cell.find_line(link["href"]))


def texts(lesson: Lesson) -> Iterator[Problem]:
    """The text of a link says where it leads, and no text only resembles a link."""
    for cell in lesson.markdown:
        for link in tree(cell.source).find_all("a", href=True):
            if text_of(link).casefold().strip(" .") in _SAYS_NOTHING:
                message = "let the link's text say where it leads"
                yield lesson.problem("link-texts", message, cell, cell.find_line(link["href"]))
        for match in filter(None, map(_BROKEN.search, passages(cell.source))):
            message = "write the link as [text](address), without blanks"
            yield lesson.problem("link-texts", message, cell, cell.find_line(match[0]))


def tags(lesson: Lesson) -> Iterator[Problem]:
    """HTML tags are balanced and properly nested, and a fold has one summary."""
    for cell in lesson.markdown:
        balance = _Balance()
        with suppress(AssertionError):  # with which Python's parser rejects <![
            balance.feed(written_html(cell.source))
            balance.close()
        wrong = balance.wrong or [f"close <{tag}>, or write it as code" for tag in balance.is_open]
        if wrong:  # the rest follows from the first
            yield lesson.problem("tags", wrong[0], cell, cell.find_line(re.search(r"</?\w+", wrong[0])[0]))
        elif any(fold.find("summary", recursive=False) is None for fold in tree(cell.source).find_all("details")):
            yield lesson.problem("tags", "put <summary> right behind <details>", cell, cell.find_line("<details"))


class _Balance(HTMLParser):
    """Pairs tags as they are written; a tree would not show the mistakes that its parser repairs."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self.is_open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        last = self.is_open.pop() if self.is_open else None
        if last is None:
            self.wrong.append(f"open <{tag}> before closing it")
        elif last != tag:
            self.wrong.append(f"close <{last}> before </{tag}>")


def split_address(target: str) -> SplitResult | None:
    """Return the parts of an address; None for an address that has none."""
    try:
        return urlsplit(target)
    except ValueError:
        return None


def _about_target(lesson: Lesson, target: str) -> str | None:
    """Return the fix for the target of a link; None if it is right."""
    address = split_address(target)
    if address is None or not target or re.search(r"\s|%20", target):
        return "correct the link's address, without blanks"
    if target.startswith("#"):
        known = _slug(unquote(target[1:])) in _anchors(lesson)
        return None if known else f"link a heading of this lesson: none is named {target}"
    if address.scheme or address.netloc:
        is_safe = address.scheme == "https" and "." in (address.hostname or "")
        return None if is_safe else "link an https:// address"
    with suppress(OSError, ValueError):  # a name that is too long, or has characters that no name can have
        if (lesson.path.parent / unquote(address.path)).exists():
            return None
    return f"link a file that exists: {target}"


def _anchors(lesson: Lesson) -> set[str]:
    """Return the names of all places in the lesson that a link can lead to."""
    trees = [tree(cell.source) for cell in lesson.markdown]
    headings = {_slug(text_of(heading)) for soup in trees for heading in soup.find_all(HEADINGS)}
    return headings | {_slug(place["id"]) for soup in trees for place in soup.find_all(id=True)}


def _slug(heading: str) -> str:
    """Return a heading as both JupyterLab (blanks to hyphens) and GitHub (no punctuation) would know it."""
    return re.sub(r"[^\w-]", "", heading.strip().casefold().replace(" ", "-"))
