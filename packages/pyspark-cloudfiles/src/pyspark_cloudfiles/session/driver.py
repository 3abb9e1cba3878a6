"""The entry point ``install``, which patches a session.

The source alone needs none of it where workers can import this package.  These are the parts that Spark's interface for
data sources has no place for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark_cloudfiles.session import log_location, readers, reports, sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def install(spark: SparkSession) -> None:
    """Give a session all of ``cloudFiles``; it takes no time, and calling it again changes nothing.

    Parameters
    ----------
    spark : SparkSession
        A classic session or one over Spark Connect.
    """
    reports.install_progress()
    sql.install(type(spark))
    readers.install(type(spark.readStream))
    log_location.install(_writer(spark))
    if hasattr(spark, "_jvm"):
        from pyspark_cloudfiles.session import metadata_pruning  # over Spark Connect there is no `_metadata`

        metadata_pruning.install()
    for error in _errors(spark):
        reports.install_errors(error)


def _writer(spark: SparkSession) -> type:
    if hasattr(spark, "_jvm"):
        from pyspark.sql.streaming import DataStreamWriter
    else:
        from pyspark.sql.connect.streaming.readwriter import DataStreamWriter  # type: ignore[assignment]
    return DataStreamWriter


def _errors(spark: SparkSession) -> list[type]:
    """Return the classes of what a stream ends with, and of what ``load`` raises."""
    if hasattr(spark, "_jvm"):
        from pyspark.errors.exceptions import captured as errors
    else:
        from pyspark.errors.exceptions import connect as errors  # type: ignore[no-redef]
    return [errors.StreamingQueryException, errors.AnalysisException]
