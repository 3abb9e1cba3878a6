"""The page of engines: a row for each lesson, and the sentence of each cell that stops one."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from engines import page, record
from engines.engine import ENGINES
from engines.measuring import lessons
from engines.record import Run

LESSONS = {"00": "00-Start-Here.ipynb", "01": "01-Data.ipynb"}


def runs(**stopped: tuple[int, str]) -> dict[tuple[str, str], Run]:
    """Return a run of each lesson on each engine; some of lesson 01 stopped, by the engine's name."""
    made = {
        (lesson, engine.name): Run(lesson, engine.name, None, "", "4.2.0", "2026-11-27")
        for lesson in LESSONS
        for engine in ENGINES
    }
    return made | {("01", name): Run("01", name, *why, "4.2.0", "2026-11-28") for name, why in stopped.items()}


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]


def test_a_lesson_has_a_row_and_the_last_counts_those_that_passed() -> None:
    [head, _rule, *lessons, total] = rows(page.text(runs(), LESSONS))
    assert head == ["lesson", *(engine.title for engine in ENGINES)]
    assert lessons == [
        ["[00](../notebooks/00-Start-Here.ipynb)", *["passed"] * len(ENGINES)],
        ["[01](../notebooks/01-Data.ipynb)", *["passed"] * len(ENGINES)],
    ]
    assert total == ["passed, of 2", *["2"] * len(ENGINES)]


def test_a_lesson_that_stops_has_its_cell_in_the_table_and_its_sentence_below() -> None:
    text = page.text(runs(connect=(7, "NotAvailable: no broker")), LESSONS)
    assert ["[01](../notebooks/01-Data.ipynb)", "passed", "passed", "passed", "cell 7", "passed"] in rows(text)
    assert text.endswith(
        "## Connect\n\n| lesson | cell | it says |\n| --- | --- | --- |\n| 01 | 7 | NotAvailable: no broker |\n"
    )
    assert "made on 2026-11-27 to 2026-11-28" in text


@pytest.mark.parametrize("sentence", ["[A_B] `a` | <b> *c*", "path \\ to_it", "a [link](x)"])
def test_a_sentence_is_shown_as_it_is(sentence: str) -> None:
    text = page.text(runs(local=(1, sentence)), LESSONS)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    shown = ["".join(child.content for child in token.children or []) for token in tokens if token.type == "inline"]
    assert sentence in shown


def test_a_lesson_that_was_never_on_an_engine_makes_no_page() -> None:
    some = runs()
    del some["01", "connect"]
    with pytest.raises(KeyError):
        page.text(some, LESSONS)


def test_what_a_sentence_leaves_open_is_said_where_its_lesson_stops_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "_MEANING", {("00", "connect"): "never stops.", ("01", "connect"): "two cores."})
    assert page.text(runs(connect=(7, "gone")), LESSONS).endswith(
        "| 01 | 7 | gone |\n\nWhat this means:\n\n* 01: two cores.\n"
    )
    assert "What this means" not in page.text(runs(standalone=(7, "gone")), LESSONS)


def test_the_page_in_the_docs_is_that_of_the_record() -> None:
    pairs = {(lesson, engine.name) for lesson in lessons() for engine in ENGINES}
    assert pairs <= record.read().keys(), "run `.venv/bin/python tools/engines --missing`, five minutes for a lesson"
    assert page.PAGE.read_text(encoding="utf-8") == page.text(record.read(), lessons())
