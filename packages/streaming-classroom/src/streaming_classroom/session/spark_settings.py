"""Spark settings that the classroom changes, each with its reason.

A lesson's result that depends on one of them says so; a stock Spark, with the stock value, shows another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

CORES = os.cpu_count() or 2
NOT_SET = "not set"
WAREHOUSE = "dbfs:/user/hive/warehouse"


@dataclass(frozen=True)
class Setting:
    """A setting of Spark: its name, value, stock value (``not set`` if none), and the reason in one sentence."""

    name: str
    ours: str
    stock: str
    why: str


# What the lessons rely on, wherever a session lets itself be configured.
LESSON = (
    Setting(
        "spark.sql.sources.default",
        "delta",
        "parquet",
        "A table is a Delta table where nothing else is said, as on Databricks; stock Spark writes Parquet.",
    ),
    Setting("spark.sql.session.timeZone", "UTC", "the machine's", "A lesson shows the same times on every machine."),
    Setting(
        "spark.sql.streaming.noDataProgressEventInterval",
        "500",
        "10000",
        "An idle stream reports every half second instead of every ten, so that waiting for it is short.",
    ),
    Setting(
        "spark.sql.streaming.numRecentProgressUpdates",
        "10000",
        "100",
        "With two reports a second, a batch would be forgotten in `recentProgress` while you read on.",
    ),
    Setting(
        "spark.sql.execution.arrow.pythonUDF.columnarInput.enabled",
        "false",
        "true",
        "Spark 4.2.0 hangs forever when a Python UDF reads a Parquet or Delta table through this path.",
    ),
    Setting(
        "spark.sql.legacy.keepCommandOutputSchema",
        "true",
        "false",
        "SHOW DATABASES and SHOW TABLES have the column names that they have on Databricks.",
    ),
    Setting(
        "spark.sql.legacy.parameterSubstitution.constantsOnly",
        "true",
        "false",
        "Delta 4.4's parser loses the arguments of spark.sql('... :name', args) on their way through Spark 4.2.",
    ),
)
DELTA = (
    Setting("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension", NOT_SET, "Delta's SQL: MERGE, VACUUM."),
    Setting(
        "spark.sql.catalog.spark_catalog",
        "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "builtin",
        "Tables may be Delta tables.",
    ),
)
# What suits the little data of a course, on one machine and on a cluster.
SMALL = (
    Setting("spark.driver.memory", "2g", "1g", "Five streams at once have room."),
    Setting("spark.ui.showConsoleProgress", "false", "true in a terminal", "No progress bar in a cell's output."),
    Setting("spark.sql.warehouse.dir", WAREHOUSE, "spark-warehouse", "Tables are in the classroom's own folder."),
    Setting(
        "spark.databricks.delta.snapshotPartitions",
        "1",
        "50",
        "One task reads a Delta table's log; each further task would generate the same code again, in every batch.",
    ),
    Setting(
        "spark.sql.sources.parallelPartitionDiscovery.parallelism",
        str(4 * CORES),
        "10000",
        "VACUUM cuts its listing of even a tiny table into up to 10,000 tasks otherwise, which take most of a minute.",
    ),
    Setting(
        "spark.sql.streaming.pollingDelay",
        "100",
        "10",
        "An idle stream polls ten times a second instead of a hundred: five of them left little of two cores.",
    ),
)
ONE_MACHINE = (
    Setting("spark.driver.host", "127.0.0.1", NOT_SET, "Spark does not ask the network for the machine's name."),
    Setting("spark.driver.bindAddress", "127.0.0.1", NOT_SET, "Nobody else on the network reaches it."),
    Setting(
        "spark.buffer.size", "1048576", "65536", "Rows come from Python in fewer reads, a large batch a tenth sooner."
    ),
    Setting(
        "spark.sql.shuffle.partitions",
        str(CORES),
        "200",
        "A batch with an aggregation has as many tasks, and as many state stores, as there are cores.",
    ),
)
EVERY = (*LESSON, *DELTA, *SMALL, *ONE_MACHINE)


def conf(settings: Iterable[Setting]) -> dict[str, str]:
    """Return settings as Spark's configuration."""
    return {setting.name: setting.ours for setting in settings}


def page() -> str:
    """Return all settings as text: the stock value, ours, and why."""
    blocks = [f"{one.name}\n    {one.stock} -> {one.ours}\n    {one.why}" for one in EVERY]
    return "\n\n".join(
        [
            "What the classroom changes in Spark's defaults (stock -> ours). Your own spark-defaults.conf wins "
            "(SPARK_CONF_DIR).",
            *blocks,
            "Besides: dbfs:/ is a folder of the home, and a path without a scheme is there, as on Databricks; the "
            "JVM starts from a class archive with its first-tier compiler (CLASSROOM_FAST_START=0 changes that). On "
            "Linux Spark's Python is a launcher that starts its processes sooner (a PYSPARK_PYTHON of your own wins).",
            "On a cluster (SPARK_MASTER) spark.sql.shuffle.partitions is the number of its cores, at most 16.",
        ]
    )
