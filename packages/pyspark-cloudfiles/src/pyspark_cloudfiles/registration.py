"""Registration of the data source and the table function with a session, and the options that only the session knows.

Both are sent as classes that bring this package along, because a worker may not have it.  Slow steps of Spark's first
registration are skipped if this process knows their result.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import iter_modules
from threading import Lock
from typing import TYPE_CHECKING, Any

from pyspark_cloudfiles import shipping
from pyspark_cloudfiles.errors import PythonWithoutPackages
from pyspark_cloudfiles.option_names import INTERNAL, SETTING_NAMES, setting_option
from pyspark_cloudfiles.options import SETTINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# The environment of Spark's own Python processes applies to the source in any process.
_OF_WORKERS = {key: f"spark.executorEnv.PYSPARK_CLOUDFILES_{key.upper()}" for key in ("mounts", "state")}


def session_options(spark: SparkSession) -> dict[str, str]:
    """Return the options for a source that is loaded in a session now."""
    options = {f"{INTERNAL}timezone": str(spark.conf.get("spark.sql.session.timeZone"))}
    if hasattr(spark, "_jvm"):
        options[f"{INTERNAL}machinetimezone"] = str(spark._jvm.java.util.TimeZone.getDefault().getID())
    given = {f"{INTERNAL}{key}": setting_of(spark, key) for key in SETTINGS}
    given |= {setting_option(name): spark.conf.get(name, None) for name in SETTING_NAMES}
    return options | {key: value for key, value in given.items() if value}


def setting_of(spark: SparkSession, key: str) -> str | None:
    """Return the session's value of one of the keys of ``SETTINGS``, if set."""
    names = [name for name in (SETTINGS[key], _OF_WORKERS.get(key)) if name]
    return next((value for name in names if (value := spark.conf.get(name, None))), None)


# Set by users whose own program starts workers that have this process's packages.
SAME_PACKAGES = "spark.cloudFiles.workersHavePackagesOfDriver"
_MARK = "_cloudfiles_registered"
_MANAGER = "org.apache.spark.sql.execution.datasources.DataSourceManager"
_PYTHON = "org.apache.spark.api.python.PythonUtils"
_PREFIX = "pyspark_"
_NEEDED = "import pyarrow, msgspec, numpy"
# Flows of a pipeline load in threads.  Spark checks for a source of the name before it registers one, so one of two
# concurrent registrations may find the other's, and fail.
_REGISTRATION = Lock()


def register(spark: SparkSession) -> None:
    with _REGISTRATION:
        if not hasattr(spark, f"{_MARK}_source"):
            if hasattr(spark, "_jvm"):
                context = spark.sparkContext
                if context.getConf().get(SAME_PACKAGES, "false") != "true" and context.master.startswith("local"):
                    utils = getattr(getattr(spark._jvm, f"{_PYTHON}$"), "MODULE$")
                    refuse_python_without_packages(utils.defaultPythonExec())  # which cannot be changed any more
            spark.dataSource.register(_shipped_source())
            setattr(spark, f"{_MARK}_source", True)


def register_functions(spark: SparkSession) -> None:
    with _REGISTRATION:
        if not hasattr(spark, f"{_MARK}_functions"):
            spark.udtf.register("cloud_files_state", _shipped_state_function(setting_of(spark, "mounts")))
            setattr(spark, f"{_MARK}_functions", True)


def refuse_python_without_packages(python: str) -> None:
    """Raise PythonWithoutPackages for a Python, by its command, that Spark starts and that cannot run the source."""
    found = shutil.which(python)
    if found is not None and _is_this_python(found):
        return
    if found is None or subprocess.run([found, "-c", _NEEDED], capture_output=True, timeout=60).returncode:
        raise PythonWithoutPackages(
            f"Spark starts {found or python} to read the files, and it does not have the packages that cloudFiles "
            "needs (pyarrow, msgspec, numpy). Set the environment variable PYSPARK_PYTHON to "
            f"{sys.executable} before the session starts, or activate this Python's environment."
        )


def _shipped_source() -> type:
    from pyspark.sql.datasource import DataSource

    make_importable, origin = shipping.package_loader()

    class CloudFiles(DataSource):
        def __new__(cls, options: Any) -> Any:
            make_importable(*origin)
            # On a worker, after the package was made importable.
            from pyspark_cloudfiles.source.data_source import CloudFilesDataSource

            return CloudFilesDataSource(options)

        @classmethod
        def name(cls) -> str:
            return "cloudFiles"

    return CloudFiles


def _shipped_state_function(mounts: str | None) -> Any:
    from pyspark.sql.functions import udtf

    # After Spark's own functions, whose import takes longest.
    from pyspark_cloudfiles.history import COLUMNS

    make_importable, origin = shipping.package_loader()

    class CloudFilesState:
        def eval(self, checkpoint: str) -> Iterator[tuple]:
            make_importable(*origin)
            # On a worker, after the package was made importable.
            from pyspark_cloudfiles.filesystems.filesystem import iterate_mounted
            from pyspark_cloudfiles.history import file_states

            yield from map(tuple, iterate_mounted(mounts, file_states(checkpoint)))

    return udtf(CloudFilesState, returnType=COLUMNS)


def skip_source_lookup(spark: SparkSession) -> None:
    """Skip the lookup of packages of sources in the JVM of a classic session, unless there may be others than this one.

    Before the first Python data source of a JVM is registered, Spark starts a Python process that imports every package
    whose name begins with ``pyspark_``, which takes a second.  If workers are on this machine and run this very Python,
    they have the packages that can be imported here.

    Spark's own record of what it has found is set, unless it has looked already.  A release of Spark that keeps it
    elsewhere does the lookup.
    """
    others = (name for _, name, _ in iter_modules() if name.startswith(_PREFIX) and name != shipping.PACKAGE)
    if not _have_workers_this_python(spark) or any(others):
        return
    from py4j.protocol import Py4JError  # which a session over Spark Connect need not have

    try:
        found = getattr(getattr(spark._jvm, f"{_MANAGER}$"), "MODULE$")
        if found.dataSourceBuilders().isEmpty():
            none = spark._jvm.org.apache.spark.api.python.PythonUtils.toScalaMap({})
            getattr(found, "dataSourceBuilders_$eq")(spark._jvm.scala.Some(none))
    except (Py4JError, TypeError):
        return


def _have_workers_this_python(spark: SparkSession) -> bool:
    context = spark.sparkContext
    if context.getConf().get(SAME_PACKAGES, "false") == "true":
        return True
    if re.fullmatch(r"local(\[[\w*, ]*\])?", context.master) is None:
        return False
    theirs = shutil.which(context.pythonExec)
    return theirs is not None and _is_this_python(theirs)


def _is_this_python(path: str) -> bool:
    """Whether a program is this process's Python with its packages.

    ``python3`` may be ``python``; but in another directory even a link to the same one may have other packages.
    """
    theirs, ours = Path(path), Path(sys.executable)
    return theirs.parent == ours.parent and theirs.samefile(ours)
