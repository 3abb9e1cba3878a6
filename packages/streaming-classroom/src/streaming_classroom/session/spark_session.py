"""``get_spark``: the classroom's SparkSession, with Delta, started quickly.

On one machine the seconds go into resolving packages, loading classes and compiling them; so the jars are on
the class path, the classes come from an archive, and only the first-tier compiler is used.  Elsewhere (a
cluster, a Connect server, Databricks) the session is that place's own and only what lessons need is added.

The catalog of an open-source session lives as long as its JVM, while the tables' folders in the warehouse stay; on
Databricks both last.  So a new session registers the tables that an earlier kernel left there.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import RLock, Thread
from typing import TYPE_CHECKING

import pyspark_cloudfiles
from pyspark_cloudfiles import registration
from stream_view import console, starts
from streaming_base import front_end, progress_reports
from streaming_classroom import environment
from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.kafka import client
from streaming_classroom.session import cluster, spark_settings, worker_launcher
from streaming_classroom.session.spark_settings import WAREHOUSE
from streaming_classroom.setup import archive, catalog_jar, jars, steps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The kernel's own thread and the one that starts Spark early would each start a JVM.
_starting = RLock()
# What PySpark imports at its first call of the JVM (pandas among it, through its own tests' helpers) and its first
# statement, and what Auto Loader imports when it is installed and loads: seconds, and the JVM takes as long to start.
IMPORTED_MEANWHILE = (
    "pyspark.testing.utils",
    "pyspark.sql.classic.dataframe",
    "pyspark_cloudfiles.wrappers",
    "pyspark_cloudfiles.registration",
    "pyspark_cloudfiles.sql",
    "pyspark_cloudfiles.classic",
    "pyspark_cloudfiles.source.data_source",
    "pyspark_cloudfiles.source.stream_reader",
    "pyspark_cloudfiles.formats.json_reader",
    "pyspark_cloudfiles.formats.csv_reader",
)
APPLICATION = "streaming-classroom"
LOGS_KEPT = 20
_SCHEMA = ".db"  # the end of a schema's folder in the warehouse
# Lists to which the user's own entries and the classroom's both belong, and what separates the entries.
ADDED = {"spark.sql.extensions": ",", "spark.jars": ",", "spark.driver.extraClassPath": os.pathsep}


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
        Java or the jars are missing and cannot be had, the cluster that ``SPARK_MASTER`` names cannot run a lesson, or
        the JVM ended before it answered; the message says what to do.
    """
    if environment.is_databricks():
        from pyspark.sql import SparkSession

        return SparkSession.builder.getOrCreate()
    if url := environment.remote_url():
        return _remote_session(url, settings or {})
    return classic_session(settings=settings)


def classic_session(java_options: str | None = None, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return a session whose driver runs here, with other ``java_options`` if given; see :func:`get_spark`."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    with _starting:
        _prepare_process()
        conf = _without_users_own(_classic_conf(java_options)) | dict(settings or {})
        if worker_launcher.is_in_use():
            conf[registration.SAME_PACKAGES] = "true"
        is_first = SparkContext._active_spark_context is None
        if is_first and not environment.is_one_machine():
            cluster.refuse_unreachable(environment.master())
        _start_jvm(conf)
        if is_first and not environment.is_one_machine():
            conf |= _start_on_cluster(conf)
        builder = SparkSession.builder.appName(APPLICATION).master(environment.master())
        for key, value in conf.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        # Active is a session in the thread that made it, which may have been another one.
        SparkSession._get_j_spark_session_class(spark._jvm).setActiveSession(spark._jsparkSession)
        if is_first:
            _restore_warehouse(spark)
        pyspark_cloudfiles.install(spark)
        client.install_redirect()
        starts.install(spark)
        worker_launcher.start_fork_server()
        return spark


def asked_for() -> tuple[str, str | None, dict[str, str]]:
    """Return which session the environment asks for: the master, a Connect server, the configuration."""
    return environment.master(), environment.remote_url(), _without_users_own(_classic_conf(None))


def _start_on_cluster(conf: dict[str, str]) -> dict[str, str]:
    """Start the context on the cluster, and return the settings for it; no context is left after an error."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext

    settings = SparkConf(loadDefaults=False).setAll(list(conf.items()))
    try:
        context = SparkContext.getOrCreate(settings.setMaster(environment.master()).setAppName(APPLICATION))
    except Py4JError as error:  # which says of a master that refuses only that the context has stopped
        raise cluster.unreachable(environment.master(), (str(error).splitlines() or [""])[0]) from error
    try:
        partitions = str(cluster.checked_partitions(context, directories.home()))
    except BaseException:
        context.stop()
        raise
    return _without_users_own({cluster.PARTITIONS: partitions})


def _remote_session(url: str, settings: Mapping[str, str]) -> SparkSession:
    """Connect to a server and set what it allows; the rest is its administrator's choice."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.remote(url).getOrCreate()
    for key, value in (spark_settings.conf(spark_settings.LESSON) | dict(settings)).items():
        try:
            spark.conf.set(key, value)
        except PySparkException:
            continue
    pyspark_cloudfiles.install(spark)
    starts.install(spark)
    progress_reports.name_metrics(spark)
    return spark


def _classic_conf(java_options: str | None) -> dict[str, str]:
    """Return the configuration of a session whose driver runs here."""
    everywhere = (*spark_settings.LESSON, *spark_settings.DELTA, *spark_settings.SMALL)
    conf = spark_settings.conf(everywhere) | classroom_files().spark_conf()
    conf |= {"spark.driver.extraClassPath": os.pathsep.join(map(str, archive.class_path()))}
    options = archive.java_options() if java_options is None else java_options
    conf |= {"spark.driver.extraJavaOptions": options} if options else {}
    if environment.is_one_machine():
        conf |= classroom_files().volume_conf() if catalog_jar.present() else {}
        return conf | spark_settings.conf(spark_settings.ONE_MACHINE) | classroom_files().default_conf()
    conf["spark.jars"] = ",".join(path.as_uri() for path in jars.paths())  # which are sent to the executors
    if environment.is_cluster_here() and environment.fast_start():
        conf["spark.executor.extraJavaOptions"] = " ".join(archive.QUICK)
    return conf


def _prepare_process() -> None:
    """Make this process fit to start a JVM: a Java, the jars, and an environment that agrees with them."""
    import pyspark

    java = steps.ensure_session_needs()
    os.environ["JAVA_HOME"] = str(java.home)
    # A SPARK_HOME of another Spark would start that one's JVM, which PySpark cannot talk to.
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    if sys.platform == "linux":
        # The locale decides which letters Java knows in the names of files: under C, as in a container without LANG, a
        # session whose home has an umlaut does not start.
        name = next((name for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "LANG")
        if "utf" not in os.environ.get(name, "").lower():
            os.environ[name if name == "LC_ALL" else "LC_CTYPE"] = "C.UTF-8"
    worker_launcher.prepare()
    # Without it workers are started with whatever `python3` is first on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if environment.is_one_machine() or environment.is_cluster_here():
        # Otherwise Spark looks up the machine's name, which fails or takes seconds without network.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if environment.is_one_machine():
        # The launcher is a short-lived JVM of its own.
        os.environ.setdefault("SPARK_LAUNCHER_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    directories.claim(directories.home())
    classroom_files().prepare()


def _start_jvm(conf: dict[str, str]) -> None:
    """Start the JVM with its stderr in a log file, so that no Spark log line litters a lesson, and its output shown."""
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    log = new_log()
    settings = SparkConf(loadDefaults=False).setAll([*conf.items(), ("spark.master", environment.master())])
    try:
        with log.open("wb") as stderr, _console() as stdout, ThreadPoolExecutor(1) as starter:
            launching = starter.submit(launch_gateway, settings, {"stderr": stderr, "stdout": stdout})
            for name in IMPORTED_MEANWHILE:
                import_module(name)
            gateway = launching.result()
            # A kernel that shuts down waits for its child processes, and a zombie counts as one of them.
            Thread(target=gateway.proc.wait, name="wait for the JVM", daemon=True).start()
            SparkContext._ensure_initialized(gateway=gateway)
    except PySparkRuntimeError as error:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
        raise SetupError(
            f"Spark did not start; its last words are below, all of them in {log}.",
            "`python course.py doctor` checks what it needs.",
            tail,
        ) from error


def new_log() -> Path:
    """Return the path of this process's log, and remove the oldest of many logs."""
    directories.logs().mkdir(parents=True, exist_ok=True)
    for old in sorted(directories.logs().glob("spark-*.log"), key=_last_written)[: -LOGS_KEPT + 1]:
        with suppress(OSError):  # on Windows, while its session lives
            old.unlink(missing_ok=True)
    return directories.logs() / f"spark-{os.getpid()}.log"


def _last_written(log: Path) -> float:
    try:
        return log.stat().st_mtime
    except FileNotFoundError:  # another kernel has removed it in this moment
        return 0.0


@contextmanager
def _console() -> Iterator[int | None]:
    """Yield the file for the JVM's output: this process's own outside a notebook."""
    if not front_end.in_notebook():
        yield None
        return
    pipe = console.open_pipe()
    try:
        yield pipe
    finally:
        os.close(pipe)  # the JVM has its own copy; while ours is open, the reader would never see the end


def _without_users_own(conf: dict[str, str]) -> dict[str, str]:
    """Return ``conf`` without the settings of the user's ``spark-defaults.conf``, which code would override.

    The location of Delta and its extension are added to the user's own, because lessons need them.
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


def _restore_warehouse(spark: SparkSession) -> None:
    """Register the Delta tables in the warehouse's folders, with their schemas; other folders are left alone."""
    folder = classroom_files().local_path(WAREHOUSE)
    if spark.conf.get("spark.sql.warehouse.dir") != WAREHOUSE or not folder.is_dir():
        return
    _restore_tables(spark, folder, "default")
    for schema in sorted(path for path in folder.glob(f"*{_SCHEMA}") if path.is_dir()):
        name = schema.name.removesuffix(_SCHEMA)
        with _skip_if_broken():
            spark.sql(f"CREATE SCHEMA IF NOT EXISTS `{name}`")
            _restore_tables(spark, schema, name)


def _restore_tables(spark: SparkSession, folder: Path, schema: str) -> None:
    place = f"{WAREHOUSE}/{folder.name}" if folder.name.endswith(_SCHEMA) else WAREHOUSE
    for table in sorted(path.parent.name for path in folder.glob("*/_delta_log")):
        with _skip_if_broken():
            spark.sql(f"CREATE TABLE IF NOT EXISTS `{schema}`.`{table}` USING delta LOCATION '{place}/{table}'")
            _make_managed(spark, f"`{schema}`.`{table}`")


@contextmanager
def _skip_if_broken() -> Iterator[None]:
    """Skip folders that the catalog rejects: using them reports the problem, starting must not fail."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    with suppress(PySparkException, Py4JError):
        yield


def _make_managed(spark: SparkSession, table: str) -> None:
    """Register a table as a managed one, so that dropping it removes its folder, as before the restart.

    SQL makes a table with a path external, and refuses to create one without a path where files exist; so the
    catalog's entry itself is changed, as Spark's own commands change it.
    """
    state = spark._jsparkSession.sessionState()
    entry = state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier(table))
    fields = [entry.productElement(number) for number in range(entry.productArity())]
    kinds = getattr(spark._jvm.org.apache.spark.sql.catalyst.catalog, "CatalogTableType$")
    fields[1] = getattr(kinds, "MODULE$").MANAGED()  # after the identifier
    state.catalog().alterTable(entry.copy(*fields))
