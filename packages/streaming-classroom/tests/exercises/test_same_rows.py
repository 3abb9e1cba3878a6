from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom.exercises import verdict
from streaming_classroom.exercises.verdict import difference


@pytest.fixture
def rows(spark: SparkSession):
    def make(*rows: tuple, columns: str = "id INT, v DOUBLE") -> DataFrame:
        return spark.createDataFrame(list(rows), columns)

    return make


def test_the_same_rows_in_another_order_with_columns_in_another_order_are_the_same(rows) -> None:
    made = rows((1.5, 1), (2.5, 2), columns="V DOUBLE, Id INT")
    assert difference(made, rows((2, 2.5), (1, 1.5)), "t") is None


def test_the_last_digits_of_a_sum_are_no_difference(rows) -> None:
    assert difference(rows((1, 0.1 + 0.2)), rows((1, 0.3)), "t") is None
    assert difference(rows((1, 0.3001)), rows((1, 0.3)), "t") is not None


def test_columns_are_named_that_are_missing_or_too_many(rows) -> None:
    sentence, table = difference(rows((1, 2.0), columns="id INT, x DOUBLE"), rows((1, 2.0)), "t")
    assert sentence == "In `t` the column `v` is missing and the column `x` was not asked for." and table is None
    sentence, _ = difference(rows((1, 2.0, 3, 4), columns="id INT, v DOUBLE, x INT, y INT"), rows((1, 2.0)), "t")
    assert sentence == "In `t` the columns `x`, `y` were not asked for."


def test_an_empty_table_is_said_to_be_empty(rows) -> None:
    assert difference(rows(), rows((1, 1.0)), "t")[0] == "`t` is empty; 1 row would be right."


def test_rows_that_are_there_more_than_once_are_said_to_be(rows) -> None:
    sentence, table = difference(rows((1, 1.0), (1, 1.0), (2, None)), rows((1, 1.0), (2, None)), "t")
    assert sentence == "`t` has rows more than once: 3 rows instead of 2."
    assert table.rows == (("too many", "1", "1.0"),)


def test_a_few_of_the_rows_that_differ_are_shown_those_with_null_as_well(rows) -> None:
    made, right = rows((1, 1.0), (2, None)), rows((1, 1.0), *((3, float(v)) for v in range(9)))
    sentence, table = difference(made, right, "t")
    assert sentence == "In `t` 9 rows are missing and 1 row should not be there; it has 2 rows, and 10 would be right."
    assert [row[0] for row in table.rows] == ["missing"] * 3 + ["too many"] and table.rows[-1][-1] is None
    assert table.cut


def test_a_table_that_is_far_too_large_is_not_fetched(rows, spark: SparkSession, monkeypatch) -> None:
    monkeypatch.setattr(verdict, "ROW_LIMIT", 10)
    assert difference(spark.range(100).toDF("id"), spark.range(3).toDF("id"), "t")[0].startswith("`t` has more than 10")


def test_arrays_and_maps_are_compared(rows) -> None:
    columns = "a ARRAY<INT>, m MAP<STRING, INT>"
    assert difference(rows(([1], {"x": 1}), columns=columns), rows(([1], {"x": 1}), columns=columns), "t") is None
    assert difference(rows(([1], {"x": 1}), columns=columns), rows(([2], {"x": 1}), columns=columns), "t") is not None
