"""The reference page: each row of its tables names a section of a lesson that exists."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "reference.md"
_LINK = re.compile(r"\[(?P<lesson>\d\d[A-Z]?) §(?P<section>\d+)\]\(\.\./notebooks/(?P<file>[^)#]+)#(?P<anchor>[^)]+)\)")


def rows() -> list[str]:
    """Return the rows of the page's tables, without their headings."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    below = [*lines[1:], ""]
    return [
        line
        for line, next_line in zip(lines, below, strict=True)
        if line.startswith("| ") and not line.startswith("| ---") and not next_line.startswith("| ---")
    ]


def anchors(notebook: Path) -> set[str]:
    """Return the anchors of a lesson's headings."""
    texts = [cell.source for cell in nbformat.read(notebook, 4).cells if cell.cell_type == "markdown"]
    headings = re.findall(r"^#+ (.+)$", "\n".join(texts), re.MULTILINE)
    return {re.sub(r"[^\w-]", "", heading.strip().lower().replace(" ", "-")) for heading in headings}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[2:40])
def test_each_row_names_a_section_that_exists(row: str) -> None:
    [link] = _LINK.finditer(row)

    assert link["file"].startswith(f"{link['lesson']}-")
    assert link["anchor"].startswith(link["section"])
    assert link["anchor"] in anchors(PROJECT / "notebooks" / link["file"])


def test_every_table_has_rows() -> None:
    assert len(rows()) > 40
