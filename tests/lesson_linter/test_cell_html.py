from __future__ import annotations

import pytest

from lesson_linter.cell_html import text_of, tree, written_html


@pytest.mark.parametrize(
    "above",
    [
        "text\n\n\ntext\n",
        "[a]: https://x.org\n\n",
        "# title\nunder\n===\n",
        "* a\n* b\n\n  c\n\n",
        "| a | b |\n| --- | --- |\n| c | d |\n\n",
        "```\ncode\n\ncode\n```\n",
        "    code\n\n    code\n",
        "<details>\n<summary>a</summary>\n\nb\n</details>\n\n",
        "<!-- a\nb -->\n",
        "> a\nlazy\n\n---\n",
        "a  \nb\\\nc\n",
        "a `b\nc` d ",
        "![a\nb](c.svg) d ",
        "a &#10; b\n",
        "<a\nhref='b'>c</a>\n",
    ],
)
def test_a_tag_is_on_its_line_whatever_stands_above(above: str) -> None:
    link = tree(f"{above}[here](x.md) and <b>there</b>").find("a", href="x.md")
    assert link.sourceline == above.count("\n") + 1


def test_markdown_and_html_give_the_same_tree() -> None:
    assert tree("[text](x.md)").find("a") == tree("<a href='x.md'>text</a>").find("a")


def test_what_no_parser_takes_is_text() -> None:
    assert "<![x" in text_of(tree("<div>\n<![x\n</div>"))


def test_the_text_of_a_part_has_its_code_and_alt_texts_and_no_comments() -> None:
    assert text_of(tree(" a `b` <!-- c --> ![d](e.svg)\n")) == "a b  d"


def test_only_what_the_author_wrote_is_written_html() -> None:
    assert written_html("*a* <b>\n`c`\n</b>\n\n* ![<i>](d)\n\n<p>") == "<b>\n\n</b>\n\n\n\n<p>"
