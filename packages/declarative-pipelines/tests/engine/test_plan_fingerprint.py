"""Two frames have the same fingerprint where they are the same query over the same versions, and only then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.engine import plan_fingerprint
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


SAME = [
    "SELECT * FROM one",
    "SELECT s, count(*) AS n, max(id) FROM one WHERE s <> 'x#1' GROUP BY s HAVING count(*) > 1 ORDER BY n LIMIT 2",
    "SELECT a.id, b.s FROM one a LEFT JOIN two b ON a.id = b.id",
    "WITH c AS (SELECT * FROM one), d AS (SELECT max(id) AS id FROM c) SELECT c.* FROM c JOIN d USING (id)",
    "SELECT id, row_number() OVER (PARTITION BY s ORDER BY id) AS n FROM one QUALIFY n = 1",
    "SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM one",
    "SELECT explode(array(id, id + 1)), transform(array(id), x -> x * 2) FROM one",
    "SELECT id FROM one UNION ALL SELECT id FROM two",
    "SELECT window(timestamp_seconds(id), '1 minute').start, count_if(id > 1) FROM one GROUP BY ALL",
    "SELECT * FROM one PIVOT (sum(id) FOR s IN ('a', 'b'))",
    "SELECT * FROM one VERSION AS OF 0",
]
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


@pytest.mark.parametrize("query", SAME)
def test_the_same_query_has_the_same_fingerprint(session: SparkSession, query: str) -> None:
    found = of(session, query)
    assert found is not None and found == of(session, query)


@pytest.mark.parametrize(("query", "other"), OTHERWISE)
def test_another_query_has_another_one(session: SparkSession, query: str, other: str) -> None:
    assert None not in {of(session, query), of(session, other)} and of(session, query) != of(session, other)


@pytest.mark.parametrize("query", NONE)
def test_a_query_that_may_give_other_rows_has_none(session: SparkSession, query: str) -> None:
    assert of(session, query) is None


def test_a_new_version_of_a_table_gives_another_one(session: SparkSession) -> None:
    before = of(session, "SELECT * FROM two")
    session.sql("INSERT INTO fingerprint_two VALUES (9, 'b')")
    after = of(session, "SELECT * FROM two")
    assert None not in {before, after} and before != after
    assert of(session, "SELECT * FROM two VERSION AS OF 0") not in {None, after}


def test_functions_of_python_have_none(session: SparkSession) -> None:
    from pyspark.sql import functions as F

    frame = session.table("fingerprint_one")
    assert fingerprint(frame.select(F.udf(lambda value: value, "long")("id"))) is None
    assert fingerprint(frame.mapInPandas(lambda parts: parts, "id LONG, s STRING")) is None
    assert fingerprint(frame.mapInArrow(lambda parts: parts, "id LONG, s STRING")) is None
    grouped = frame.groupBy("s").applyInPandas(lambda rows: rows, "id LONG, s STRING")
    assert fingerprint(grouped) is None


def test_a_setting_that_a_query_may_depend_on_is_in_it(session: SparkSession) -> None:
    before = of(session, "SELECT * FROM one")
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert of(session, "SELECT * FROM one") != before
    finally:
        session.conf.set("spark.sql.session.timeZone", "UTC")
    assert of(session, "SELECT * FROM one") == before


@pytest.mark.parametrize("name", ["PythonUDF", "ScalaUDF", "objects.Invoke", "ApplyFunctionExpression.Other.deep"])
def test_what_is_not_known_has_none(name: str) -> None:
    assert not plan_fingerprint._is_known(f"org.apache.spark.sql.catalyst.expressions.{name}")
    assert not plan_fingerprint._is_known(f"org.apache.spark.sql.hive.{name}")
