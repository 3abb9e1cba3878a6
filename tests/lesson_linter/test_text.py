"""The text of a lesson: tags, links, prose and spelling."""

from __future__ import annotations

import pytest

from lesson_linter import spelling

FIRST = "* [The guide](https://spark.apache.org/docs/latest/)"


@pytest.mark.parametrize(
    ("cell", "old", "new", "line", "rule", "says"),
    [
        (6, "one.", "one.<details><summary>a</summary>", 1, "tags", "close <details>, or write it as code"),
        (6, "one.", "one.\n</details>", 2, "tags", "take </details> out"),
        (6, "one.", "one <i>x <b>y</i></b>.", 1, "tags", "close <b> of line 1 before </i>"),
        (6, "one.", "one part-<n>.json.", 1, "tags", "close <n>, or write it as code"),
        (6, "one.", "one.\n\n<details>\n\nx\n</details>", 3, "tags", "give <details> a <summary>"),
        (6, "one.", "one <summary>x</summary>.", 1, "tags", "put <summary> right behind <details>"),
        (6, "one.", "one\n[file](http://x.org/y).", 2, "link-targets", "https://"),
        (6, "one.", "one [file](mailto:a@b.org).", 1, "link-targets", "https://"),
        (6, "one.", "one [file](//x.org/y).", 1, "link-targets", "https://"),
        (6, "one.", "one [file](https://localhost/y).", 1, "link-targets", "https://"),
        (6, "one.", "one [file](<https://x.org/a b>).", 1, "link-targets", "blanks"),
        (6, "one.", "one [file]().", 1, "link-targets", "correct"),
        (6, "one.", "one <a href='https://['>file</a>.", 1, "link-targets", "correct"),
        (6, "one.", "one [file](no.md).", 1, "link-targets", "a file that exists: no.md"),
        (6, "one.", "one\n<a href='no.md'>file</a>.", 2, "link-targets", "a file that exists: no.md"),
        (6, "one.", "one [step](#2.-A-step).", 1, "link-targets", "none is named #2.-A-step"),
        (6, "one.", "one\n[here](https://x.org).", 2, "link-texts", "say where it leads"),
        (6, "one.", "one [Click here.](https://x.org).", 1, "link-texts", "say where it leads"),
        (6, "one.", "one <a href='https://x.org'></a>.", 1, "link-texts", "say where it leads"),
        (6, "one.", "one [text] (https://x.org).", 1, "broken-links", "without blanks"),
        (6, "one.", "one\n[text](a b.md).", 2, "broken-links", "without blanks"),
        (6, "one.", "one [text][ref].", 1, "broken-links", "without blanks"),
        (6, "one.", "one https://x.org/a.", 1, "broken-links", "give https://x.org/a. a text"),
        (6, "one.", "one <https://x.org/a> .", 1, "broken-links", "give https://x.org/a a text"),
        (6, "one.", "one\nor (two.", 2, "brackets", "give this '(' its other bracket"),
        (6, "one.", "one or two].", 1, "brackets", "give this ']' its other bracket"),
        (13, FIRST, "x", 38, "reading", "at least 2 pages"),
        (13, "spark.apache.org", "blog.example.org", 40, "reading", "blog.example.org is not in the linter's list"),
        (6, "was one", "was was one", 1, "doubled-words", "say 'was' once"),
        (6, "It was", "It was the\nThe", 2, "doubled-words", "once"),
        (1, "Section 1", "The the section", 18, "doubled-words", "say 'The' once"),
        (6, "one.", "one!", 1, "exclamations", "without an exclamation mark"),
        (13, "Yes.", "Yes!", 15, "exclamations", "without an exclamation mark"),
        (6, "one.", "one 🎉.", 1, "emoji", "leave the emoji out"),
        (9, "print(1)", "print(1)  # TODO: more", 1, "unfinished", "do what is left"),
        (6, "one.", "one.\n\nFIXME", 3, "unfinished", "do what is left"),
        (6, "one.", "one.\n\n...\n", 3, "unfinished", "in place of this line"),
        (6, "one.", "one.  \nTwo", 1, "trailing-blanks", "at the end of the line"),
        (9, "print(1)", "print(1)\n    \n1", 2, "trailing-blanks", "at the end of the line"),
        (6, "one.", "one,\nrecieved.", 2, "spelling", "write 'received' for 'recieved'"),
        (13, "Change it", "Chnage it", 5, "spelling", "write 'change' for 'Chnage'"),
        (13, "\nYes.", "\nDefinately.", 15, "spelling", "'Definately'"),
        (4, "one after", "one aftter", 7, "spelling", "'aftter'"),
        (5, "the first", "teh first", 1, "spelling", "write 'the' for 'teh'"),
        (7, "the second", "teh second", 2, "spelling", "write 'the' for 'teh'"),
    ],
)
def test_a_lesson_with_a_wrong_text(draft, one_problem, cell, old, new, line, rule, says) -> None:
    draft.change(cell, old, new)
    found = one_problem()
    assert found[:3] == (cell, line, rule)
    assert says in found[3]


@pytest.mark.parametrize(
    "text",
    [
        "a <br> line",
        "`http://localhost:4040` is code",
        "`[text] (https://x.org)` is code",
        "```\n[text] (https://x.org) recieve the the (\n```",
        "see [the file](07-A-Small-Lesson.ipynb#Recap)",
        "see <a id='spot'></a>[the spot](#spot) and [the recap](#Recap)",
        "[1] is a number (see below), a) and b) too",
        "`the` the, and the `the`",
        "`a != b`, and that is not so",
        "<details><summary>a</summary>\n\nb <details><summary>c</summary>d</details>\n</details>",
        "| a | a |\n| --- | --- |\n| b | b |",
        "an arrow → and 20 °C",
    ],
)
def test_what_only_looks_wrong(draft, text: str) -> None:
    draft.change(6, "It was one.", text)
    assert draft.check() == []


def test_blanks_in_front_of_text_do_not_hide_the_line(draft, one_problem) -> None:
    draft.change(6, "It was one.", "It was `one\ntwo` and\n* an item\n* [file](no.md)")
    assert one_problem()[:3] == (6, 4, "link-targets")


def test_words_of_the_project_are_no_misspellings(draft, tmp_path, monkeypatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.codespell]\nignore-words-list = "x, Teh"\n', encoding="utf-8")
    monkeypatch.setattr(spelling.directories, "PROJECT", tmp_path)
    spelling._misspellings.cache_clear()
    draft.change(6, "It was one.", "Teh it was.")
    try:
        assert draft.check() == []
    finally:
        spelling._misspellings.cache_clear()
