"""The entry point ``install``, which patches a session.

The source alone needs none of it where workers can import this package.  These are the parts that Spark's interface for
data sources has no place for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark_cloudfiles.session import readers, reports, sql
from pyspark_cloudfiles.shipping import PACKAGE
from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def install(spark: SparkSession) -> None:
    """Give a session all of ``cloudFiles``; it takes no time, and calling it again changes nothing.

    Parameters
    ----------
    spark : SparkSession
        A classic session or one over Spark Connect.
    """
    install_in(type(spark), type(spark.readStream), hasattr(spark, "_jvm"))


def install_in(session: type, reader: type, is_classic: bool) -> None:
    """Wrap what :func:`install` wraps, of these classes of sessions and of stream readers."""
    reports.install_progress()
    sql.install(session)
    readers.install(reader)
    if is_classic:
        from pyspark_cloudfiles.session import metadata_pruning  # over Spark Connect there is no `_metadata`

        metadata_pruning.install()
    for error in _errors(is_classic):
        reports.install_errors(error)


def uninstall() -> None:
    """Give Spark's classes, of all sessions, their own methods back; ``cloudFiles`` itself stays registered."""
    hooks.remove(PACKAGE)


def _errors(is_classic: bool) -> list[type]:
    """Return the classes of what a stream ends with, and of what ``load`` raises."""
    if is_classic:
        from pyspark.errors.exceptions import captured as errors
    else:
        from pyspark.errors.exceptions import connect as errors  # type: ignore[no-redef]
    return [errors.StreamingQueryException, errors.AnalysisException]
