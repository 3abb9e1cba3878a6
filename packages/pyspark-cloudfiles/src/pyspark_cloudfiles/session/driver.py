"""The entry point ``install``, which patches a session.

The source alone needs no patches if workers can import this package.  They add the parts that Spark's interface for
data sources does not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark_cloudfiles.session import readers, reports, sql
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def install(spark: SparkSession) -> None:
    """Install all of ``cloudFiles`` in a session; it takes no time, and a second call changes nothing.

    Parameters
    ----------
    spark : SparkSession
        A classic session or one over Spark Connect.
    """
    install_in(type(spark), type(spark.readStream), hasattr(spark, "_jvm"))


def install_in(session: type, reader: type, is_classic: bool) -> None:
    """Wrap the methods for :func:`install` in these classes of sessions and of stream readers."""
    reports.install_progress()
    sql.install(session)
    readers.install(reader)
    if is_classic:
        from pyspark_cloudfiles.session import metadata_pruning  # over Spark Connect there is no `_metadata`

        metadata_pruning.install()

        from pyspark.errors.exceptions import captured as errors
    else:
        from pyspark.errors.exceptions import connect as errors  # type: ignore[no-redef]
    for error in (errors.StreamingQueryException, errors.AnalysisException):
        reports.install_errors(error)


def uninstall() -> None:
    """Restore the methods of Spark's classes, for all sessions; ``cloudFiles`` itself stays registered."""
    hooks.remove(PACKAGE)
