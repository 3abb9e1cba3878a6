"""``spark.sql`` with catalogs: which sessions have them, and what is tried with a statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from notebook_dialect.catalogs import session_catalogs
from notebook_dialect.sql import catalog_names
from streaming_base.rewritten_sql import Rewritten
from streaming_base.sql_statements import tokens_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from notebook_dialect.files.filesystem import FileSystem

_files: FileSystem | None = None  # of the process, whose sessions share a JVM
_has_catalogs = False  # without the class, COPY INTO is all that runs here


def enable(spark: SparkSession, files: FileSystem) -> bool:
    """Give a session and later ones the catalogs of the files' home; return whether the JVM has their class."""
    global _files, _has_catalogs
    _files, _has_catalogs = files, session_catalogs.is_on_class_path(spark)
    if not _has_catalogs:
        return False
    if not hasattr(spark, "_jsparkSession"):  # a server has prepared its own
        return True
    from notebook_dialect.catalogs.functions import restore_functions
    from notebook_dialect.catalogs.session_catalogs import SessionCatalogs

    catalogs = SessionCatalogs(spark, files, spark.sql)
    catalogs.prepare()
    restore_functions(catalogs)
    return True


def disable() -> None:
    """Let ``spark.sql`` leave statements about catalogs to Spark."""
    global _files, _has_catalogs
    _files, _has_catalogs = None, False


def run(spark: SparkSession, text: str, execute: Callable[[str], DataFrame]) -> DataFrame:
    """Run a statement: one of the catalogs' own, or Spark's, with the catalogs' functions if Spark finds no routine.

    Parameters
    ----------
    spark : SparkSession
        The session.
    text : str
        The statement.
    execute : callable
        Has Spark run a statement.
    """
    __tracebackhide__ = True
    if _files is None or not isinstance(text, str):
        return execute(text)
    if not _has_catalogs and not hasattr(spark, "_jsparkSession"):
        return execute(text)
    if not _has_catalogs and text.lstrip()[:4].upper() != "COPY":
        return execute(text)
    from pyspark.errors import AnalysisException

    from notebook_dialect.catalogs import functions, statements
    from notebook_dialect.catalogs.session_catalogs import SessionCatalogs

    text = _in_session_catalog(text)
    catalogs = SessionCatalogs(spark, _files, execute)
    result = statements.run(catalogs, text)
    if result is not None and not isinstance(result, str):
        return result
    try:
        return execute(result or text)
    except AnalysisException as error:
        rewritten = functions.rewrite_calls(catalogs, text) if "ROUTINE" in (error.getCondition() or "") else text
        if rewritten == text:
            raise
    return execute(rewritten)


def _in_session_catalog(text: str) -> str:
    """Return a statement with ``hive_metastore`` replaced first: as a refused name it would be a schema's elsewhere."""
    if catalog_names.DATABRICKS_CATALOG not in text.lower():
        return text
    return Rewritten.of(text, catalog_names.edits(tokens_of(text))).text
