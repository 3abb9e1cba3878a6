"""The links of a document, as the book needs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.links import Links
from book.repository import UNPUBLISHED, Repository

PUBLISHED = Repository("https://github.com/owner/name")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("README.md", "docs/ci.md", "tools/lock.py", "LICENSE", "docs/a.svg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def links(project: Path, repository: Repository = UNPUBLISHED) -> Links:
    return Links(project, repository, {"docs/ci.md"}, {"README.md": "index.md"})


@pytest.mark.parametrize(
    "text",
    [
        "[CI](ci.md#run)",
        "[x](#here)",
        "[x](https://spark.apache.org/)",
        "`[x](../LICENSE)`",
        "```\n[x](../LICENSE)\n```",
    ],
)
def test_a_link_to_a_page_a_place_or_elsewhere_stays_as_do_words_in_code(project: Path, text: str) -> None:
    assert links(project, PUBLISHED).rewritten(text, "docs/ci.md") == text


def test_the_readme_is_the_first_page(project: Path) -> None:
    assert links(project).rewritten("[start](../README.md#start)", "docs/ci.md") == "[start](../index.md#start)"


def test_a_file_that_is_no_page_is_shown_by_the_repository(project: Path) -> None:
    ours = links(project, PUBLISHED)
    text = ours.rewritten("[locks](../tools/lock.py) and [tools](../tools)", "docs/ci.md")
    assert text == (
        "[locks](https://github.com/owner/name/blob/HEAD/tools/lock.py)"
        " and [tools](https://github.com/owner/name/tree/HEAD/tools)"
    )
    assert ours.brought == set()


def test_without_an_address_the_book_brings_the_file_and_a_folder_is_text(project: Path) -> None:
    ours = links(project)
    text = ours.rewritten("[locks](../tools/lock.py), [`tools`](../tools)", "docs/ci.md")
    assert text == "[locks](../tools/lock.py), `tools`"
    assert ours.brought == {"tools/lock.py"}


def test_a_link_to_nothing_is_left_for_sphinx_to_report(project: Path) -> None:
    assert links(project).rewritten("[x](nowhere.md)", "docs/ci.md") == "[x](nowhere.md)"


@pytest.mark.parametrize("repository", [PUBLISHED, UNPUBLISHED])
def test_a_picture_always_comes_along(project: Path, repository: Repository) -> None:
    ours = links(project, repository)
    assert ours.rewritten("![A](a.svg)", "docs/ci.md") == "![A](a.svg)"
    assert ours.brought == {"docs/a.svg"}
