"""Arguments of a query in a definition, as literals in its text."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from declarative_pipelines.errors import BadArgument
from declarative_pipelines.sql.parameters import bind_values, literal

VALUES = [
    None,
    True,
    7,
    2**40,
    -1.5,
    Decimal("12.30"),
    "it's",
    r"a\'b\n",
    datetime.date(2026, 1, 2),
    datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC),
]


def test_names_and_marks_become_literals_and_strings_stay() -> None:
    named = bind_values("SELECT :a, ':a' FROM t WHERE x > :b", {"a": "it's", "b": 2})
    assert named == r"SELECT 'it\'s', ':a' FROM t WHERE x > 2"
    assert bind_values("SELECT ?, '?' FROM t WHERE x > ?", [1, None]) == "SELECT 1, '?' FROM t WHERE x > NULL"


@pytest.mark.parametrize("values", [[1], [1, 2, 3]])
def test_as_many_values_as_marks(values: list[int]) -> None:
    with pytest.raises(BadArgument, match="2 of"):
        bind_values("SELECT ?, ?", values)


def test_what_has_no_literal_is_refused() -> None:
    with pytest.raises(BadArgument, match="write it into the text"):
        literal([1])


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_literal_is_the_value_that_spark_would_take(spark: SparkSession, value: Any) -> None:
    assert spark.sql(f"SELECT {literal(value)} AS v").first() == spark.sql("SELECT :v AS v", args={"v": value}).first()
