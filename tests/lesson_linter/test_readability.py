"""A lesson whose sentences are long is told its reading grade."""

from __future__ import annotations

import pytest

from lesson_linter import readability
from lesson_linter.lesson_file import read

from .conftest import Draft

PLAIN = "The query reads the new files and writes the rows. " * 30
HARD = (
    "Notwithstanding the aforementioned considerations regarding incremental materialization, the asynchronous "
    "acknowledgement of transactional modifications necessitates comprehensive coordination of many participants, "
    "whose individual availability characteristics considerably influence the resulting configuration. "
) * 8


def told(draft: Draft) -> list[str]:
    return [problem.message for problem in draft.check() if problem.rule == "readability"]


def grade(draft: Draft) -> float:
    return readability.grade(read(draft.write()))


def test_plain_sentences_are_no_problem(draft: Draft) -> None:
    draft.cells[5].source += f"\n\n{PLAIN}"
    assert 0 < grade(draft) < 6
    assert told(draft) == []


def test_long_sentences_are_told_their_grade(draft: Draft) -> None:
    draft.cells[5].source += f"\n\n{HARD}"
    [message] = told(draft)
    assert message == f"shorten sentences: the reading grade is {grade(draft):.1f}, and 10 is the most"


def test_of_a_few_words_nothing_is_told(draft: Draft) -> None:
    draft.cells[5].source = HARD[:300]
    assert grade(draft) == 0
    assert told(draft) == []


@pytest.mark.parametrize(
    "more",
    [
        f"## {HARD.strip()}",
        f"| {HARD} |\n| --- |\n| {HARD} |",
        f"```\n{HARD}\n```",
        f"<pre>{HARD}</pre>",
        f"<!-- {HARD} -->",
        f'![{HARD}](images/07-road.svg "{HARD}")',
    ],
)
def test_only_sentences_count(draft: Draft, more: str) -> None:
    draft.cells[5].source += f"\n\n{PLAIN}"
    before = grade(draft)
    draft.cells[5].source += f"\n\n{more}"
    assert grade(draft) == pytest.approx(before, abs=0.2)


def test_code_is_one_short_word_and_a_number_ends_no_sentence(draft: Draft) -> None:
    draft.cells[5].source += "\n\n" + "The query reads a row. " * 60
    before = grade(draft)
    draft.cells[5].source = draft.cells[5].source.replace("a row", "`incrementalMaterializationConfiguration` 3.5")
    assert grade(draft) == pytest.approx(before, abs=0.5)


def test_an_item_of_a_list_is_a_sentence_whatever_ends_it(draft: Draft) -> None:
    draft.cells[5].source += "\n\n" + "The query reads every new row\n\n" * 60
    separate = grade(draft)
    draft.cells[5].source = draft.cells[5].source.replace("row\n\n", "row;\n\n")
    assert grade(draft) == pytest.approx(separate)
