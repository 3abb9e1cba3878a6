"""A Spark session for tests, where the process has none: local, with Delta, and a warehouse that is removed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Tests are short: the JVM's second compiler and a collector with many threads cost them more than they give.  With one
# compiler the JVM reserves 48 MB for code, which a few streams fill.
_QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"


@contextmanager
def small_session() -> Iterator[SparkSession]:
    """Give the session; Delta's jars are those that ``delta-spark`` names, which Spark fetches once.

    Workers are this Python, unless ``PYSPARK_PYTHON`` says otherwise.
    """
    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory(prefix="pipeline_tests_", ignore_cleanup_errors=True) as folder:
        builder = SparkSession.builder.master("local[2]").appName("pipeline tests")
        for key, value in {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.sql.sources.default": "delta",  # as on Databricks
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": folder,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            # Delta 4.4's parser loses the arguments of spark.sql(query, args) otherwise.
            "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
            "spark.driver.extraJavaOptions": _QUICK_START,
            "spark.databricks.delta.snapshotPartitions": "1",
        }.items():
            builder = builder.config(key, value)
        session = configure_spark_with_delta_pip(builder).getOrCreate()
        try:
            yield session
        finally:
            session.stop()
