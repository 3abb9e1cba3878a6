"""``LIVE.`` is taken out of names and of nothing else."""

from __future__ import annotations

import pytest

from declarative_pipelines.sql.queries import without_live_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LIVE.orders", "orders"),
        ("`live`.`my orders`", "`my orders`"),
        ("SELECT 'LIVE.x' FROM STREAM(live . orders) -- LIVE.y", "SELECT 'LIVE.x' FROM STREAM(orders) -- LIVE.y"),
        ("SELECT t.live.x, alive.y, `a`.live.z FROM t", "SELECT t.live.x, alive.y, `a`.live.z FROM t"),
        ("live", "live"),
    ],
)
def test_only_the_word_before_a_name(text: str, expected: str) -> None:
    assert without_live_names(text) == expected
