"""The classroom's SparkSession: real Spark and Delta, started quickly, configured for lessons.

On one machine the seconds go into resolving packages, loading classes and compiling them; so the jars lie on
the class path, the classes come from an archive, and only the first-tier compiler is used.  Elsewhere (a
cluster, a Connect server, Databricks) the session is that place's own and only what lessons need is added.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark_cloudfiles
from stream_view import console, front_end
from streaming_classroom import environment, ownership, places, spark_logs, warehouse
from streaming_classroom.errors import SessionStartError
from streaming_classroom.places import classroom_files
from streaming_classroom.setup import archive, jars, steps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What the lessons rely on, wherever a session lets itself be configured.
LESSON_CONF = {
    "spark.sql.sources.default": "delta",
    "spark.sql.session.timeZone": "UTC",
    # An idle stream reports every 10 s by default, and waiting would take that long.
    "spark.sql.streaming.noDataProgressEventInterval": "500",
    # Spark keeps the last 100 reports; with two a second, a batch would be forgotten while a learner reads on.
    "spark.sql.streaming.numRecentProgressUpdates": "10000",
    # Spark 4.2.0 hangs for ever when a Python UDF reads a Parquet or Delta table through this path.
    "spark.sql.execution.arrow.pythonUDF.columnarInput.enabled": "false",
    # SHOW DATABASES and SHOW TABLES with the column names that Databricks has.
    "spark.sql.legacy.keepCommandOutputSchema": "true",
    # Delta 4.4's parser loses the arguments of spark.sql("... :name", args) on their new way through Spark 4.2.
    "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
}
DELTA_CONF = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
# Lists to which the user's own entries and the classroom's both belong, and what separates the entries.
ADDED = {"spark.sql.extensions": ",", "spark.jars": ",", "spark.driver.extraClassPath": os.pathsep}
ONE_MACHINE_CONF = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.warehouse.dir": warehouse.WAREHOUSE,
    "spark.databricks.delta.snapshotPartitions": "2",
    # VACUUM cuts its listing of even a tiny table into up to 10,000 tasks by default, which take most of a minute.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": str(4 * (os.cpu_count() or 2)),
    # An idle stream looks for data a hundred times a second by default: five of them leave little of two cores.
    "spark.sql.streaming.pollingDelay": "100",
}


def get_spark(settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return the classroom's SparkSession, started if it is not running.

    On one machine (the default) it is a local session with Delta, ``dbfs:/`` and lesson settings.
    ``SPARK_MASTER`` points it at a cluster and ``SPARK_REMOTE`` at a Connect server; what the user's own
    ``spark-defaults.conf`` (``SPARK_CONF_DIR``) sets wins over the classroom's settings.  On Databricks it is
    the platform's session, untouched.

    Parameters
    ----------
    settings : mapping, optional
        What the notebook is to find set, whatever is set elsewhere, in a session that is running as well.

    Raises
    ------
    SetupError
        Java or the jars are missing and cannot be had.
    SessionStartError
        The JVM ended before it answered; the message has its last words.
    """
    if environment.is_databricks():
        return _platform_session()
    if url := environment.remote_url():
        return _remote_session(url, settings or {})
    return classic_session(settings=settings)


def classic_session(java_options: str | None = None, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return a session whose driver runs here; see :func:`get_spark`.

    Parameters
    ----------
    java_options : str, optional
        Options of the driver's JVM, instead of the ones that make it start quickly.
    settings : mapping, optional
        As there.
    """
    from pyspark.sql import SparkSession

    _prepare_process()
    conf = _without_users_own(_classic_conf(java_options)) | dict(settings or {})
    _start_jvm(conf)
    builder = SparkSession.builder.appName("streaming-classroom").master(environment.master())
    for key, value in conf.items():
        builder = builder.config(key, value)
    is_first = SparkSession.getActiveSession() is None
    spark = builder.getOrCreate()
    if is_first:
        warehouse.restore(spark)
    pyspark_cloudfiles.install(spark)
    return spark


def _platform_session() -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def _remote_session(url: str, settings: Mapping[str, str]) -> SparkSession:
    """Connect to a server and set what may be set there; what it refuses is its administrator's choice."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.remote(url).getOrCreate()
    for key, value in (LESSON_CONF | dict(settings)).items():
        try:
            spark.conf.set(key, value)
        except PySparkException:
            continue
    pyspark_cloudfiles.install(spark)
    return spark


def _classic_conf(java_options: str | None) -> dict[str, str]:
    """Return the configuration of a session whose driver runs here."""
    conf = LESSON_CONF | DELTA_CONF | classroom_files().spark_conf()
    if not environment.is_one_machine():
        # Executors elsewhere need the jars brought to them.
        return conf | {"spark.jars": ",".join(path.as_uri() for path in jars.paths())}
    conf |= (
        ONE_MACHINE_CONF
        | classroom_files().default_conf()
        | {
            "spark.sql.shuffle.partitions": str(os.cpu_count() or 2),
            "spark.driver.extraClassPath": os.pathsep.join(map(str, jars.paths())),
        }
    )
    options = archive.java_options() if java_options is None else java_options
    return conf | ({"spark.driver.extraJavaOptions": options} if options else {})


def _prepare_process() -> None:
    """Make this process fit to start a JVM: a Java, the jars, and an environment that agrees with them."""
    import pyspark

    java = steps.ensure_session_needs()
    os.environ["JAVA_HOME"] = str(java.home)
    # A SPARK_HOME of another Spark would start that one's JVM, which PySpark cannot talk to.
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    # Without it workers are started with whatever `python3` is first on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if environment.is_one_machine():
        # Otherwise Spark looks up the machine's name, which fails or takes seconds without network.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # The launcher is a short-lived JVM of its own.
        os.environ.setdefault("SPARK_LAUNCHER_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    ownership.claim(places.home())
    classroom_files().prepare()


def _start_jvm(conf: dict[str, str]) -> None:
    """Start the JVM with its stderr in a log file, so that no Spark log line litters a lesson, and its output shown."""
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    log = spark_logs.new_log()
    settings = SparkConf(loadDefaults=False).setAll([*conf.items(), ("spark.master", environment.master())])
    try:
        with log.open("wb") as stderr, _console() as stdout:
            SparkContext._ensure_initialized(gateway=launch_gateway(settings, {"stderr": stderr, "stdout": stdout}))
    except PySparkRuntimeError as error:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
        raise SessionStartError(str(log), tail) from error


@contextmanager
def _console() -> Iterator[int | None]:
    """Give what the JVM prints to, which is this process's own output where there is no notebook."""
    if not front_end.in_notebook():
        yield None
        return
    pipe = console.open_pipe()
    try:
        yield pipe
    finally:
        os.close(pipe)  # the JVM has its own copy; while ours is open, the reader would never see the end


def _without_users_own(conf: dict[str, str]) -> dict[str, str]:
    """Return ``conf`` without what the user's ``spark-defaults.conf`` sets.

    What a session is given in code would win over that file.  Where Delta is found and its extension are added to
    the user's own rather than replaced, because lessons cannot do without.
    """
    own = _users_defaults()
    kept = {key: value for key, value in conf.items() if key not in own}
    added = {key: f"{own[key]}{between}{conf[key]}" for key, between in ADDED.items() if key in own and key in conf}
    return kept | added


def _users_defaults() -> dict[str, str]:
    """Return the settings of ``$SPARK_CONF_DIR/spark-defaults.conf``: a key, blanks or ``=``, a value."""
    directory = os.environ.get("SPARK_CONF_DIR")
    file = Path(directory) / "spark-defaults.conf" if directory else None
    if file is None or not file.is_file():
        return {}
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    pairs = (re.split(r"\s*[=:]\s*|\s+", line, maxsplit=1) for line in lines if line and not line.startswith("#"))
    return {key: value for key, value, *_ in ([*pair, ""] for pair in pairs)}
