"""Registration of the data source and the table function with a session.

Both are sent as classes that bring this package along, because a worker may not have it.  What Spark does besides at
the first registration is spared where this process can tell what would come of it.
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
from pyspark_cloudfiles.session.session_options import setting_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# For who starts workers by a program of his own: whether they have this process's packages.
SAME_PACKAGES = "spark.cloudFiles.workersHavePackagesOfDriver"
_MARK = "_cloudfiles_registered"
_MANAGER = "org.apache.spark.sql.execution.datasources.DataSourceManager"
_PYTHON = "org.apache.spark.api.python.PythonUtils"
_PREFIX = "pyspark_"
_NEEDED = "import pyarrow, msgspec, numpy"
# Flows of a pipeline load in threads.  Spark checks for a source of the name before it registers one, so of
# two at a time the one may find the other's, and is refused.
_ONE_AT_A_TIME = Lock()


def register(spark: SparkSession) -> None:
    """Register the source, once a session."""
    with _ONE_AT_A_TIME:
        if not hasattr(spark, f"{_MARK}_source"):
            if hasattr(spark, "_jvm"):
                _refuse_other_python(spark)
            spark.dataSource.register(_travelling_source())
            setattr(spark, f"{_MARK}_source", True)


def register_functions(spark: SparkSession) -> None:
    """Register the table functions of SQL, once a session."""
    with _ONE_AT_A_TIME:
        if not hasattr(spark, f"{_MARK}_functions"):
            spark.udtf.register("cloud_files_state", _state_function(setting_of(spark, "mounts")))
            setattr(spark, f"{_MARK}_functions", True)


def _refuse_other_python(spark: SparkSession) -> None:
    """Refuse a session on this machine whose Python lacks what the source needs; its JVM cannot be given another."""
    context = spark.sparkContext
    if context.getConf().get(SAME_PACKAGES, "false") != "true" and context.master.startswith("local"):
        refuse_python_without_packages(getattr(getattr(spark._jvm, f"{_PYTHON}$"), "MODULE$").defaultPythonExec())


def refuse_python_without_packages(python: str) -> None:
    """Refuse a Python, by its command, that Spark starts for the source and that cannot run it.

    Raises
    ------
    PythonWithoutPackages
    """
    found = shutil.which(python)
    if found is not None and _is_this_python(found):
        return
    if found is None or subprocess.run([found, "-c", _NEEDED], capture_output=True, timeout=60).returncode:
        raise PythonWithoutPackages(
            f"Spark starts {found or python} to read the files, and it does not have the packages that cloudFiles "
            "needs (pyarrow, msgspec, numpy). Set the environment variable PYSPARK_PYTHON to "
            f"{sys.executable} before the session starts, or activate this Python's environment."
        )


def _travelling_source() -> type:
    from pyspark.sql.datasource import DataSource

    make_importable, origin = shipping.loader()

    class CloudFiles(DataSource):
        def __new__(cls, options: Any) -> Any:
            make_importable(*origin)
            # On a worker, after the package has been brought there.
            from pyspark_cloudfiles.source.data_source import CloudFilesDataSource

            return CloudFilesDataSource(options)

        @classmethod
        def name(cls) -> str:
            return "cloudFiles"

    return CloudFiles


def _state_function(mounts: str | None) -> Any:
    from pyspark.sql.functions import udtf

    # Not before Spark's own functions, whose import takes longest.
    from pyspark_cloudfiles.log.file_state import COLUMNS

    make_importable, origin = shipping.loader()

    class CloudFilesState:
        def eval(self, checkpoint: str) -> Iterator[tuple]:
            make_importable(*origin)
            # On a worker, after the package has been brought there.
            from pyspark_cloudfiles.filesystems.urls import iterated
            from pyspark_cloudfiles.log.file_state import file_states

            yield from map(tuple, iterated(mounts, file_states(checkpoint)))

    return udtf(CloudFilesState, returnType=COLUMNS)


def spare_lookup(spark: SparkSession) -> None:
    """Let the JVM of a classic session not look for packages of sources, unless there may be others than this one.

    Before the first Python data source of a JVM is registered, Spark starts a Python process that imports every package
    whose name begins with ``pyspark_``, which takes a second.  Where workers are this machine's own and run this very
    Python, its packages are those that can be imported here.

    It is Spark's own note of what it has found, which is left alone where it has looked already.  A release of Spark
    that keeps it elsewhere looks as before.
    """
    if not _workers_are_like_this_process(spark) or _others():
        return
    from py4j.protocol import Py4JError  # which a session over Spark Connect need not have

    try:
        found = getattr(getattr(spark._jvm, f"{_MANAGER}$"), "MODULE$")
        if found.dataSourceBuilders().isEmpty():
            none = spark._jvm.org.apache.spark.api.python.PythonUtils.toScalaMap({})
            getattr(found, "dataSourceBuilders_$eq")(spark._jvm.scala.Some(none))
    except (Py4JError, TypeError):
        return


def _workers_are_like_this_process(spark: SparkSession) -> bool:
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


def _others() -> list[str]:
    """Return the packages besides this one that Spark would import."""
    names = (module.name for module in iter_modules())
    return [name for name in names if name.startswith(_PREFIX) and name != shipping.PACKAGE]
