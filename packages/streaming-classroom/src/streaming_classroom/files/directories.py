"""The course's directories on disk: project, home, cache, notebooks.

Four roots, and nothing is ever written outside them: the *project* (this checkout), the *cache* (what set-up
fetched or made once; deleting it costs time, never work), the *home* (what lessons create; `reset` empties it) and
the *workspace* (the learner's own copies of the lessons, which nothing of ours removes).  The environment variables
``CLASSROOM_CACHE``, ``CLASSROOM_HOME`` and ``CLASSROOM_WORK`` move the last three.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_dialect.files.filesystem import FileSystem
from streaming_base import front_end
from streaming_classroom import environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Paths:
    """The lesson's paths by name; each is also the Spark setting ``da.paths.<name>``.

    So ``DA.paths.working_dir`` in Python is ``${da.paths.working_dir}`` in SQL.  A new attribute makes a new
    path the same way.  Where Spark refuses the setting, a widget of that name has the path, and ``%sql`` finds it.
    """

    working_dir: str
    checkpoints: str
    landing: str
    user_db: str
    datasets: str
    _spark: SparkSession

    def __init__(self, spark: SparkSession, **paths: str) -> None:
        object.__setattr__(self, "_spark", spark)
        for name, path in paths.items():
            setattr(self, name, path)

    def __setattr__(self, name: str, path: str) -> None:
        from pyspark.errors import PySparkException

        object.__setattr__(self, name, path)
        try:
            self._spark.conf.set(f"da.paths.{name}", path)
        except PySparkException:
            _set_widget(f"da.paths.{name}", path)  # serverless compute accepts no settings of a notebook's own

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(sorted((name, path) for name, path in vars(self).items() if not name.startswith("_")))

    def __repr__(self) -> str:
        return "\n".join(f"{name:<12} {path}" for name, path in self)

    def print(self) -> None:
        """Print each path with its name."""
        print(self)

    def local(self, path: str) -> Path:
        """Return where Python finds the file or directory that Spark calls ``path``."""
        return classroom_files().local_path(path)

    def exists(self, path: str) -> bool:
        """Whether a file or directory exists at ``path``."""
        return self.local(path).exists()


def _set_widget(name: str, value: str) -> None:
    shell = front_end.ipython()
    if shell is not None and (dbutils := shell.user_ns.get("dbutils")) is not None:
        dbutils.widgets.text(name, value)


PROJECT = Path(__file__).resolve().parents[5]


def cache() -> Path:
    """Return the directory of downloaded and generated files: jars, archive, datasets, Java."""
    return Path(os.environ.get("CLASSROOM_CACHE") or PROJECT / ".cache").absolute()


def home() -> Path:
    """Return the directory of what lessons create: file-system root, logs, runs."""
    return Path(os.environ.get("CLASSROOM_HOME") or PROJECT / ".classroom").absolute()


def logs() -> Path:
    """Directory of Spark's logs, one file a kernel."""
    return home() / "logs"


def notebooks() -> Path:
    """Return the directory of the committed lessons."""
    return PROJECT / "notebooks"


def work() -> Path:
    """Directory of the learner's own copies of the lessons."""
    return Path(os.environ.get("CLASSROOM_WORK") or PROJECT / "work").absolute()


def classroom_files() -> FileSystem:
    """Return the file system behind ``dbfs:/``, for the current environment."""
    return FileSystem(home() / "dbfs", home(), environment.spark_place())
