"""Methods that Databricks adds to Spark: ``df.display()``, ``writer.table("t")``, more of SQL."""

from __future__ import annotations

import sys
from typing import Any

import spark_hooks
from notebook_dialect.session import option_names, spark_expressions, spark_sql
from stream_view import display


def install() -> None:
    """Add what is missing to Spark's classes; what Spark has by itself is left."""
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter

    spark_sql.install()
    spark_expressions.install()
    option_names.install()
    writers = [DataStreamWriter]
    # Loaded where a session is a Connect one, and only then to be had.
    if connect := sys.modules.get("pyspark.sql.connect.streaming.readwriter"):
        writers.append(connect.DataStreamWriter)
    for writer in writers:
        spark_hooks.add(writer, "table", writer.toTable, by=spark_sql.BY, why="Databricks has writeStream.table")
    spark_hooks.add(DataFrame, "display", _display, by=spark_sql.BY, why="Databricks has DataFrame.display")


def _display(self: Any, *arguments: Any, **options: Any) -> None:
    """Show this frame; see :func:`stream_view.display`."""
    display(self, *arguments, **options)
