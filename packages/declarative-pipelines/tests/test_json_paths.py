"""``column:field`` of JSON text in a pipeline's SQL, its Python and its expectations."""

from __future__ import annotations

import pytest

from .conftest import Pipeline

pytestmark = pytest.mark.slow

SQL = """
CREATE STREAMING TABLE kinds (
  CONSTRAINT named EXPECT (body:who.name::string IS NOT NULL) ON VIOLATION DROP ROW,
  CONSTRAINT small EXPECT (body:n::int < 5 AND body:items[ * ] IS NOT NULL)
) AS SELECT body, body:kind, body:who.name::string, v:kind::string AS of_variant FROM STREAM events;
"""
PYTHON = """
@dlt.table
def items():
    frame = spark.readStream.table("events").where("body:n::int > 1")
    return frame.selectExpr("body:items[0].x::int AS x").withColumn("y", F.lit(1))


@dlt.table
def ns():
    return spark.read.table("events").select(F.expr("body:n::int").alias("n"), F.expr("body:kind"))
"""


def test_fields_of_json_text_are_read_in_queries_expressions_and_expectations(pipeline: Pipeline) -> None:
    pipeline.rows(
        """CREATE TABLE events AS SELECT body, parse_json(body) AS v FROM VALUES
        ('{"kind": "a", "who": {"name": "Ada"}, "n": 1, "items": [{"x": 3}]}'),
        ('{"kind": "b", "who": {}, "n": 7, "items": []}') AS t (body)"""
    )
    pipeline.write(SQL, "kinds.sql")
    pipeline.write(PYTHON)
    update = pipeline.run()
    update.raise_if_failed()
    assert pipeline.rows("SELECT kind, name, of_variant FROM kinds") == [("a", "Ada", "a")]
    counts = {one.name: (one.passed, one.failed) for one in update.expectations}
    assert counts["named"] == (1, 1) and counts["small"] == (1, 1)
    assert pipeline.values("items", "x") == [None] and pipeline.rows("SELECT * FROM ns ORDER BY n") == [
        (1, "a"),
        (7, "b"),
    ]
