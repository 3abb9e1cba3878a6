"""A lesson's paths by name, for Python and, as settings of Spark's session, for SQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Paths:
    """The lesson's paths by name; each is also the Spark setting ``da.paths.<name>``.

    So ``DA.paths.working_dir`` in Python is ``${da.paths.working_dir}`` in SQL.  A new attribute makes a new
    path the same way.
    """

    working_dir: str
    checkpoints: str
    landing: str
    user_db: str
    datasets: str
    _spark: SparkSession
    _are_settings: bool

    def __init__(self, spark: SparkSession, **paths: str) -> None:
        object.__setattr__(self, "_spark", spark)
        object.__setattr__(self, "_are_settings", True)
        for name, path in paths.items():
            setattr(self, name, path)

    def __setattr__(self, name: str, path: str) -> None:
        from pyspark.errors import PySparkException

        object.__setattr__(self, name, path)
        try:
            self._spark.conf.set(f"da.paths.{name}", path)
        except PySparkException:
            # Serverless compute takes no settings of one's own; Python still has the path.
            object.__setattr__(self, "_are_settings", False)

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
        """Return whether there is a file or directory at ``path``."""
        return self.local(path).exists()
