"""Make a stock notebook understand what a Databricks notebook does.

The first line of every include calls :func:`set_up_notebook`; ``%load_ext streaming_classroom`` does the same for a
notebook without an include.  On Databricks the platform has all of this and keeps its own; only the waiting helpers
are added.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from streaming_classroom import environment, history, lesson, waiting
from streaming_classroom.session import get_spark

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import SparkSession


def set_up_notebook(namespace: dict[str, Any]) -> None:
    """Put into ``namespace`` what a lesson's cells use: ``spark``, ``display``, ``dbutils``, the waiting helpers.

    In a notebook the dialect's magics (``%sql``, ``%run``, ``%fs`` ...) are there as well.

    Parameters
    ----------
    namespace : dict
        An include passes its ``globals()``, which ``%run`` hands on to the notebook.
    """
    namespace.update(untilStreamIsReady=untilStreamIsReady, stopAllStreams=stopAllStreams)
    if environment.is_databricks():
        return
    from streaming_classroom.dbutils import imports
    from streaming_classroom.dialect import methods

    shell = environment.ipython()
    spark = get_spark()
    history.watch(spark)
    fill(namespace, spark)
    imports.install(namespace)
    methods.install()
    if shell is not None:
        _install_in(shell)


def fill(namespace: dict[str, Any], spark: SparkSession) -> None:
    """Put into ``namespace`` the names that Databricks defines in every notebook."""
    from pyspark.errors import PySparkException
    from pyspark.sql.functions import udf

    from streaming_classroom.dbutils import DBUtils
    from streaming_classroom.views import display, displayHTML

    own = namespace.get("dbutils")
    dbutils = own if isinstance(own, DBUtils) else DBUtils()
    namespace.update(
        spark=spark,
        sql=spark.sql,
        table=spark.table,
        dbutils=dbutils,
        getArgument=dbutils.widgets.getArgument,
        display=display,
        displayHTML=displayHTML,
        udf=udf,
    )
    with suppress(PySparkException):  # a Connect session has none
        namespace["sc"] = spark.sparkContext


def _install_in(shell: InteractiveShell) -> None:
    from streaming_classroom import console, short_errors
    from streaming_classroom.dialect import completion, context, magics, python_files

    context.current()
    magics.install(shell)
    completion.install(shell)
    short_errors.install(shell)
    console.install()
    python_files.install()


def set_up_user(namespace: dict[str, Any]) -> None:
    """Put into ``namespace`` the variables that lessons without a ``DA`` expect.

    They are ``username``, ``userhome`` and ``workingDir``, a directory of one's own that exists.
    """
    from streaming_classroom import datasets, filesystem

    datasets.register()
    working_dir = f"{lesson.base_path()}/working_dir"
    filesystem.local_path(working_dir).mkdir(parents=True, exist_ok=True)
    namespace.update(username=lesson.username(), userhome=lesson.userhome(), workingDir=working_dir)


def untilStreamIsReady(name: str, min_batches: int = 2, timeout: float = 120) -> bool:
    """Return True when the stream is ready; the older spelling of ``DA.block_until_stream_is_ready``."""
    waiting.block_until_stream_is_ready(get_spark(), name, min_batches, timeout)
    return True


def stopAllStreams() -> None:
    """Stop every active stream and return when they are gone."""
    waiting.stop_streams(get_spark().streams.active)
