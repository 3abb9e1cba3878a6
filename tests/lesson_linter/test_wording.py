"""Phrases that are ruled out are found, in the text and in the quiz, and what only looks like them is not."""

from __future__ import annotations

import pytest

from lesson_linter import wording
from streaming_classroom.exercises import Choice, Question, catalogue
from streaming_classroom.files import directories

from .conftest import Draft

# One text for each phrase, in the order of the list.
WRONG = [
    ("The technician mends the sensors.", "fixed or repaired"),
    ("The view is computed anew.", "say 'again'"),
    ("A message that came again is dropped.", "replayed"),
    ("The stream goes on where it was.", "continues"),
    ("The file lies in a folder.", "is stored"),
    ("Update mode hands over two rows.", "emits"),
    ("Who deletes the checkpoint, gets every row twice.", "If you"),
    ("Batch 2 was planned and not noted as done.", "committed"),
    ("The sink remembers the batch.", "kept in the state"),
    ("The query looks for new files.", "polls"),
    ("A row keeps the rule.", "meets"),
    ("A line may break more than one rule.", "violates"),
    ("The stream reads one file a batch.", "one file per batch"),
    ("A value which is none is dropped.", "there is none"),
    ("Each run reads more than the one before.", "the previous batch"),
    ("A row that comes too late is dropped.", "arrives, late"),
    ("Silver judges each row.", "is checked"),
    ("The write is skipped without a word.", "silently"),
    ("What becomes of the late row?", "happens to it"),
    ("The state is kept for ever.", "forever"),
]
RIGHT = [
    "Who deletes the checkpoint?",
    "A colleague, who deletes the checkpoint, gets every row twice.",
    "What is going on here? Nothing has gone wrong.",
    "The stream of hands-on work handed in a note.",
    "The query keeps the state, and Spark looks up the version.",
    "A band of 2 GB a day, twice a second, one row per device.",
    "None of them is late.",
    "`mend` and `for_ever` are names, and `who, x.` is code.",
    "The learner remembers the picture, and looks at it again.",
]


@pytest.mark.parametrize(("text", "says"), WRONG, ids=[text for text, _ in WRONG])
def test_a_phrase_that_is_ruled_out(draft: Draft, one_problem, text: str, says: str) -> None:
    draft.change(6, "It was one.", f"It was one.\n{text}")
    found = one_problem()
    assert found[:3] == (6, 2, "wording")
    assert says in found[3]


def test_every_phrase_has_a_text_above() -> None:
    found = [[phrase for phrase in wording.RULED_OUT if phrase.pattern.search(text)] for text, _ in WRONG]
    assert found == [[phrase] for phrase in wording.RULED_OUT]


@pytest.mark.parametrize("text", RIGHT)
def test_what_only_looks_like_one(draft: Draft, text: str) -> None:
    draft.change(6, "It was one.", text)
    assert [problem.message for problem in draft.check() if problem.rule == "wording"] == []


def test_a_phrase_is_found_across_a_line_end_and_shown_in_one_line(draft: Draft, one_problem) -> None:
    draft.change(6, "It was one.", "It was one. Then it goes\non.")
    assert one_problem() == (6, 1, "wording", "say that it continues or keeps running: 'goes on'")


def test_titles_of_exercises_are_those_of_their_source(draft: Draft) -> None:
    draft.change(6, "It was one.", "### Your turn 07.1: While it goes on")
    assert [problem.rule for problem in draft.check() if problem.rule == "wording"] == []


def test_the_quiz_is_read_as_well(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = (Choice("a", "It goes on."), Choice("b", "Because.", is_right=True), Choice("c", "Because."))
    monkeypatch.setattr(directories, "notebooks", lambda: draft.directory)
    monkeypatch.setattr(catalogue, "quiz_of", lambda _number: (Question("Why?", choices),))
    said = [problem.message for problem in draft.check() if problem.rule == "wording"]
    assert said == ["in question 1 of the quiz: say that it continues or keeps running: 'goes on'"]
