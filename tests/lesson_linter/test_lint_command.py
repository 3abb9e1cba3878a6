"""All lessons have no problem, each of which would be a line; the glossary has the words that they link to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lesson_linter import check
from lesson_linter.__main__ import main
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import find_lessons

from .conftest import Draft


@pytest.fixture
def course(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> Draft:
    """Return the draft as the only lesson of the course."""
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(directories, "PROJECT", draft.directory.parent)
    return draft


@pytest.mark.slow
@pytest.mark.parametrize("lesson", find_lessons([], directories.notebooks()), ids=lambda path: path.stem)
def test_a_lesson_of_the_course_has_no_problem(lesson: Path) -> None:
    assert [str(problem) for problem in check(lesson)] == []


def test_each_problem_is_a_line_from_top_to_bottom(course: Draft, capsys: pytest.CaptureFixture[str]) -> None:
    course.change(13, "It is small.", "TODO: more")
    course.change(4, "Files land one after the other on a road", "")
    course.write()
    assert main(["7"]) == 1
    assert capsys.readouterr().out == (
        "notebooks/07-A-Small-Lesson.ipynb: cell 4 (l07-04), line 7: the picture has no alt text: say what it shows\n"
        "notebooks/07-A-Small-Lesson.ipynb: cell 13 (l07-13), line 9: write what is left to do in this line\n"
        "1 lesson, 2 problems.\n"
    )


TEXT = (directories.notebooks() / "Glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
LESSONS = find_lessons([], directories.notebooks())


def test_words_are_in_alphabetical_order_and_there_once() -> None:
    assert len(TERMS) > 30
    assert sorted(set(TERMS), key=str.lower) == TERMS


def test_links_lead_to_words_and_lessons_that_exist() -> None:
    lessons = [lesson.read_text(encoding="utf-8") for lesson in LESSONS]
    links = re.findall(r"\]\((?:Glossary\.md)?#([\w-]+)\)", TEXT)
    links += [link for lesson in lessons for link in re.findall(r"\(Glossary\.md#([^)]+)\)", lesson)]
    assert links and set(links) <= {term.lower().replace(" ", "-") for term in TERMS}
    assert set(re.findall(r"\((\d\d[LXW]?)\)", TEXT)) <= {path.name.partition("-")[0] for path in LESSONS}
