"""The pipeline of lesson 15, in Python and in SQL, makes silver and gold of the orders that lesson 13 accepts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from declarative_pipelines import run_pipeline
from streaming_classroom.files import directories

pytestmark = [pytest.mark.lesson("15"), pytest.mark.slow]

DAYS = 7
LESSONS = directories.notebooks()
GOLD = ["day", "country", "orders", "revenue"]
REVENUE = """aggregate(items, CAST(0 AS DECIMAL(12, 2)),
    (sum, item) -> CAST(sum + item.quantity * item.price AS DECIMAL(12, 2)))"""
SILVER = ["order_id", "customer_id", "country", "ordered_at", "channel", "revenue"]


@pytest.fixture
def landing(dataset, tmp_path: Path, spark: SparkSession) -> Path:
    """The landed days, with the snapshot of customers as the first file of their changes, as lesson 15 lands them."""
    for part in ("orders", "customer-changes"):
        (tmp_path / part).mkdir()
        for file in sorted((dataset("retail") / part).iterdir())[:DAYS]:
            shutil.copy(file, tmp_path / part)
    snapshot = spark.read.options(header=True, inferSchema=True).csv((dataset("retail") / "customers.csv").as_uri())
    lines = snapshot.selectExpr("0 AS sequence", "'SNAPSHOT' AS operation", "* EXCEPT (updated_at)")
    rows = [row.line for row in lines.select(F.to_json(F.struct("*")).alias("line")).collect()]
    (tmp_path / "customer-changes" / "2025-03-02.json").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path


def _definitions_of_lesson_13(spark: SparkSession) -> dict[str, Any]:
    """Run the cells that define what lesson 13 checks of an order."""
    cells = {cell.id: cell.source for cell in nbformat.read(next(LESSONS.glob("13-*.ipynb")), 4).cells}
    found: dict[str, Any] = {"F": F, "spark": spark}
    exec(cells["l13-108"], found)
    exec(cells["l13-18"], found)
    return found


def _gold(silver: DataFrame) -> DataFrame:
    days = silver.groupBy(F.to_date("ordered_at").alias("day"), "country")
    return days.agg(F.count("*").alias("orders"), F.sum("revenue").alias("revenue"))


def _differ(one: DataFrame, other: DataFrame) -> int:
    return one.exceptAll(other).count() + other.exceptAll(one).count()


def test_the_pipeline_makes_silver_and_gold_of_the_orders_that_lesson_13_accepts(
    landing: Path, spark: SparkSession
) -> None:
    spark.sql("CREATE SCHEMA lesson_15")
    spark.catalog.setCurrentDatabase("lesson_15")
    try:
        for file in ("15-Pipeline.py", "15-Pipeline.sql"):
            update = run_pipeline(
                LESSONS / file, database="lesson_15", configuration={"landing": landing.as_uri()}, show=False
            )
            failed = {flow.name for flow in update.flows if flow.error is not None}
            assert failed <= {"sql_invoices"}, update.error
        spark.sql("CREATE TABLE silver_customers AS SELECT * FROM customers")

        lesson_13 = _definitions_of_lesson_13(spark)
        lines = spark.read.text(f"{landing.as_uri()}/orders").selectExpr("value", "_metadata.file_name")
        good = lesson_13["checked_orders"](lines).where("reason IS NULL").dropDuplicates(["order_id"])
        silver = good.withColumn("revenue", F.expr(REVENUE)).select(SILVER)

        assert silver.count() == 837
        for prefix in ("", "sql_"):
            assert _differ(spark.table(f"{prefix}silver_orders").select(SILVER), silver) == 0
            assert _differ(spark.table(f"{prefix}gold_revenue").select(GOLD), _gold(silver)) == 0
    finally:
        spark.catalog.setCurrentDatabase("default")
        spark.sql("DROP SCHEMA lesson_15 CASCADE")
