"""A cell that begins with %sql has the colors of SQL, all others those of Python."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

SQL = """%sql
-- change this: only the alarms for which it's late, and is not
SELECT device_id, 'it''s' AS text, t.select FROM STREAM bronze
WATERMARK event_time DELAY OF INTERVAL 10 MINUTES /* two
lines */ WHERE `from` IS NOT NULL"""
PYTHON = "# a comment with SELECT\nfor x in range(3):\n    SELECT = x"

COLORED = """content => [...content.querySelectorAll('span')].map(
    (span) => [span.textContent, getComputedStyle(span).color])"""


def colored(cell) -> dict[str, str]:
    """Return the color of each colored piece of a cell's text."""
    return dict(cell.evaluate(COLORED))


def test_sql_cells_have_the_colors_of_sql(open_notebook) -> None:
    notebook = open_notebook("sql-colors", SQL, PYTHON)
    sql, python = (notebook.page.locator(".jp-CodeCell .cm-content").nth(n) for n in (0, 1))
    expect(sql.get_by_text("WATERMARK")).to_have_count(1)
    ours, theirs = colored(sql), colored(python)
    keyword, comment = theirs["for"], theirs["# a comment with SELECT"]
    assert {word: ours.get(word) for word in ("SELECT", "WATERMARK", "DELAY", "IS", "NOT")} == dict.fromkeys(
        ("SELECT", "WATERMARK", "DELAY", "IS", "NOT"), keyword
    )
    comments = {text for text, color in ours.items() if color == comment}
    assert comments == {SQL.splitlines()[1], "/* two", "lines */"}  # whole, with its apostrophe and Python's words
    assert {"'it''s'", "`from`"} <= ours.keys()
    assert theirs.get("SELECT") != keyword
