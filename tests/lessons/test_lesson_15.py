"""The pipeline of lesson 15, in Python and in SQL, makes lesson 13's silver and gold from the same landed days."""

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
    """Run the cells that define what silver checks and what an order is worth."""
    cells = {cell.id: cell.source for cell in nbformat.read(next(LESSONS.glob("13-*.ipynb")), 4).cells}
    revenue = cells["l13-22"]
    found: dict[str, Any] = {"F": F, "spark": spark}
    exec(cells["l13-108"], found)
    exec(cells["l13-18"], found)
    exec(revenue[revenue.index("REVENUE") : revenue.index("def insert_orders")], found)
    return found


def _gold(silver: DataFrame) -> DataFrame:
    days = silver.groupBy(F.to_date("ordered_at").alias("day"), "country")
    return days.agg(F.count("*").alias("orders"), F.sum("revenue").alias("revenue"))


def _differ(one: DataFrame, other: DataFrame) -> int:
    return one.exceptAll(other).count() + other.exceptAll(one).count()


def test_lessons_13_and_15_make_the_same_silver_and_gold(landing: Path, spark: SparkSession) -> None:
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
        good = lesson_13["checked"](lines).where("reason IS NULL").dropDuplicates(["order_id"])
        silver = good.withColumn("revenue", F.expr(lesson_13["REVENUE"])).select(SILVER)

        assert silver.count() == 837
        for prefix in ("", "sql_"):
            assert _differ(spark.table(f"{prefix}silver_orders").select(SILVER), silver) == 0
            assert _differ(spark.table(f"{prefix}gold_revenue").select(GOLD), _gold(silver)) == 0
    finally:
        spark.catalog.setCurrentDatabase("default")
        spark.sql("DROP SCHEMA lesson_15 CASCADE")
