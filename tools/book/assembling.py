"""Writes the pages that Sphinx reads: the committed files, with what a page has beside them.

Every file is written only where it has changed, so that Sphinx reads only those again.  What an earlier book wrote
and this one did not is removed.
"""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat

from streaming_classroom.exercises import catalogue

from .api_pages import api_page, module_of
from .contents import (
    Contents,
    chapters,
    contents_of,
    entry_of,
    lessons_page,
    more_page,
    packages_page,
    stories_of,
    toctree,
)
from .front_page import first_page, readme_parts
from .lesson_pages import lesson_page
from .links import Links
from .repository import Repository

_LIST = ".files.json"  # beside a folder: what was written there


@dataclass
class Book:
    """Where the book's sources are written.

    Parameters
    ----------
    project : Path
        The checkout.
    source : Path
        The folder that Sphinx reads.
    extra : Path
        The folder whose files are put beside the pages as they are.
    repository : Repository
        Where the checkout is published.
    """

    project: Path
    source: Path
    extra: Path
    repository: Repository

    def assemble(self) -> list[str]:
        """Write all sources; return the paths of the pages, without their suffixes."""
        contents = contents_of(self.project)
        readme = readme_parts(_read(self.project / "README.md"))
        links = Links(self.project, self.repository, set(contents.pages), {"README.md": "index.md"})
        texts = self._documents(contents, links)
        texts |= self._lessons(contents, links)
        texts |= self._chapters(contents, texts, links, readme.packages)
        index = links.rewritten(first_page(readme), "README.md")
        texts["index.md"] = f"{index}\n\n{chapters(contents)}"
        self._write(texts, links)
        return [posixpath.splitext(name)[0] for name in texts]

    def _documents(self, contents: Contents, links: Links) -> dict[str, str]:
        texts = {}
        for path in contents.pages:
            if path.endswith(".md"):
                texts[path] = links.rewritten(_read(self.project / path), path)
        for path in contents.packages:
            folder = posixpath.dirname(path)
            texts[f"{folder}/reference.rst"] = api_page(module_of(self.project / folder))
            below = ["reference.rst", *(posixpath.relpath(page, folder) for page in contents.more[path])]
            texts[path] += f"\n\n{toctree(below)}"
        return texts

    def _lessons(self, contents: Contents, links: Links) -> dict[str, str]:
        texts = {}
        for path in contents.lessons:
            notebook = nbformat.read(self.project / path, as_version=4)
            number = posixpath.basename(path).partition("-")[0]
            exercises = {one.id: one for one in catalogue.of_lesson(number)}
            questions = catalogue.quiz_of(number)
            page = lesson_page(notebook, posixpath.basename(path), self.repository, questions, exercises)
            for cell in page.cells:
                if cell.cell_type == "markdown":
                    cell.source = links.rewritten(cell.source, path)
            texts[path] = nbformat.writes(page)
        return texts

    def _chapters(self, contents: Contents, texts: dict[str, str], links: Links, table: str) -> dict[str, str]:
        entries = [entry_of(path, nbformat.reads(texts[path], as_version=4)) for path in contents.lessons]
        titles = [re.search(r"^# (.+)$", texts[path], re.MULTILINE)[1] for path in contents.back]
        return {
            "lessons.md": lessons_page(entries, stories_of(texts.get("docs/learning.md", ""))),
            "packages.md": packages_page(links.rewritten(table, "README.md"), contents.packages),
            "reference.md": more_page(contents.back, titles),
        }

    def _write(self, texts: dict[str, str], links: Links) -> None:
        copies = {path: self.project / path for path in sorted(links.brought)}
        for name, text in texts.items():
            _write_changed(self.source / name, text.encode("utf-8"))
        for name, path in copies.items():
            _write_changed(self.source / name, path.read_bytes())
        downloads = {f"notebooks/{path.name}": path for path in (self.project / "notebooks").glob("*.ipynb")}
        for name, path in downloads.items():
            _write_changed(self.extra / name, path.read_bytes())
        _forget_others(self.source, {*texts, *copies}, self.source.with_suffix(_LIST))
        _forget_others(self.extra, set(downloads), self.extra.with_suffix(_LIST))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write_changed(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _forget_others(folder: Path, names: set[str], listed: Path) -> None:
    """Remove what an earlier book wrote into a folder and this one did not; nothing else is touched."""
    before = set(json.loads(_read(listed))) if listed.is_file() else set()
    for name in before - names:
        (folder / name).unlink(missing_ok=True)
    _write_changed(listed, json.dumps(sorted(names)).encode("utf-8"))
