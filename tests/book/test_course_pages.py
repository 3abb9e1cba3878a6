"""The files of the course have what the book needs of them, and what is wrong with a page is found."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from book.api_pages import api_page, module_of, public_names
from book.dark_pictures import dark_svg, with_dark_pictures
from book.lesson_pages import lesson_page
from book.links import SETTING, Links, read_address
from book.page_checks import problems
from book.sources import PARTS, UnfitReadme, first_page, lessons_page
from streaming_classroom.exercises import catalogue

PROJECT = Path(__file__).parents[2]
MODULES = [module_of(path.parent) for path in sorted((PROJECT / "packages").glob("*/pyproject.toml"))]
LESSONS = sorted((PROJECT / "notebooks").glob("*.ipynb"))
README = (PROJECT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name.partition("-")[0])
def test_a_lesson_has_its_questions_and_hints_and_no_solution(path: Path) -> None:
    number = path.name.partition("-")[0]
    questions, exercises = catalogue.quiz_of(number), {one.id: one for one in catalogue.exercises_of(number)}
    page = lesson_page(nbformat.read(path, as_version=4), path.name, "", questions, exercises)
    shown = [output.get("data", {}).get("text/html", "") for cell in page.cells for output in cell.get("outputs", [])]
    text = "\n".join([*shown, *(cell.source for cell in page.cells)])
    assert sum(html.startswith('<div class="quiz"') for html in shown) == len(questions)
    assert sum(html.startswith('<div class="exercise-check"') for html in shown) == len(exercises)
    assert [one.id for one in exercises.values() if one.solution.strip() in text] == []


@pytest.mark.parametrize("module", MODULES)
def test_each_public_name_of_a_package_is_documented_once(module: str) -> None:
    documented = re.findall(r"^\.\. auto\w+:: (\S+)$", api_page(module), re.MULTILINE)
    assert {f"{module}.{name}" for name in public_names(module)} <= set(documented)
    assert len(documented) == len(set(documented))


def test_the_lessons_are_listed_by_part_and_each_lesson_once() -> None:
    notebooks = {path.name: nbformat.read(path, as_version=4) for path in LESSONS}
    page = lessons_page(notebooks, "")
    assert re.findall(r"^:caption: (.+)$", page, re.MULTILINE) == list(PARTS.values())
    assert re.findall(r" <(.+\.ipynb)>$", page, re.MULTILINE) == list(notebooks)


def test_a_readme_without_the_three_paths_is_rejected() -> None:
    assert "```\npython course.py lab\n```" in first_page(README)
    with pytest.raises(UnfitReadme, match="0 paths instead of three"):
        first_page(README.replace("## Three paths", "## Paths"))


def test_links_to_files_lead_to_the_address_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    (tmp_path / "pyproject.toml").write_text('[tool.course]\nrepository = "https://github.com/owner/name"\n')
    links = Links(PROJECT, read_address(tmp_path), {"docs/ci.md"})
    text = links.rewrite("[a](../LICENSE), [b](ci.md), `[c](../LICENSE)`", "docs/ci.md")
    assert text == "[a](https://github.com/owner/name/blob/HEAD/LICENSE), [b](ci.md), `[c](../LICENSE)`"


def test_a_dark_picture_exchanges_light_and_dark_and_keeps_the_hue() -> None:
    assert dark_svg('<rect fill="#fff"/><path stroke="#000000"/>') == '<rect fill="#1c1c1c"/><path stroke="#ededed"/>'
    red = dark_svg("#7f1d1d").lstrip("#")
    assert red[:2] > red[2:4] == red[4:]
    assert with_dark_pictures("![a](b/c.svg) ![d](e.png)") == (
        "![a](b/c.svg){.only-light} ![a](b/c.dark.svg){.only-dark} ![d](e.png)"
    )


GOOD = """<!doctype html><html><body><a href="#main">Skip</a><main id="main"><article><h1>Title</h1>
<h2 id="part">Part</h2>
<p><a href="page.html#part">there</a> <img src="a.png" alt="A house"></p>
</article></main></body></html>"""


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("Title", "Title", None),
        ('alt="A house"', 'alt=""', "a picture has no alt text: a.png"),
        ("#part", "#nowhere", "a link leads to a place that is not there: page.html#nowhere"),
        ("page.html", "gone.html", "a link leads nowhere: gone.html#part"),
        ('href="page.html#part"', 'href="http://example.com"', "a link is not safe: http://example.com"),
        ("h2", "h3", "the heading 'Part' skips 1 levels"),
        ("<h2", "<h1>Another</h1><h2", "it begins with a heading of level [1] and has 2 of level 1"),
        ("<p>", '<p id="part">', "the id 'part' is there 2 times"),
        ("<p>", '<p tabindex="3">', 'a tabindex changes the order of reading: <p tabindex="3">'),
        ('<a href="#main">Skip</a>', "", "its first link does not lead to its main part"),
        ("<p>", '<script src="https://x.org/x.js"></script><p>', "it would fetch https://x.org/x.js"),
    ],
)
def test_a_wrong_page_has_one_problem(tmp_path: Path, good: str, bad: str, message: str | None) -> None:
    (tmp_path / "page.html").write_text(GOOD.replace(good, bad), encoding="utf-8")
    (tmp_path / "a.png").touch()
    found = [problem.removeprefix("page.html: ").partition(">")[0] for problem in problems(tmp_path)]
    assert found == ([message.partition(">")[0]] if message else [])


def test_a_site_without_pages_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path) == ["the site has no page"]
