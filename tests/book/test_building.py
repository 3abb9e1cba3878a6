"""A small book, built as the large one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from book.building import BookNotBuilt, build
from book.repository import UNPUBLISHED, Repository

# Of Sphinx 11, for whoever extends it; the version is pinned.
pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning", "ignore::DeprecationWarning")
LESSON = "notebooks/00-Start-Here.html"


def built(project: Path, repository: Repository = UNPUBLISHED) -> Path:
    return build(project, project.parent / "book", repository).site


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name).read_text(encoding="utf-8"), "html.parser")


def hrefs(site: Path, name: str) -> list[str]:
    return [link["href"] for link in page(site, name).article.find_all("a", href=True)]


def test_links_lead_to_pages_and_files_of_the_book(small_project: Path) -> None:
    site = built(small_project)
    assert {"Glossary.html#watermark", "../docs/ci.html", "00-Start-Here.ipynb"} <= set(hrefs(site, LESSON))
    assert (site / "notebooks" / "00-Start-Here.ipynb").read_bytes() == (
        small_project / "notebooks" / "00-Start-Here.ipynb"
    ).read_bytes()
    (license_link,) = [href for href in hrefs(site, LESSON) if href.endswith("LICENSE")]
    assert (site / "notebooks" / license_link).read_text(encoding="utf-8") == "Free."
    assert "../index.html#start" in hrefs(site, "docs/teaching.html")
    notes = page(site, LESSON).find("summary", string="For instructors").parent
    assert notes.em.get_text() == "this" and not notes.has_attr("open")
    outputs = page(site, LESSON).select(".cell_output")
    assert "17" in outputs[0].get_text()
    assert "spark_hooks.wrap" in {
        tag["id"] for tag in page(site, "packages/spark-hooks/reference.html").select("dt[id]")
    }


def test_with_an_address_files_are_links_to_it(small_project: Path) -> None:
    site = built(small_project, Repository("https://github.com/owner/name"))
    assert "https://github.com/owner/name/blob/HEAD/LICENSE" in hrefs(site, LESSON)
    assert "https://codespaces.new/owner/name" in hrefs(site, LESSON)


def test_a_broken_link_fails_each_build_until_it_is_repaired(
    small_project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    document = small_project / "docs" / "ci.md"
    good = document.read_text(encoding="utf-8")
    document.write_text(f"{good}\n\n[Gone](gone.md)", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(BookNotBuilt):
            built(small_project)
        assert "gone.md" in capfd.readouterr().err
    document.write_text(good, encoding="utf-8")
    assert (built(small_project) / "docs" / "ci.html").exists()


def test_a_page_with_a_problem_fails_the_build(small_project: Path) -> None:
    document = small_project / "docs" / "ci.md"
    document.write_text('# CI\n\n<p><img src="../notebooks/images/screen.svg"></p>\n', encoding="utf-8")
    with pytest.raises(BookNotBuilt, match=r"docs/ci\.html: a picture has no alt text"):
        built(small_project)


def test_a_page_that_is_gone_leaves_the_book(small_project: Path) -> None:
    (small_project / "docs" / "new.md").write_text("# New", encoding="utf-8")
    assert (built(small_project) / "docs" / "new.html").exists()
    (small_project / "docs" / "new.md").unlink()
    site = built(small_project)
    assert not (site / "docs" / "new.html").exists()
    assert (site / "docs" / "ci.html").exists()
