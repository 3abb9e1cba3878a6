"""The glossary: in order, each word once, its links and lessons there."""

from __future__ import annotations

import re

from streaming_classroom.files import directories
from streaming_classroom.runner import find_lessons

TEXT = (directories.notebooks() / "Glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)


def anchor(term: str) -> str:
    return term.lower().replace(" ", "-")


def test_words_are_in_alphabetical_order_and_there_once() -> None:
    assert sorted(set(TERMS), key=str.lower) == TERMS
    assert len(TERMS) > 30


def test_each_word_is_explained_in_three_sentences_at_most() -> None:
    for term, entry in zip(TERMS, re.split(r"^## .+$", TEXT, flags=re.MULTILINE)[1:], strict=True):
        assert 1 <= len(re.findall(r"[.!?](?=\s|$)", entry)) <= 3, term


def test_links_lead_to_words_that_are_there() -> None:
    links = re.findall(r"\]\(#([^)]+)\)", TEXT)
    assert links and set(links) <= {anchor(term) for term in TERMS}


def test_the_lessons_that_explain_them_are_there() -> None:
    lessons = {path.name.partition("-")[0] for path in find_lessons([], directories.notebooks())}
    assert set(re.findall(r"\((\d\d[LXW]?)\)", TEXT)) <= lessons


def test_what_lessons_link_is_a_word_of_it() -> None:
    lessons = [path.read_text(encoding="utf-8") for path in find_lessons([], directories.notebooks())]
    links = {link for lesson in lessons for link in re.findall(r"\(Glossary\.md#([^)]+)\)", lesson)}
    assert links and links <= {anchor(term) for term in TERMS}
