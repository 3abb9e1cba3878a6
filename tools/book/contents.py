"""What the book has, in which order: its chapters, and the pages that list them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

_LESSON = re.compile(r"(?P<number>(?P<base>\d+)[A-Z]?)-.+\.ipynb")
_BACK = (
    "docs/troubleshooting.md",
    "docs/crashes.md",
    "docs/settings.md",
    "docs/databricks-notebooks-here.md",
    "docs/on-databricks.md",
    "docs/engines.md",
    "docs/scale.md",
    "datasets/README.md",
    "docs/ci.md",
    "docs/architecture.md",
    "docs/patches.md",
    "docs/parity.md",
    "docs/versions.md",
    "exercises/README.md",
)
_FRONT = {"docs/learning.md": "Learn", "docs/teaching.md": "Teach"}
GLOSSARY = "notebooks/Glossary.md"


@dataclass(frozen=True)
class LessonEntry:
    """What the list of lessons says of one.

    Parameters
    ----------
    path : str
        In the repository.
    number, title, question, minutes : str
        As the lesson's own first cell says.
    """

    path: str
    number: str
    title: str
    question: str
    minutes: str


@dataclass(frozen=True)
class Contents:
    """The committed files that are pages, by chapter, as paths in the repository."""

    lessons: tuple[str, ...]
    front: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    glossary: str = ""
    more: dict[str, tuple[str, ...]] = field(default_factory=dict)  # pages of a package, by its README

    @property
    def pages(self) -> list[str]:
        """All of them but the README, which becomes the first page."""
        glossary = [self.glossary] if self.glossary else []
        extra = [page for pages in self.more.values() for page in pages]
        return [*self.lessons, *glossary, *self.front, *self.packages, *extra, *self.back]


def contents_of(project: Path) -> Contents:
    """Return what a checkout's book has; documents that are not named here come last."""
    lessons = sorted(path.name for path in (project / "notebooks").glob("*.ipynb") if _LESSON.fullmatch(path.name))
    packages = sorted(path.parent for path in project.glob("packages/*/README.md"))
    top = sorted(path.name for path in project.glob("*.md") if path.name != "README.md")
    documents = {path.relative_to(project).as_posix() for path in (project / "docs").glob("*.md")}
    back = [path for path in _BACK if (project / path).is_file()]
    back += [*sorted(documents - {*_FRONT, *back}), *top]
    return Contents(
        lessons=tuple(f"notebooks/{name}" for name in lessons),
        front=tuple(path for path in _FRONT if path in documents),
        packages=tuple(f"packages/{package.name}/README.md" for package in packages),
        back=tuple(back),
        glossary=GLOSSARY if (project / GLOSSARY).is_file() else "",
        more={f"packages/{package.name}/README.md": _more_of(package, project) for package in packages},
    )


def _more_of(package: Path, project: Path) -> tuple[str, ...]:
    pages = [package / "CHANGELOG.md", *sorted(package.glob("src/**/*.md"))]
    return tuple(path.relative_to(project).as_posix() for path in pages if path.is_file())


def entry_of(path: str, notebook: nbformat.NotebookNode) -> LessonEntry:
    """Return what the list of lessons says of a notebook; nothing where its first cell does not say it."""
    text = notebook.cells[0].source if notebook.cells else ""
    title = re.search(r"\A# (?:\S+ · )?(.+)$", text, re.MULTILINE)
    question = re.search(r"^\*\*The question:\*\* (.+(?:\n.+)*)", text, re.MULTILINE)
    minutes = re.search(r"^\*\*Time:\*\* (\d+) minutes", text, re.MULTILINE)
    asked = " ".join(question[1].split()) if question else ""
    return LessonEntry(
        path,
        _LESSON.fullmatch(Path(path).name)["number"],
        title[1] if title else Path(path).stem,
        asked[:1].upper() + asked[1:],
        minutes[1] if minutes else "",
    )


def lessons_page(entries: Sequence[LessonEntry], stories: Mapping[str, str]) -> str:
    """Return the chapter of the lessons: each with its question, or a lab with its story, and its minutes."""
    rows = ["| | lesson | question, or story | minutes |", "| --- | --- | --- | --- |"]
    for one in entries:
        about = one.question or stories.get(one.number, "")
        rows.append(f"| {one.number} | [{one.title}]({one.path}) | {about} | {one.minutes} |")
    text = "Each lesson is complete on its own. A number with X goes deeper, with L is a lab, with W wraps up."
    tree = toctree([f"{one.number} · {one.title} <{one.path}>" for one in entries])
    return "\n\n".join(["# Lessons", text, "\n".join(rows), tree])


def stories_of(learning: str) -> dict[str, str]:
    """Return the story of each lab by its number, from the page on learning."""
    return dict(re.findall(r"^\| (\w+) \| \[[^\]]+\]\([^)]+\) \| (.+) \|$", learning, re.MULTILINE))


def packages_page(table: str, packages: Sequence[str]) -> str:
    """Return the chapter of the packages."""
    text = "All but the last are of use without the course, in any Jupyter with Spark."
    names = [posixpath.basename(posixpath.dirname(path)).replace("-", "_") for path in packages]
    tree = toctree([f"{name} <{path}>" for name, path in zip(names, packages, strict=True)])
    return "\n\n".join(["# Packages", text, table, tree])


def more_page(pages: Sequence[str], titles: Sequence[str]) -> str:
    """Return the chapter of everything else."""
    rows = "\n".join(f"* [{title}]({page})" for page, title in zip(pages, titles, strict=True))
    return "\n\n".join(["# Reference", "What you look up when you need it.", rows, toctree(pages)])


def chapters(contents: Contents) -> str:
    """Return the tree that holds the book together, for the first page."""
    front = [f"{name} <{path}>" for path, name in _FRONT.items() if path in contents.front]
    glossary = [contents.glossary] if contents.glossary else []
    return toctree(["Lessons <lessons.md>", *front, "Packages <packages.md>", "Reference <reference.md>", *glossary])


def toctree(entries: Sequence[str]) -> str:
    """Return what puts pages below the page that it is in; it is not seen there."""
    return "\n".join(["```{toctree}", ":hidden:", ":maxdepth: 1", "", *entries, "```", ""])
