"""The pages of a small book, as a reader sees them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from book.building import BookNotBuilt, build
from book.page_checks import problems
from streaming_classroom.exercises import catalogue

from .conftest import LESSON_PATH, write_project

# Sphinx 11 will remove what its extensions use; the version is pinned.
pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning", "ignore::DeprecationWarning")


GOOD = """<!doctype html><html><body><a href="#main">Skip</a><main id="main"><article><h1>Title</h1>
<h2 id="part">Part</h2>
<p><a href="page.html#part">there</a> <img src="a.png" alt="A house"></p>
</article></main></body></html>"""


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")


@pytest.fixture
def lesson(site: Path) -> BeautifulSoup:
    return page(site, "notebooks/00-Start-Here.html")


@pytest.mark.slow
def test_a_lesson_has_colored_code_saved_outputs_without_widgets_and_folded_notes(lesson: BeautifulSoup) -> None:
    colored = {token.get_text(): token["class"] for token in lesson.select(".cell_input span[class]")}
    assert (colored["%sql"], colored["SELECT"]) == (["nd"], ["k"])
    assert lesson.select(".cell_output")[0].get_text().split() == ["17"] and "model_id" not in str(lesson)
    assert not lesson.find("summary", string="For instructors").parent.has_attr("open")


def test_each_choice_of_a_quiz_states_whether_it_is_right(lesson: BeautifulSoup) -> None:
    choices = catalogue.quiz_of("00")[0].choices
    marks = [choice.find("strong").get_text() for choice in lesson.select("details.choice")]
    assert marks == ["✓ Right." if choice.is_right else "✗ Not this one." for choice in choices]


def test_an_exercise_has_folded_hints_and_no_solution(lesson: BeautifulSoup) -> None:
    answer = 'evens = ticks.where("value % 2 = 0")'
    assert answer in catalogue.find("00.1").solution and answer not in lesson.get_text()
    assert [fold.summary.get_text() for fold in lesson.select("details.hint")] == ["Hint 1 of 2", "Hint 2 of 2"]
    assert not lesson.select("details.hint[open]")


@pytest.mark.slow
def test_links_lead_to_pages_and_to_files_that_the_book_brings(lesson: BeautifulSoup, site: Path) -> None:
    links = [link["href"] for link in lesson.article.find_all("a", href=True)]
    [to_license] = [link for link in links if link.endswith("LICENSE")]
    in_lab, download, _guide = (link["href"] for link in lesson.select("details.open-in a"))
    assert {"Glossary.html#watermark", "../docs/teaching.html"} <= set(links)
    assert in_lab == f"http://localhost:8888/lab/tree/{LESSON_PATH}"
    assert (site / "notebooks" / download).read_bytes() == (site.parents[1] / "project" / LESSON_PATH).read_bytes()
    assert (site / "notebooks" / to_license).read_text(encoding="utf-8") == "Free."
    table = page(site, "docs/teaching.html").article.table
    assert table.find("a", href="../index.html#start") and not table.thead


def test_the_front_page_is_the_readme_with_one_command_and_three_paths(site: Path) -> None:
    front = page(site, "index.html").article
    assert front.select_one(".hero").get_text().startswith("\nIt has one lesson.\npython course.py lab\n")
    assert [path.get_text().split()[0] for path in front.select(".path")] == ["Learn", "Teach", "Use"]


def test_the_list_of_lessons_has_the_question_and_the_minutes(site: Path) -> None:
    cells = [cell.get_text() for cell in page(site, "lessons.html").select("tbody td")]
    assert cells == ["00", "Start Here", "What is there?", "3"]


@pytest.mark.slow
def test_a_broken_link_fails_each_build_until_its_page_is_removed(tmp_path: Path, capfd) -> None:
    document = write_project(tmp_path / "project") / "docs" / "new.md"
    document.write_text("# New\n\n[Gone](gone.md)", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(BookNotBuilt):
            build(tmp_path / "project", tmp_path, "")
        assert "gone.md" in capfd.readouterr().err
    document.unlink()
    site = build(tmp_path / "project", tmp_path, "")
    assert (site / "docs" / "teaching.html").exists() and not (site / "docs" / "new.html").exists()


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
