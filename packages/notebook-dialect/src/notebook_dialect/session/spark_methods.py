"""Methods that Databricks adds to Spark: ``df.display()``, ``writer.table("t")``, more of SQL."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from notebook_dialect.display import display
from notebook_dialect.session import spark_expressions, spark_sql
from streaming_base import hooks

# Those that are written most come first.
_NAMES: Final = """
    json csv parquet orc text delta kafka rate socket cloudFiles memory noop console avro xml binaryFile jdbc
    rate-micro-batch statestore state-metadata hive libsvm image
"""
FORMATS = tuple(_NAMES.split())


def install() -> None:
    """Add the methods of Databricks that Spark's classes lack."""
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter

    spark_sql.install()
    spark_expressions.install()
    why = "Delta's toTable needs an active session, which only the thread that made the session has"
    hooks.wrap(DataStreamWriter, "toTable", _wrap_to_table, by=spark_sql.BY, layer="language", why=why)
    writers = [DataStreamWriter]
    # Loaded where a session is a Connect one, and only then to be had.
    if connect := sys.modules.get("pyspark.sql.connect.streaming.readwriter"):
        writers.append(connect.DataStreamWriter)
    for writer in writers:
        hooks.add(writer, "table", writer.toTable, by=spark_sql.BY, why="Databricks has writeStream.table")
    hooks.add(DataFrame, "display", _display, by=spark_sql.BY, why="Databricks has DataFrame.display")


def _wrap_to_table(original: Callable[..., Any]) -> Callable[..., Any]:
    """Make the writer's session the active one of the JVM thread that serves this thread.

    A thread of the notebook's own has none, and neither has the main thread after an interrupt, which cuts its
    connection.  Without one Delta's ``toTable`` fails (DELTA_INVALID_V1_TABLE_CALL).
    """

    @wraps(original)
    def toTable(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        spark = self._spark
        type(spark)._get_j_spark_session_class(spark._jvm).setActiveSession(spark._jsparkSession)
        return original(self, *args, **kwargs)

    return toTable


def _display(self: Any, *arguments: Any, **options: Any) -> None:
    """Show this frame; see :func:`notebook_dialect.display.display`."""
    display(self, *arguments, **options)
