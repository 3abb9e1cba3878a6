from __future__ import annotations

import pytest

from lesson_linter.passages import STAND_IN, Passage, passages


def found(source: str) -> list[tuple[str, int]]:
    """Return the passages with text in them."""
    return [(passage.text.strip(), passage.line) for passage in passages(source) if passage.text.strip()]


def test_each_block_is_a_passage() -> None:
    source = "# a\n\nb *c*\nd\n\n* e\n  * f\n\n| g | h |\n| - | - |\n| i | j |"
    assert found(source) == [
        *[("a", 1), ("b c\nd", 3), ("e", 6), ("f", 7)],
        *[("g", 9), ("h", 9), ("i", 11), ("j", 11)],
    ]


def test_code_and_pictures_stand_aside() -> None:
    assert found("a `b` c ![d e](f.svg)") == [("d e", 1), (f"a {STAND_IN} c {STAND_IN}", 1)]
    assert found("<pre>a</pre><!-- b --><script>c</script>") == [(STAND_IN * 2, 1)]


@pytest.mark.parametrize("before", ["a\n", "`a\nb` ", "![a\nb](c.svg) ", "<b>a</b>\n", "<!-- a\nb --> c ", "a  \n"])
def test_a_character_is_on_its_line_whatever_stands_before(before: str) -> None:
    *_, passage = passages(before + "here")
    assert passage.line_at(passage.text.index("here")) == 2


def test_a_passage_knows_its_lines() -> None:
    assert list(Passage("a\nb", 7).lines) == [(7, "a"), (8, "b")]
