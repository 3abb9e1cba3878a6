"""Columns of a stream and of its Delta table: what does not fit is said, what fits is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from stream_view import starts
from streaming_base import front_end


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> list[str]:
    if "Delta" not in spark.conf.get("spark.sql.extensions", ""):
        pytest.skip("the session has no Delta")
    starts.install(spark)
    lines: list[str] = []
    monkeypatch.setattr(front_end, "print_below", lambda cell, text: lines.append(text))
    return lines


@pytest.fixture
def shops(spark: SparkSession) -> str:
    spark.sql("DROP TABLE IF EXISTS shops")
    spark.sql("CREATE TABLE shops (shop STRING, eur DOUBLE, n BIGINT) USING delta")
    return "shops"


def write(spark: SparkSession, tmp_path: Path, columns: list[str], to: str, **options: str) -> None:
    numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    writer = numbers.selectExpr(*columns).writeStream.option("checkpointLocation", (tmp_path / "c").as_uri())
    writer.options(**options).toTable(to).stop()


def test_missing_cast_and_new_columns_are_named(spark: SparkSession, tmp_path: Path, told: list, shops: str) -> None:
    write(spark, tmp_path, ["cast(value AS STRING) AS EUR", "1 AS extra"], shops)
    assert told == [
        "Not all columns fit the table of this stream: shop is missing and becomes NULL; n is missing and becomes "
        "NULL; eur is cast from STRING to DOUBLE; extra is new, which Delta refuses without mergeSchema."
    ]


def test_with_merge_schema_a_new_column_fits(spark: SparkSession, tmp_path: Path, told: list, shops: str) -> None:
    write(spark, tmp_path, ["'a' AS shop", "1D AS eur", "value AS n", "2 AS extra"], shops, mergeSchema="true")
    assert told == []


def test_what_the_table_fills_by_itself_is_not_missing(spark: SparkSession, tmp_path: Path, told: list) -> None:
    spark.sql("DROP TABLE IF EXISTS filled")
    spark.sql(
        "CREATE TABLE filled (id BIGINT, twice BIGINT GENERATED ALWAYS AS (id * 2), more STRING DEFAULT 'x') "
        "USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )
    write(spark, tmp_path, ["value AS id"], "filled")
    assert told == []
