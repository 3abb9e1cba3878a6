"""What the book has, and in which order."""

from __future__ import annotations

from pathlib import Path

import nbformat

from book.contents import LessonEntry, contents_of, entry_of, lessons_page, stories_of

PROJECT = Path(__file__).parents[2]


def test_every_lesson_document_and_package_is_a_page() -> None:
    pages = set(contents_of(PROJECT).pages)
    patterns = (
        "notebooks/*.ipynb",
        "notebooks/*.md",
        "docs/*.md",
        "packages/*/*.md",
        "datasets/*.md",
        "exercises/*.md",
    )
    committed = {path.relative_to(PROJECT).as_posix() for pattern in patterns for path in PROJECT.glob(pattern)}
    assert committed - pages == set()


def test_documents_beside_the_readme_are_pages_and_the_readme_is_the_first_one(small_project: Path) -> None:
    (small_project / "CONTRIBUTING.md").write_text("# Contributing", encoding="utf-8")
    pages = contents_of(small_project).pages
    assert "CONTRIBUTING.md" in pages and "README.md" not in pages


def test_a_document_that_nobody_has_named_comes_last(small_project: Path) -> None:
    (small_project / "docs" / "new.md").write_text("# New", encoding="utf-8")
    assert contents_of(small_project).back[-1] == "docs/new.md"


def test_a_lesson_is_listed_by_its_own_first_cell(small_project: Path) -> None:
    path = "notebooks/00-Start-Here.ipynb"
    entry = entry_of(path, nbformat.read(small_project / path, as_version=4))
    assert entry == LessonEntry(path, "00", "Start Here", "What is there?", "3")


def test_a_lab_has_its_story_where_a_lesson_has_its_question() -> None:
    stories = stories_of("| | lab | story |\n| --- | --- | --- |\n| 02L | [A](../x.ipynb) | Build both. |\n")
    page = lessons_page([LessonEntry("notebooks/02L-A.ipynb", "02L", "A", "", "36")], stories)
    assert "| 02L | [A](notebooks/02L-A.ipynb) | Build both. | 36 |" in page


def test_each_lesson_of_the_course_has_a_question_or_a_story() -> None:
    stories = stories_of((PROJECT / "docs" / "learning.md").read_text(encoding="utf-8"))
    for path in contents_of(PROJECT).lessons:
        entry = entry_of(path, nbformat.read(PROJECT / path, as_version=4))
        assert entry.minutes and (entry.question or stories.get(entry.number)), path
