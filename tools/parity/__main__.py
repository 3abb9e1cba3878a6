"""Measure all cases, and write the page: ``python tools/parity``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from parity import change_cases, page, spark_4_3, stock, table_cases
from streaming_classroom import get_spark


def main() -> None:
    """Write the page."""
    by_spark_itself = stock.measure()
    spark = get_spark()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        measured = change_cases.measure(spark, Path(folder)) + table_cases.measure(spark, Path(folder))
        compared = spark_4_3.measure(spark, Path(folder))
    spark.stop()
    page.PAGE.write_text(page.text(measured, compared, by_spark_itself), encoding="utf-8")


if __name__ == "__main__":
    main()
