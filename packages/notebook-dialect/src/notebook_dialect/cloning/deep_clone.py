"""``CREATE TABLE t DEEP CLONE s``, which open-source Delta lacks: a copy that does not need its source.

A new copy is in the catalog only when it is complete; one that was interrupted goes on when its statement is repeated.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from notebook_dialect.cloning import delta_copy
from notebook_dialect.cloning.clone_statement import CloneStatement
from notebook_dialect.cloning.clone_target import CloneTarget
from notebook_dialect.cloning.delta_copy import CloneSource, Metrics
from notebook_dialect.errors import BadSql
from notebook_dialect.sql.rewriting import explain
from stream_view.errors import NotAvailable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_COLUMNS: tuple[str, ...] = ("source_table_size", "source_num_of_files", "num_removed_files")
_COLUMNS += ("num_copied_files", "removed_files_size", "copied_files_size")


def run(spark: SparkSession, text: str) -> DataFrame:
    """Make the copy, or bring it up to date.

    The source's schema with its comments, properties, constraints, partitioning or clustering, deletion vectors and
    the progress of streams that write to it are copied; its description and history are not, as on Databricks.  Files
    that the copy has already are not copied again; those that have gone from the source go from the copy, whose older
    versions keep them until ``VACUUM``.

    The copy's history has one entry ``CLONE`` for each statement: the source, its version, and how many files were
    copied and removed.

    Supported: names and paths, ``VERSION AS OF``, ``TIMESTAMP AS OF``, ``OR REPLACE``, ``IF NOT EXISTS``,
    ``LOCATION``, ``TBLPROPERTIES``.  Not supported: sources that are not Delta tables, Spark Connect.

    Returns
    -------
    DataFrame
        One row: ``source_table_size``, ``source_num_of_files``, ``num_removed_files``, ``num_copied_files``,
        ``removed_files_size``, ``copied_files_size``.

    Raises
    ------
    BadSql
        The source is no Delta table, or the place for the copy is taken.
    PySparkException
        Spark's own errors, about a table that is there, or one that is not.
    """
    __tracebackhide__ = True
    from pyspark.errors import PySparkException

    if not hasattr(spark, "_jvm"):
        raise NotAvailable(
            "DEEP CLONE needs a session whose driver runs here.", "Write CREATE TABLE ... AS SELECT instead."
        )
    statement = CloneStatement(text)
    try:
        return _run(spark, statement)
    except PySparkException as error:
        explain(error, statement.shallow)
        raise


def _run(spark: SparkSession, statement: CloneStatement) -> DataFrame:
    target, source = CloneTarget(spark, statement), _source(spark, statement)
    if target.is_taken and target.if_not_exists:
        return _frame(spark, Metrics(0, 0)).limit(0)
    if not (target.replaces if target.is_taken else target.creates):
        return spark.sql(statement.shallow.text)  # which changes nothing: Spark says what is wrong
    if not target.is_taken:
        target.refuse_used_by_others(source)
    metrics = delta_copy.copy(spark, source, target.log, target.properties)
    if not target.is_taken and not target.is_path:
        target.register()
    return _frame(spark, metrics)


def _source(spark: SparkSession, statement: CloneStatement) -> CloneSource:
    """Return the table that a statement copies, at the version that it names."""
    from py4j.java_gateway import is_instance_of

    plan = spark.sql(statement.source_query)._jdf.queryExecution().analyzed()
    while plan.nodeName() in ("Project", "SubqueryAlias"):
        plan = plan.child()
    gateway, files = spark.sparkContext._gateway, "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
    index = "org.apache.spark.sql.delta.files.TahoeLogFileIndex"
    is_table = plan.nodeName() == "LogicalRelation" and is_instance_of(gateway, plan.relation(), files)
    if not is_table or not is_instance_of(gateway, plan.relation().location(), index):
        raise BadSql("What DEEP CLONE is to copy is no Delta table. Write CREATE TABLE ... AS SELECT instead.")
    snapshot, table = plan.relation().location().getSnapshot(), plan.catalogTable()
    path = f"delta.`{snapshot.dataPath().toString()}`"
    return CloneSource(snapshot, table.get().identifier().unquotedString() if table.isDefined() else path)


def _frame(spark: SparkSession, metrics: Metrics) -> DataFrame:
    columns = (f"{value}L AS {name}" for name, value in zip(_COLUMNS, astuple(metrics), strict=True))
    return spark.sql(f"SELECT {', '.join(columns)}")
