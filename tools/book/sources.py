"""Writes the pages that Sphinx reads: documents, lessons, references, and the pages that list them."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import nbformat

from streaming_classroom.exercises import catalogue
from streaming_classroom.runner.lesson_files import STATED_MINUTES

from .api_pages import api_page, module_of
from .dark_pictures import dark_svg, with_dark_pictures
from .lesson_pages import RECORDINGS, lesson_page
from .links import Links
from .recordings import recordings_of, script_of

_LESSON = re.compile(r"(?P<number>\d+[A-Z]?)-.+\.ipynb")
_FRONT = {"docs/learning.md": "Learn", "docs/syllabus.md": "Syllabus", "docs/teaching.md": "Teach"}
_GLOSSARY = "notebooks/Glossary.md"
# The order of the reference pages; documents that are not named here come last.
_REFERENCE = (
    "docs/reference.md",
    "docs/exams.md",
    "docs/troubleshooting.md",
    "docs/crashes.md",
    "docs/settings.md",
    "docs/databricks-notebooks-here.md",
    "docs/unity-catalog.md",
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
#: The parts of the course, by the number of the first lesson.
PARTS = {
    "00": "First streams",
    "03": "Sources, sinks, triggers",
    "06": "Results and recovery",
    "08": "Files that arrive",
    "09": "Event time and state",
    "12": "Changes and the lakehouse",
    "14": "Kafka, pipelines, operations",
}
_BUTTONS = "[Start with lesson 00](notebooks/00-Start-Here.ipynb) [All lessons](#lessons)"


class UnfitReadme(ValueError):
    """The README lacks a part that the book's first page shows."""


def write(project: Path, source: Path, extra: Path, address: str, recorded: Path) -> str:
    """Write the pages into `source`, and what they load into `extra`; return the book's title.

    They load the lessons' notebooks, and the recordings that the folder `recorded` has.
    """
    readme = _read(project / "README.md")
    lessons = _paths(project, "notebooks/[0-9]*.ipynb")
    packages = _paths(project, "packages/*/README.md")
    patterns = ("docs/*.md", "CHANGELOG.md", "src/**/*.md")
    more = {
        path: [page for pattern in patterns for page in _paths(project, f"{posixpath.dirname(path)}/{pattern}")]
        for path in packages
    }
    documents = {*_paths(project, "docs/**/*.md"), *_paths(project, "*.md")} - {"README.md", *_FRONT}
    reference = [path for path in _REFERENCE if (project / path).is_file()]
    reference += sorted(documents - {*reference}, key=lambda path: (path.count("/") == 0, path))
    front = [path for path in (*_FRONT, _GLOSSARY) if (project / path).is_file()]
    plain = [*front, *packages, *(page for pages in more.values() for page in pages), *reference]

    links = Links(project, address, {*lessons, *plain})
    texts = {path: links.rewrite(_read(project / path), path) for path in plain}
    for path in packages:
        folder = posixpath.dirname(path)
        texts[f"{folder}/reference.rst"] = api_page(module_of(project / folder))
        texts[path] += toctree(["reference.rst", *(posixpath.relpath(page, folder) for page in more[path])])
    notebooks = {path: _lesson(project / path, path, links, recorded, extra) for path in lessons}
    texts |= {path: nbformat.writes(notebook) for path, notebook in notebooks.items()}
    texts["lessons.md"] = lessons_page(notebooks, texts.get("docs/learning.md", ""))
    texts["packages.md"] = packages_page(links.rewrite(_table_of_packages(readme), "README.md"), packages)
    titles = {path: re.search(r"^# (.+)$", texts[path], re.MULTILINE)[1] for path in reference}
    rows = "\n".join(f"* [{title}]({path})" for path, title in titles.items())
    texts["reference.md"] = f"# Reference\n\nWhat you look up when you need it.\n\n{rows}\n\n{toctree(reference)}"
    names = [
        *(f"{_FRONT[path]} <{path}>" for path in front if path in _FRONT),
        *(path for path in front if path == _GLOSSARY),
    ]
    chapters = ["Lessons <lessons.md>", *names[:2], "Packages <packages.md>", "Reference <reference.md>", *names[2:]]
    texts["index.md"] = links.rewrite(first_page(readme), "README.md") + toctree(chapters)

    for name, text in texts.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text if name in notebooks else with_dark_pictures(text), encoding="utf-8")
    for folder, paths in ((source, links.copies), (extra, lessons)):
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(project / path, folder / path)
    for path in (path for path in links.copies if path.endswith(".svg")):
        dark = source / f"{path.removesuffix('.svg')}.dark.svg"
        dark.write_text(dark_svg(_read(project / path)), encoding="utf-8")
    return _find(r"\A# (.+)$", readme, "title")


def first_page(readme: str) -> str:
    """Return the README as the first page: title, a sentence, a command, a picture and three paths, then the rest.

    Raises
    ------
    UnfitReadme
        The README lacks one of them.
    """
    title = _find(r"\A# (.+)$", readme, "title")
    sentence = re.split(r"(?<=\.)\s", _find(r"\A# .+\n\n((?:.+\n)+)", readme, "first paragraph"), maxsplit=1)[0]
    command = _find(r"^## Start\n.*?^```\n(.+?)\n", readme, "command").partition(" #")[0].strip()
    picture = _find(r"^(!\[[^\]]*\]\([^)]+\))", readme, "picture")
    section = re.search(r"^## Three paths\n(.*?)(?=^## |\Z)", readme, re.MULTILINE | re.DOTALL)
    cards = re.findall(r"^\* (.+(?:\n  .+)*)", section[1] if section else "", re.MULTILINE)
    if len(cards) != 3:
        raise UnfitReadme(f"README.md has {len(cards)} paths instead of three")
    names = re.findall(r"\[[^\]]+\]\(packages/[^)]+\)", _table_of_packages(readme))
    cards[2] = f"{cards[2].rstrip(':')}: {', '.join(names)}."
    cards = [re.sub(r"\A\*\*(.+?)\.\*\*", r"**\1**", " ".join(card.split())) for card in cards]
    hero = _block("hero", sentence, f"```\n{command}\n```", _block("buttons", _BUTTONS, colons=3))
    paths = _block("paths", *(_block("path", card, colons=3) for card in cards))
    rest = readme[readme.index("\n## ") :].replace(section[0], "")
    return "\n\n".join([f"# {title}", hero, _block("hero-picture", picture), paths, rest, ""])


def lessons_page(notebooks: dict[str, nbformat.NotebookNode], learning: str) -> str:
    """Return the page that lists the lessons by part, with question, or story of a lab, and minutes."""
    stories = dict(re.findall(r"^\| (\w+) \| \[[^\]]+\]\([^)]+\) \| (.+) \|$", learning, re.MULTILINE))
    text = "Each lesson is complete on its own. A number with X goes deeper, with L is a lab, with W wraps up."
    pieces = ["# Lessons", text]
    for title, paths in _by_part(notebooks).items():
        rows, entries = ["| | lesson | question, or story | minutes |", "| --- | --- | --- | --- |"], []
        for path in paths:
            number, name, asked, minutes = _lesson_row(path, notebooks[path].cells[0].source, stories)
            rows.append(f"| {number} | [{name}]({path}) | {asked} | {minutes} |")
            entries.append(f"{number} · {name} <{path}>")
        pieces += [f"## {title}", "\n".join(rows), toctree(entries, title)]
    return "\n\n".join(pieces)


def _by_part(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the lessons of each part, in order."""
    parts: dict[str, list[str]] = {}
    for path in paths:
        number = _LESSON.fullmatch(posixpath.basename(path))["number"]
        first = max(part for part in PARTS if part <= number)
        parts.setdefault(PARTS[first], []).append(path)
    return parts


def _lesson_row(path: str, text: str, stories: dict[str, str]) -> tuple[str, str, str, str]:
    """Return number, title, question or story, and minutes of a lesson, by the text of its first cell."""
    number = _LESSON.fullmatch(posixpath.basename(path))["number"]
    title = re.search(r"\A# (?:\S+ · )?(.+)$", text, re.MULTILINE)[1]
    question = re.search(r"^\*\*The question:\*\* (.+(?:\n.+)*)", text, re.MULTILINE)
    minutes = STATED_MINUTES.search(text)
    asked = " ".join(question[1].split()) if question else stories.get(number, "")
    return number, title, asked[:1].upper() + asked[1:], minutes[2] if minutes else ""


def packages_page(table: str, packages: Iterable[str]) -> str:
    """Return the page that lists the packages."""
    text = "All but the last are of use without the course, in any Jupyter with Spark."
    names = [f"{posixpath.basename(posixpath.dirname(path)).replace('-', '_')} <{path}>" for path in packages]
    return "\n\n".join(["# Packages", text, table, toctree(names)])


def toctree(entries: Iterable[str], caption: str = "") -> str:
    """Return the hidden directive that puts pages below the page that contains it, in a group with a caption."""
    options = [":hidden:", ":maxdepth: 1", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["\n\n```{toctree}", *options, "", *entries, "```", ""])


def _lesson(file: Path, path: str, links: Links, recorded: Path, extra: Path) -> nbformat.NotebookNode:
    number = file.name.partition("-")[0]
    exercises = {exercise.id: exercise for exercise in catalogue.exercises_of(number)}
    notebook = nbformat.read(file, as_version=4)
    recordings = recordings_of(notebook, recorded / f"{file.stem}.json")
    if recordings:
        (extra / RECORDINGS).mkdir(parents=True, exist_ok=True)
        (extra / RECORDINGS / f"{file.stem}.js").write_text(script_of(recordings), encoding="utf-8")
    page = lesson_page(notebook, file.name, links.address, catalogue.quiz_of(number), exercises, recordings)
    for cell in page.cells:
        if cell.cell_type == "markdown":
            cell.source = with_dark_pictures(links.rewrite(cell.source, path))
    return page


def _table_of_packages(readme: str) -> str:
    return _find(r"^## Three paths\n.*?^((?:\|[^\n]*\n)+)", readme, "table of packages")


def _find(pattern: str, text: str, name: str) -> str:
    found = re.search(pattern, text, re.MULTILINE | (re.DOTALL if ".*?" in pattern else re.NOFLAG))
    if found is None:
        raise UnfitReadme(f"README.md has no {name} where the book's first page needs it")
    return found[1]


def _block(name: str, *parts: str, colons: int = 4) -> str:
    body = "\n\n".join(parts)
    return f"{':' * colons}{{container}} {name}\n{body}\n{':' * colons}"


def _paths(project: Path, pattern: str) -> list[str]:
    return sorted(path.relative_to(project).as_posix() for path in project.glob(pattern) if path.is_file())


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
