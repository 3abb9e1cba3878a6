"""Two frames have the same fingerprint where they are the same query over the same versions, and only then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.engine.plan_fingerprint import fingerprint


@pytest.fixture(scope="module")
def session(_session: SparkSession) -> Iterator[SparkSession]:
    """A session with two Delta tables, for tests that only plan."""
    for name in ("one", "two"):
        _session.sql(f"CREATE TABLE fingerprint_{name} USING delta AS SELECT id, 'a#5' AS s FROM range(3)")
    yield _session
    for name in ("one", "two"):
        _session.sql(f"DROP TABLE fingerprint_{name}")


def of(session: SparkSession, query: str) -> str | None:
    return fingerprint(session.sql(query.replace("one", "fingerprint_one").replace("two", "fingerprint_two")))


OTHERWISE = [
    ("SELECT 'x#1' AS v FROM one", "SELECT 'x#2' AS v FROM one"),
    ("SELECT CAST(s AS INT) AS v FROM one", "SELECT try_cast(s AS INT) AS v FROM one"),
    ("SELECT * FROM one EXCEPT SELECT * FROM two", "SELECT * FROM two EXCEPT SELECT * FROM one"),
    ("SELECT id FROM one ORDER BY id", "SELECT id FROM one ORDER BY id DESC"),
    ("SELECT a.id FROM one a JOIN two b USING (id)", "SELECT a.id FROM one a LEFT JOIN two b USING (id)"),
    ("SELECT a.id, b.id FROM one a JOIN one b USING (s)", "SELECT b.id, a.id FROM one a JOIN one b USING (s)"),
    (
        "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM one",
        "SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM one",
    ),
    ("SELECT id FROM one LIMIT 1", "SELECT id FROM one LIMIT 2"),
    ("SELECT to_date(s, 'yyyy') FROM one", "SELECT to_date(s, 'yyyy-MM') FROM one"),
    ("SELECT id FROM one", "SELECT id FROM two"),
]
NONE = [
    "SELECT now() FROM one",
    "SELECT current_user() FROM one",
    "SELECT rand(1) FROM one",
    "SELECT uuid() FROM one",
    "SELECT * FROM one TABLESAMPLE (50 PERCENT)",
    "SELECT * FROM one WHERE id IN (SELECT id FROM two)",
    "SELECT (SELECT max(id) FROM two) FROM one",
    "SELECT reflect('java.util.UUID', 'randomUUID') FROM one",
    "SELECT * FROM one CROSS JOIN range(2)",
    "SELECT * FROM VALUES (1) AS v(id)",
    "SELECT 1",
]


@pytest.mark.parametrize(("query", "other"), OTHERWISE)
def test_another_query_has_another_one(session: SparkSession, query: str, other: str) -> None:
    assert None not in {of(session, query), of(session, other)} and of(session, query) != of(session, other)


@pytest.mark.parametrize("query", NONE)
def test_a_query_that_may_give_other_rows_has_none(session: SparkSession, query: str) -> None:
    assert of(session, query) is None
