"""The checks of the pages each find what they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.page_checks import problems

GOOD = """<!doctype html><html><body><a href="#main">Skip</a><main id="main"><article><h1>Title</h1>
<h2 id="part">Part</h2>
<p><a href="other.html#there">there</a> <a href="#part">here</a> <img src="a.png" alt="A house"></p>
</article></main></body></html>"""
OTHER = GOOD.replace('id="part">', 'id="there">').replace("other.html#there", "page.html").replace("#part", "#there")


def found(site: Path, page: str = GOOD) -> list[str]:
    (site / "page.html").write_text(page, encoding="utf-8")
    (site / "other.html").write_text(OTHER, encoding="utf-8")
    (site / "a.png").touch()
    return [problem.message for problem in problems(site) if problem.page == "page.html"]


def test_a_good_page_has_no_problem(tmp_path: Path) -> None:
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ('alt="A house"', 'alt=""', "a picture has no alt text: a.png"),
        ('alt="A house"', 'alt="../_images/a.png"', "a picture has no alt text: a.png"),
        ("#there", "#nowhere", "a link leads to a place that is not there: other.html#nowhere"),
        ("other.html", "gone.html", "a link leads nowhere: gone.html#there"),
        ('"#part"', '"#gone"', "a link leads to a place that is not there: #gone"),
        ('href="other.html#there"', 'href="http://example.com"', "a link is not safe: http://example.com"),
        ("h2", "h3", "the heading 'Part' is 2 levels below the one before"),
        ("<h2", "<h1>Another</h1><h2", "it begins with a heading of level [1] and has 2 of level 1"),
        ("<p>", '<p id="part">', "the id 'part' is there 2 times"),
        ("<p>", '<p tabindex="3">', "a tabindex changes the order of reading"),
        ('<a href="#main">Skip</a>', "", "its first link does not lead to its main part"),
        (
            "<p>",
            '<p><script src="https://cdn.example.com/x.js"></script>',
            "it would fetch https://cdn.example.com/x.js",
        ),
        ("<p>", '<p><link rel="stylesheet" href="//x.org/a.css">', "it would fetch //x.org/a.css"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, good: str, bad: str, message: str) -> None:
    assert any(one.startswith(message) for one in found(tmp_path, GOOD.replace(good, bad))), found(tmp_path)


def test_a_site_without_pages_is_a_problem(tmp_path: Path) -> None:
    assert [problem.message for problem in problems(tmp_path)] == ["it has no page"]
