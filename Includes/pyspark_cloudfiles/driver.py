"""What the user's own process adds: the source brought to the workers, ``_metadata``, progress metrics, SQL functions.

The source alone needs none of it where workers can import this package.  These are the parts that Spark's interface for
data sources has no place for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark_cloudfiles import causes, progress, readers, sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def install(spark: SparkSession) -> None:
    """Give a session all of ``cloudFiles``; it takes no time, and calling it again changes nothing.

    Parameters
    ----------
    spark : SparkSession
        A classic session or one over Spark Connect.
    """
    progress.install()
    sql.install(type(spark))
    readers.install(type(spark.readStream))
    causes.install(_error_of_streams(spark))


def _error_of_streams(spark: SparkSession) -> type:
    if hasattr(spark, "_jvm"):
        from pyspark.errors.exceptions.captured import StreamingQueryException
    else:
        from pyspark.errors.exceptions.connect import StreamingQueryException  # type: ignore[assignment]
    return StreamingQueryException
