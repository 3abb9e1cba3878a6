"""The relative links of a document, as they must be in the book.

A link to a page stays, since the book's folders are those of the repository.  A link to any other file leads to the
repository's address, or where that is unknown to the file, which the book then brings along; a folder has no page, so
that without an address its link is only text.  Pictures always come along: a page shows them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from .repository import Repository

# A fenced block, a code span, or a link: what comes first at a place is what it is.
_PART = re.compile(
    r"(?P<fence>^(?P<ticks>```+|~~~+)[^\n]*\n.*?^(?P=ticks)[ \t]*$)"
    r"|(?P<code>(?<!`)(?P<quote>`+)(?!`).+?(?<!`)(?P=quote)(?!`))"
    r"|\]\((?P<target>[^)\s]+)\)",
    re.MULTILINE | re.DOTALL,
)
_LINK_TO_FOLDER = re.compile(r"\[(?P<text>[^\]]*)\]\(folder:\)")
_PICTURE = re.compile(r".*\.(?:gif|jpg|png|svg|webp)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#")


@dataclass
class Links:
    """How the links of the book's documents are rewritten, and which files they lead to.

    Parameters
    ----------
    project : Path
        The checkout.
    repository : Repository
        Where it is published.
    pages : collection of str
        Paths of the files that are pages, such as ``docs/ci.md``.
    moved : dict
        Paths of files that are pages under other names: ``{"README.md": "index.md"}``.
    """

    project: Path
    repository: Repository
    pages: Collection[str]
    moved: dict[str, str] = field(default_factory=dict)
    brought: set[str] = field(default_factory=set)

    def rewritten(self, text: str, path: str) -> str:
        """Return a document's text, with its links as the book needs them; note the files that it must bring along.

        Parameters
        ----------
        text : str
            Markdown.
        path : str
            The document's path in the repository.
        """
        here = posixpath.dirname(path)
        changed = _PART.sub(lambda part: self._part(part, here), text)
        return _LINK_TO_FOLDER.sub(r"\g<text>", changed)

    def _part(self, part: re.Match[str], here: str) -> str:
        target = part["target"]
        if target is None or _ELSEWHERE.match(target):
            return part[0]
        return f"]({self._target(target, here)})"

    def _target(self, target: str, here: str) -> str:
        relative, sharp, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(here, relative))
        if path in self.moved:
            return posixpath.relpath(self.moved[path], here or ".") + sharp + anchor
        if path in self.pages or not (self.project / path).exists():  # of what is not there, Sphinx says so
            return target
        is_folder = (self.project / path).is_dir()
        url = self.repository.url(path, is_folder)
        if url and not _PICTURE.fullmatch(path):
            return url + sharp + anchor
        if is_folder:
            return "folder:"
        self.brought.add(path)
        return relative
