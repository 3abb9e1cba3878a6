"""The documents: what they link, name and promise is there."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import module_map
from streaming_classroom import cli

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
DOCS = sorted((PROJECT / "docs").glob("*.md"))
PACKAGES = sorted(path.parent for path in (PROJECT / "packages").glob("*/pyproject.toml"))
PAGES = [README, *DOCS, *(PROJECT / folder / "README.md" for folder in ("datasets", "exercises"))]
PAGES += [package / "README.md" for package in PACKAGES]
SETTINGS = PROJECT / "docs" / "settings.md"
ARCHITECTURE = PROJECT / "docs" / "architecture.md"
LONGEST = 4010  # characters of the README, without its table of lessons
COMMANDS = ("lab", "run", "test")  # which a machine looks for in the README, each in a block of its own
# Folders and files at the root of a checkout; what a learner's machine has besides is not looked for.
ROOTS = {path.name for path in PROJECT.iterdir()} - {".venv", ".cache", ".classroom", "work", "build"}
OF_A_PACKAGE = {"src", "tests"}
# No settings: between two processes of ours, and an example of how a name is made.
INTERNAL = {"CLASSROOM_FORK_SERVER", "CLASSROOM_A_B"}
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", re.DOTALL)  # within a paragraph
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PATH = re.compile(r"(?:\./)?([\w.*-]+(?:/[\w.*-]+)*/?)")
_COMMAND = re.compile(r"(?:python )?course\.py (\S.*)")
_VARIABLE = re.compile(r"\bCLASSROOM_[A-Z_]*[A-Z]")


def name_of(page: Path) -> str:
    return page.relative_to(PROJECT).as_posix()


def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def code(page: Path) -> Iterator[str]:
    """Yield what a page has in backticks, and the lines of its blocks of code."""
    for block in _FENCE.findall(page.read_text(encoding="utf-8")):
        yield from block.splitlines()
    rest = re.sub(r"\[`[^`]+`\](?=\()", "[]", prose(page))  # where the text of a link is code, the link says more
    yield from (" ".join(text.split()) for _ticks, text in _CODE.findall(rest))


def links(page: Path) -> list[str]:
    """Return the relative links of a page."""
    text = re.sub(_CODE, "", prose(page))
    return [target for target in _LINK.findall(text) if not re.match(r"[a-z]+:", target)]


def paths(page: Path) -> list[str]:
    """Return the words in a page's code that are paths of the repository, or of the page's package.

    ``NN`` stands for the number of a lesson that is still to be written.
    """
    words = [word for text in code(page) if not text.startswith("%run") for word in text.split()]
    found = [match[1] for word in words if "/" in word and (match := _PATH.fullmatch(word))]
    firsts = ROOTS | (OF_A_PACKAGE if page.parent in PACKAGES else set())
    return [path for path in found if path.partition("/")[0] in firsts and "NN" not in path]


def includes(page: Path) -> list[str]:
    """Return what a page's cells include as lessons do."""
    return [match[1] for text in code(page) if (match := re.search(r"\.\./Includes/([\w-]+)", text))]


def commands(page: Path) -> list[str]:
    """Return the arguments of each `course.py` in a page's code."""
    return [match[1] for text in code(page) if (match := _COMMAND.match(text))]


def anchors(page: Path) -> set[str]:
    """Return what a link to a heading of a page may have after its #."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def of_all_pages(found: Callable[[Path], Iterable[str]]) -> list[Any]:
    """Return as a test's parameters what a function finds in each page."""
    pairs = dict.fromkeys((page, each) for page in PAGES for each in found(page))
    return [pytest.param(page, each, id=f"{name_of(page)}: {each}") for page, each in pairs]


@cache
def sources() -> dict[Path, str]:
    """Return the text of each source that may look at the environment."""
    patterns = ("course.py", "packages/*/src/**/*.py", "tools/**/*.py", "tests/browser/conftest.py")
    return {path: path.read_text(encoding="utf-8") for pattern in patterns for path in PROJECT.glob(pattern)}


@cache
def constants() -> set[str]:
    """Return the strings of the sources, without docstrings."""
    found = set()
    for text in sources().values():
        tree = ast.parse(text)
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        found |= {node.value for node in strings if id(node) not in said}
    return found


def documented() -> list[str]:
    """Return the variables of the first columns of the tables of settings."""
    rows = re.findall(r"^\| (`.+?) \|", SETTINGS.read_text(encoding="utf-8"), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([A-Z][A-Z0-9_]*(?:<[A-Z_<>]+)?)`", row)]


def answers() -> list[tuple[str, list[str]]]:
    """Return the questions at the end of the page on architecture, each with the paths that answer it."""
    rows = re.findall(r"^\| \d+ \| (.+?) \| (.+) \|$", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)
    return [(question, re.findall(r"`([^`]+)`", answer)) for question, answer in rows]


def test_the_readme_is_short() -> None:
    lines = README.read_text(encoding="utf-8").splitlines(keepends=True)
    length = sum(len(line) for line in lines if not re.match(r"\| \d\d \|", line))
    assert length <= LONGEST, f"The README has {length} characters beside its lessons: move some into docs/."


@pytest.mark.parametrize("command", COMMANDS)
def test_the_readme_has_a_command_in_a_block_of_its_own(command: str) -> None:
    assert f"python course.py {command}\n" in _FENCE.findall(README.read_text(encoding="utf-8"))


@pytest.mark.parametrize("lesson", sorted(path.name for path in (PROJECT / "notebooks").glob("*.ipynb")))
def test_the_readme_links_each_lesson_and_learning_links_each_lab(lesson: str) -> None:
    number = lesson.partition("-")[0]
    assert (f"notebooks/{lesson}" in links(README)) is number.isdigit()
    learning = PROJECT / "docs" / "learning.md"
    assert (f"../notebooks/{lesson}" in links(learning)) is number.endswith(("L", "W"))


@pytest.mark.parametrize("page", DOCS, ids=name_of)
def test_the_readme_links_each_document(page: Path) -> None:
    assert name_of(page) in links(README)


@pytest.mark.parametrize(("page", "link"), of_all_pages(links))
def test_a_link_leads_somewhere(page: Path, link: str) -> None:
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    assert target.exists()
    assert not anchor or anchor in anchors(target)


@pytest.mark.parametrize(("page", "path"), of_all_pages(paths))
def test_a_path_is_there(page: Path, path: str) -> None:
    assert list(PROJECT.glob(path)) or list(page.parent.glob(path))


def test_there_are_twenty_questions_each_with_an_answer() -> None:
    assert len({question for question, found in answers() if found}) == len(answers()) == 20


@pytest.mark.parametrize(("question", "found"), answers(), ids=[question for question, _found in answers()])
def test_where_something_is_said_to_be_it_is(question: str, found: list[str]) -> None:
    assert [path for path in found if not (PROJECT / path).exists()] == []


@pytest.mark.parametrize(("page", "include"), of_all_pages(includes))
def test_an_include_is_there(page: Path, include: str) -> None:
    assert (PROJECT / "Includes" / f"{include}.py").is_file()


@pytest.mark.parametrize(("page", "command"), of_all_pages(commands))
def test_a_command_is_one_that_course_py_takes(page: Path, command: str) -> None:
    cli.parse(shlex.split(command, comments=True))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_package_says_how_to_install_it_and_what_has_changed(package: Path) -> None:
    blocks = "".join(_FENCE.findall((package / "README.md").read_text(encoding="utf-8")))
    assert re.search(rf"^(pip install .*\./packages/{package.name}\b|python course\.py setup$)", blocks, re.MULTILINE)
    assert (package / "CHANGELOG.md").read_text(encoding="utf-8").startswith("# Changelog\n\n## ")


@pytest.mark.parametrize("name", documented())
def test_a_documented_setting_is_used(name: str) -> None:
    # The name of one with a <NAME> in it is put together from its parts.
    fixed = name.partition("_<")[0]
    assert (fixed.removeprefix("CLASSROOM_") if "<" in name else name) in constants()


@pytest.mark.parametrize("name", sorted({name for text in sources().values() for name in _VARIABLE.findall(text)}))
def test_a_setting_that_is_used_is_documented(name: str) -> None:
    families = tuple(each.partition("<")[0] for each in documented() if "<" in each)
    assert name in INTERNAL or name in documented() or f"{name}_".startswith(families)


def test_the_citation_names_what_the_readme_and_the_packages_do() -> None:
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # what the format requires
    assert README.read_text(encoding="utf-8").startswith(f"# {citation['title']}\n")
    projects = [tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8")) for package in PACKAGES]
    assert {project["project"]["version"] for project in projects} == {citation["version"]}


def test_the_map_of_modules_is_that_of_the_code() -> None:
    assert module_map.MAP.read_text(encoding="utf-8") == module_map.module_map(), "run tools/module_map.py"
