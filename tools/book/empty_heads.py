"""Tables whose head is empty, since Markdown has no table without one: in the book they have none."""

from __future__ import annotations

from docutils import nodes


def drop_empty_heads(tree: nodes.document) -> None:
    """Take the head off each table whose head says nothing."""
    for head in list(tree.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)
