"""docs/parity.md has what its cases give; with ``WRITE_PARITY_PAGE=1``, the first test writes it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from . import change_cases, page, spark_4_3, stock, table_cases

pytestmark = pytest.mark.slow


def test_the_page_has_what_the_cases_give(spark: SparkSession, tmp_path: Path) -> None:
    measured = change_cases.measure(spark, tmp_path) + table_cases.measure(spark, tmp_path)
    compared = spark_4_3.measure(spark, tmp_path)
    if os.environ.get("WRITE_PARITY_PAGE") == "1":
        page.PAGE.write_text(page.text(measured, compared, stock.measure()), encoding="utf-8")
    there = page.PAGE.read_text(encoding="utf-8")
    assert page.text(measured, compared, page.stock_of(there, measured)) == there
    assert [one.behavior.what for one in [*measured, *compared] if one.is_same is False] == []


def test_the_page_has_what_stock_spark_answers() -> None:
    cases = [case.behavior for case in [*change_cases.CASES.values(), *table_cases.CASES]]
    there, answers = page.PAGE.read_text(encoding="utf-8"), stock.measure()
    for behavior in cases:
        [line] = [one for one in there.splitlines() if one.startswith(f"| {behavior.what} |")]
        assert line.endswith(f" | {answers[behavior.stock]} |")
