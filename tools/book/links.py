"""The relative links of the documents, as they must be in the book.

A link to a page stays, since the book's folders are those of the repository.  A link to any other file leads to the
repository's address or, without an address, to the file itself, which the book then contains; a folder has no page, so
that its link becomes text.  Pictures are always copied: a page shows them.
"""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

SETTING = "CLASSROOM_REPOSITORY"
# A fenced block, a code span, or a link: the first that begins at a place.
_PART = re.compile(
    r"(?P<fence>^(?P<ticks>```+|~~~+)[^\n]*\n.*?^(?P=ticks)[ \t]*$)"
    r"|(?P<code>(?<!`)(?P<quote>`+)(?!`).+?(?<!`)(?P=quote)(?!`))"
    r"|\]\((?P<target>[^)\s]+)\)",
    re.MULTILINE | re.DOTALL,
)
_LINK_TO_FOLDER = re.compile(r"\[(?P<text>[^\]]*)\]\(folder:\)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#")
_PICTURES = (".gif", ".jpg", ".png", ".svg", ".webp")


def read_address(project: Path) -> str:
    """Return the repository's public address from the environment or from pyproject.toml; empty if there is none."""
    settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    address = os.environ.get(SETTING, settings.get("tool", {}).get("course", {}).get("repository", ""))
    return address.strip().rstrip("/").removesuffix(".git")


@dataclass
class Links:
    """Rewrites the links of the book's documents, and records the files that the book must contain.

    Parameters
    ----------
    project : Path
        The checkout.
    address : str
        Where it is published; empty if it is not.
    pages : collection of str
        Paths of the files that are pages, such as ``docs/ci.md``.
    """

    project: Path
    address: str
    pages: Collection[str]
    copies: set[str] = field(default_factory=set)

    def rewrite(self, text: str, path: str) -> str:
        """Return the Markdown of a document, whose path in the repository is given, with the book's links."""
        here = posixpath.dirname(path)
        changed = _PART.sub(lambda part: self._rewrite_part(part, here), text)
        return _LINK_TO_FOLDER.sub(r"\g<text>", changed)

    def _rewrite_part(self, part: re.Match[str], here: str) -> str:
        target = part["target"]
        if target is None or _ELSEWHERE.match(target):
            return part[0]
        relative, sharp, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(here, relative))
        file = self.project / path
        if path == "README.md":
            return f"]({posixpath.relpath('index.md', here or '.')}{sharp}{anchor})"
        if path in self.pages or not file.exists():  # Sphinx reports a missing file
            return part[0]
        if self.address and not path.endswith(_PICTURES):
            kind = "tree" if file.is_dir() else "blob"
            return f"]({self.address}/{kind}/HEAD/{quote(path)}{sharp}{anchor})"
        if file.is_dir():
            return "](folder:)"
        self.copies.add(path)
        return f"]({relative})"
