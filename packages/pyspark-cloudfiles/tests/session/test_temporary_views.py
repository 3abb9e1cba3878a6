"""Statements that make temporary views of calls."""

from __future__ import annotations

import pytest

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.sql import TemporaryView, temporary_view


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        ("CREATE TEMP VIEW v AS", TemporaryView("v", 0)),
        ("create or replace temporary view `a ``b` as", TemporaryView("a `b", 0, replaces=True)),
        ("/* new */ CREATE GLOBAL TEMP VIEW v -- of files\n AS", TemporaryView("v", 0, everywhere=True)),
    ],
)
def test_a_view_is_told_from_its_query(begin: str, expected: TemporaryView):
    found = temporary_view(f"{begin} SELECT 1")
    assert found is not None
    assert (found.name, found.replaces, found.everywhere) == (expected.name, expected.replaces, expected.everywhere)
    assert found.start == len(begin)


@pytest.mark.parametrize("text", ["SELECT 1", "CREATE TABLE t AS SELECT 1", "CREATE VIEW v AS SELECT 1", "createx"])
def test_other_statements_make_none(text: str):
    assert temporary_view(text) is None


@pytest.mark.parametrize(
    "text",
    ["CREATE TEMP VIEW v (a, b) AS SELECT 1", "CREATE TEMP VIEW IF NOT EXISTS v AS SELECT 1", "CACHE TABLE t AS"],
)
def test_what_would_keep_its_text_is_refused(text: str):
    with pytest.raises(InvalidOption, match="CREATE OR REPLACE TEMP VIEW name AS"):
        temporary_view(text)
