"""The documents and notebooks: links resolve, commands parse, and settings are those that the code reads."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
import yaml

from streaming_classroom import cli

PROJECT = Path(__file__).parents[1]
PATTERNS = (
    "*.md",
    ".github/**/*.md",
    "docs/*.md",
    "datasets/*.md",
    "exercises/*.md",
    "packages/*/*.md",
    "packages/*/docs/*.md",
)
PAGES = sorted(path for pattern in (*PATTERNS, "notebooks/*.md") for path in PROJECT.glob(pattern))
LESSONS = sorted((PROJECT / "notebooks").glob("*.ipynb"))
# Files that run commands of the course for people who never type them.
SCRIPTS = [PROJECT / name for name in ("Dockerfile", ".devcontainer/devcontainer.json", ".binder/postBuild")]
SCRIPTS += sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
_FENCE = re.compile(r"^ *```[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"")
_COMMAND = re.compile(r"course\.py ((?:--help|[a-z-]+(?![\w.-]))[^`\"|&\n]*)")


def markdown(page: Path) -> str:
    """Return the text of a document, or of a notebook's Markdown cells."""
    if page.suffix != ".ipynb":
        return page.read_text(encoding="utf-8")
    return "\n\n".join(cell.source for cell in nbformat.read(page, 4).cells if cell.cell_type == "markdown")


def links(page: Path) -> list[str]:
    """Return the targets of a page's links, without those that have a scheme."""
    text = _CODE.sub("", _FENCE.sub("", markdown(page)))
    targets = [target or attribute for target, attribute in _LINK.findall(text)]
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def slug(heading: str) -> str:
    """Return the anchor of a heading, which is the same for GitHub and JupyterLab but for case and punctuation."""
    return re.sub(r"[^\w-]", "", heading.strip().lower().replace(" ", "-"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings' and those that its HTML defines."""
    text = _FENCE.sub("", markdown(page))
    return {slug(found) for found in re.findall(r"^#+ (.+)$|\bid=\"([^\"]+)\"", text, re.MULTILINE) for found in found}


def is_resolved(page: Path, link: str) -> bool:
    """Whether a link's file exists inside the repository, with the link's anchor."""
    file, _, anchor = unquote(link).partition("#")
    target = (page.parent / file).resolve() if file else page
    if not (target.exists() and target.is_relative_to(PROJECT)):
        return False
    return not anchor or target.suffix not in (".md", ".ipynb") or slug(anchor) in anchors(target)


def sources() -> str:
    """Return the text of all sources that may read the environment."""
    patterns = ("course.py", "packages/*/src/**/*.py", "tools/**/*.py", "tests/browser/conftest.py")
    return "\n".join(path.read_text(encoding="utf-8") for pattern in patterns for path in PROJECT.glob(pattern))


def documented_settings() -> list[str]:
    """Return the variables in the first columns of the tables of docs/settings.md."""
    rows = re.findall(r"^\| (`.+?) \|", (PROJECT / "docs" / "settings.md").read_text(encoding="utf-8"), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([A-Z][A-Z0-9_]*(?:<[A-Z_<>]+)?)`", row)]


def test_links_and_anchors_resolve_inside_the_repository() -> None:
    found = [(page, link) for page in [*PAGES, *LESSONS] for link in links(page)]

    broken = [f"{page.relative_to(PROJECT)}: {link}" for page, link in found if not is_resolved(page, link)]

    assert len(found) > 300
    assert broken == []


def test_commands_in_documents_and_scripts_parse() -> None:
    found = {(page, match.strip()) for page in PAGES + SCRIPTS for match in _COMMAND.findall(markdown(page))}
    wrong = []

    for page, command in sorted(found):
        text = re.sub(r"\$\{\{.*?\}\}", "VALUE", command)  # a workflow's matrix
        try:
            cli.parse(shlex.split(text, comments=True))
        except SystemExit as ended:
            if ended.code:
                wrong.append(f"{page.relative_to(PROJECT)}: {command}")

    assert len(found) > 50
    assert wrong == []


def opening(number: str) -> tuple[int, set[str]]:
    """Return the minutes of a lesson, and the lessons that its first words ask for."""
    [lesson] = (path for path in LESSONS if path.name.startswith(f"{number}-"))
    [[minutes, rest]] = re.findall(
        r"^\*\*Time:\*\* (\d+) minutes(?:; \d+ with what is optional)?(.+?)(?:\n\n|$)", markdown(lesson), re.M | re.S
    )
    return int(minutes), set(re.findall(r"\b\d\d\b", rest))


def test_the_syllabus_has_the_minutes_and_the_order_of_the_lessons() -> None:
    page = (PROJECT / "docs" / "syllabus.md").read_text(encoding="utf-8")
    rows = [[re.findall(r"\[(\d\d[JLWX]?)\]", cell) for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    needs = {row[0][0]: set(row[1]) for row in rows if len(row) == 3 and row[0]}
    helps = {row[0][0]: set(row[2]) for row in rows if len(row) == 3 and row[0]}
    paths = re.findall(r"^\| [^|]+ \| ([^|]+) \| (\d+) h (\d\d) \|", page, re.M)

    assert len(needs) == 16 and len(paths) == 6
    assert {number: opening(number)[1] for number in needs} == {one: needs[one] | helps[one] for one in needs}
    for notebooks, hours, minutes in paths:
        order = re.findall(r"\[(\d\d[JLWX]?)\]", notebooks)
        assert sum(opening(number)[0] for number in order) == int(hours) * 60 + int(minutes)
        for place, number in enumerate(order):
            assert needs.get(number, set()) <= set(order[:place]), number


@pytest.mark.slow
def test_documented_settings_are_read_by_the_code() -> None:
    text, settings = sources(), documented_settings()

    # The name of a family of settings, such as CLASSROOM_WIDGET_<NAME>, is built from a part of it.
    fixed = {name: name.partition("_<")[0].removeprefix("CLASSROOM_") if "<" in name else name for name in settings}
    unread = [name for name, part in fixed.items() if not re.search(rf"\b{part}(\b|_)", text)]

    assert fixed
    assert unread == []


def test_workflows_may_only_read_the_repository_and_write_pages() -> None:
    for path in (PROJECT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {"contents": "read"}, path
        allowed = {"pages": "write", "id-token": "write"} if path.name == "pages.yml" else {}
        for job in workflow["jobs"].values():
            assert job.get("permissions", {}).items() <= allowed.items(), path
