"""``column:field`` in the expressions of DataFrame methods, in real Spark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import ParseException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from notebook_dialect.sql import spark_sql
from streaming_base.errors import NoJson

BODY = """{"kind": "k", "who": {"name": "Ada"}, "n": 5, "items": [{"a": 1}, {"a": 2}]}"""


@pytest.fixture(scope="module")
def frame(_session: SparkSession) -> DataFrame:
    """A frame with the same JSON as text and as a VARIANT."""
    spark_sql.install()
    text = _session.createDataFrame([(BODY,)], "body STRING")
    return text.selectExpr("body", "parse_json(body) AS v", "named_struct('a', 1) AS s")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "columns", "values"),
    [
        (lambda f: f.selectExpr("body:kind", "body:who.name::string"), ["kind", "name"], ["k", "Ada"]),
        (lambda f: f.selectExpr("body:items[ * ].a", "v:n::int AS n"), ["a", "n"], ["[1,2]", 5]),
        (lambda f: f.filter("body:n::int = 5 AND v:kind::string = 'k'").select(F.lit(1)), ["1"], [1]),
        (lambda f: f.where("body:kind = 'other'").select(F.lit(1)), ["1"], None),
        (lambda f: f.select(F.expr("body:kind"), F.expr("body:n::int").alias("m")), ["kind", "m"], ["k", 5]),
        (lambda f: f.select((F.expr("body:kind") == F.lit("k")).alias("same")), ["same"], [True]),
        (
            lambda f: f.select(F.when(F.expr("body:n::int") > 3, F.upper(F.expr("body:kind"))).alias("w")),
            ["w"],
            ["K"],
        ),
        (lambda f: f.withColumn("k", F.expr("body:kind")).select("k"), ["k"], ["k"]),
        (lambda f: f.groupBy().agg(F.sum(F.expr("body:n::int")).alias("n")), ["n"], [5]),
    ],
)
def test_fields_of_json_text_are_read(
    frame: DataFrame, ask: Callable[[DataFrame], DataFrame], columns: list[str], values: list | None
) -> None:
    found = ask(frame)
    assert found.columns == columns and [list(row) for row in found.collect()] == ([] if values is None else [values])


def test_a_variant_stays_one_beside_json_text(frame: DataFrame) -> None:
    found = frame.select(F.expr("v:who").alias("variant"), F.expr("body:who").alias("text"))
    assert dict(found.dtypes) == {"variant": "variant", "text": "string"}


def test_another_error_is_sparks_own(frame: DataFrame) -> None:
    with pytest.raises(NoJson, match="A STRUCT's fields"):
        frame.selectExpr("s:a")
    with pytest.raises(ParseException, match=r"body:kind \+"):
        frame.selectExpr("body:kind +")
