"""A Python worker started before the first batch needs one.

A worker imports PySpark, pyarrow and this package before it reads its first file, which takes longer than reading a
small folder.  Meanwhile Spark plans the query, mostly on one core; so a job without other work makes a worker do its
imports then.  Spark keeps workers, and uses the warm one for the batch if it was started with the same environment.
The job is one of RDDs: for a query, Spark would generate and compile code first.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles import shipping

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MARK = "_cloudfiles_warmed"


def warm(spark: SparkSession, file_format: str) -> threading.Thread | None:
    """Start a thread, once per session, in which one worker, enough for a small folder, imports a format."""
    if getattr(spark, _MARK, False):
        return None
    setattr(spark, _MARK, True)
    thread = threading.Thread(target=_run, args=(spark, file_format), daemon=True, name="cloudFiles warming")
    thread.start()
    return thread


def _run(spark: SparkSession, file_format: str) -> None:
    # It only saves time: a session that ends meanwhile, or an unknown format, is an error elsewhere.
    with contextlib.suppress(Exception):
        spark.sparkContext.setJobDescription("cloudFiles: a worker imports what it will need")  # of this thread's jobs
        run_in_worker(spark, _importing(file_format))


def run_in_worker(spark: SparkSession, function: Callable[[], object]) -> None:
    """Call a function once, in a worker like those of SQL."""
    from pyspark.core.rdd import _prepare_for_python_RDD

    def called(_: int, rows: Iterable) -> Iterator:
        function()
        list(rows)  # Spark ends a worker that has not read all of its input
        return iter(())

    context = spark.sparkContext
    rows = context.parallelize([0], 1)
    command = (called, None, rows._jrdd_deserializer, rows._jrdd_deserializer)
    pickled, broadcasts, environment, includes = _prepare_for_python_RDD(context, command)
    jvm: Any = context._jvm
    made = jvm.SimplePythonFunction(
        bytearray(pickled),
        {**environment, **_environment_of_sql(spark)},
        includes,
        context.pythonExec,
        context.pythonVer,
        broadcasts,
        context._javaAccumulator,
    )
    jvm.PythonRDD(rows._jrdd.rdd(), made, False, False).asJavaRDD().count()


def _environment_of_sql(spark: SparkSession) -> dict[str, str]:
    conf = spark._jsparkSession.sessionState().conf()
    asked = {
        "SPARK_SIMPLIFIED_TRACEBACK": conf.pysparkSimplifiedTraceback(),
        "SPARK_HIDE_TRACEBACK": conf.pysparkHideTraceback(),
    }
    return {name: "1" for name, wanted in asked.items() if wanted}


def _importing(file_format: str) -> Callable[[], object]:
    make_importable, origin = shipping.package_loader()

    def imports() -> object:
        make_importable(*origin)
        # On a worker, after the package was made importable.
        import pyspark.sql.worker.plan_data_source_read  # noqa: F401

        from pyspark_cloudfiles.formats import find_format
        from pyspark_cloudfiles.source.stream_reader import CloudFilesStreamReader  # noqa: F401

        return find_format(file_format)

    return imports
