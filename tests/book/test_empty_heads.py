"""Tables whose head is empty."""

from __future__ import annotations

import pytest
from docutils import nodes

from book.empty_heads import drop_empty_heads


def table(*head: str) -> nodes.document:
    row = nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in head))
    group = nodes.tgroup("", nodes.thead("", row), nodes.tbody())
    tree = nodes.document("", "")
    tree += nodes.table("", group)
    return tree


@pytest.mark.parametrize(("head", "stays"), [(("", ""), 0), (("", "what it does"), 1)])
def test_a_head_stays_where_it_says_something(head: tuple[str, ...], stays: int) -> None:
    tree = table(*head)
    drop_empty_heads(tree)
    assert len(list(tree.findall(nodes.thead))) == stays
    assert len(list(tree.findall(nodes.tbody))) == 1
