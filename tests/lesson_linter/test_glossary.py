"""The glossary is in order, and its links and those of the lessons lead to its words."""

from __future__ import annotations

import re

from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import find_lessons

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
