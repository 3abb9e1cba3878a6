"""Where a lesson keeps its files and tables: below ``dbfs:/``, or in a volume and a schema of a catalog.

Unity Catalog has no ``dbfs:/`` of a learner's own.  There a lesson has a schema in the current catalog, or in the one
that ``CLASSROOM_CATALOG`` names, and one volume in that schema; both go when the lesson is started over.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from streaming_base.errors import short_message
from streaming_classroom.data import datasets
from streaming_classroom.errors import NotAvailable
from streaming_classroom.files.directories import Paths, classroom_files
from streaming_classroom.session import user_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from streaming_classroom.session.user_files import LessonDirectory

CATALOG = "CLASSROOM_CATALOG"
_OF_THE_SESSION = ("spark_catalog", "hive_metastore")  # without volumes


class Storage(Protocol):
    """The files and tables of one lesson."""

    @property
    def catalog_name(self) -> str:
        """The catalog of the lesson's schema."""

    @property
    def datasets(self) -> str:
        """The directory of the course's datasets, in Spark's spelling."""

    def open(self, paths: Paths) -> None:
        """Create what is missing of the directories and the schema, and make the schema the current one."""

    def clear(self, paths: Paths) -> None:
        """Remove the schema and the directories with all that is in them."""

    def tables(self, paths: Paths) -> list[str]:
        """Return the names of the lesson's tables."""

    def table_path(self, paths: Paths, table: str) -> Path | None:
        """Return where Python finds the files of a table; None where they are the catalog's own affair."""


def storage_of(spark: SparkSession, directory: LessonDirectory) -> tuple[LessonDirectory, Storage]:
    """Return the lesson's place and storage: a volume where the session's catalog has them, else ``dbfs:/``."""
    catalog = volume_catalog(spark)
    if catalog is None:
        return directory, DirectoryStorage(spark, directory)
    directory = directory.in_volume(catalog)
    return directory, VolumeStorage(spark, directory)


def volume_catalog(spark: SparkSession) -> str | None:
    """Return the catalog whose volumes lessons use; None where their files are below ``dbfs:/``."""
    asked = os.environ.get(CATALOG)
    if asked:
        return asked
    current = spark.catalog.currentCatalog()
    return None if current in _OF_THE_SESSION else current


class DirectoryStorage:
    """A directory below ``dbfs:/``, with the schema's tables in it."""

    def __init__(self, spark: SparkSession, directory: LessonDirectory) -> None:
        self._spark, self._schema = spark, directory.schema
        self.catalog_name = spark.catalog.currentCatalog()
        self.datasets = classroom_files().spark_path(datasets.REGISTERED)

    def open(self, paths: Paths) -> None:
        """Create what is missing, and register the tables: an open-source catalog lives as long as its kernel."""
        datasets.register()
        for path in (paths.working_dir, paths.landing):
            paths.local(path).mkdir(parents=True, exist_ok=True)
        self._spark.sql(f"CREATE SCHEMA IF NOT EXISTS {self._schema} LOCATION {_quoted(paths.user_db)}")
        self._spark.catalog.setCurrentDatabase(self._schema)
        for table in self.tables(paths):
            location = _quoted(f"{paths.user_db}/{table}")
            self._spark.sql(f"CREATE TABLE IF NOT EXISTS `{table}` USING delta LOCATION {location}")

    def clear(self, paths: Paths) -> None:
        """Drop the schema and remove the directory."""
        self._spark.catalog.setCurrentDatabase("default")
        self._spark.sql(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE")
        user_files.remove_tree(paths.working_dir)

    def tables(self, paths: Paths) -> list[str]:
        """Return the tables of the schema's directory, whether or not this kernel's catalog knows them."""
        database = paths.local(paths.user_db)
        return sorted(path.name for path in database.glob("*") if (path / "_delta_log").is_dir())

    def table_path(self, paths: Paths, table: str) -> Path:
        """Return where Spark puts a table of the lesson's schema."""
        return paths.local(paths.user_db) / table.lower()


class VolumeStorage:
    """A schema of a catalog, with one volume in it."""

    def __init__(self, spark: SparkSession, directory: LessonDirectory) -> None:
        self._spark = spark
        self.catalog_name = str(directory.catalog)
        self._schema = f"`{self.catalog_name}`.`{directory.schema}`"
        self._name = directory.schema
        self._volume = f"{self._schema}.{user_files.VOLUME}"
        self.datasets = f"{directory.working_dir}/datasets"

    def open(self, paths: Paths) -> None:
        """Create schema and volume.

        Raises
        ------
        NotAvailable
            The user may not: with what to ask for.
        """
        from pyspark.errors import PySparkException

        try:
            self._spark.sql(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            self._spark.sql(f"CREATE VOLUME IF NOT EXISTS {self._volume}")
        except PySparkException as error:
            raise NotAvailable(
                f"This lesson needs a schema and a volume in the catalog {self.catalog_name}, and could not create "
                f"them: {short_message(error).splitlines()[0]}",
                f"Ask for USE CATALOG and CREATE SCHEMA on it, or set {CATALOG} to a catalog of your own.",
            ) from error
        self._spark.catalog.setCurrentCatalog(self.catalog_name)
        self._spark.catalog.setCurrentDatabase(self._name)
        datasets.copy_to(self.datasets)
        paths.local(paths.landing).mkdir(parents=True, exist_ok=True)

    def clear(self, paths: Paths) -> None:
        """Drop volume and schema.

        Raises
        ------
        NotAvailable
            The schema has tables and no volume of a lesson: somebody else made it, and nothing is dropped.
        """
        from pyspark.errors import PySparkException

        with suppress(PySparkException):  # not every catalog has it, and the next lesson sets its own
            self._spark.catalog.setCurrentDatabase("default")
        try:
            volumes = {row["volume_name"] for row in self._spark.sql(f"SHOW VOLUMES IN {self._schema}").collect()}
        except PySparkException:  # the schema does not exist yet
            return
        if user_files.VOLUME in volumes:
            self._spark.sql(f"DROP VOLUME {self._volume}")
            self._spark.sql(f"DROP SCHEMA {self._schema} CASCADE")
        elif volumes or self.tables(paths):
            raise NotAvailable(
                f"The schema {self._schema} has no volume {user_files.VOLUME}, so it is not a lesson's, and nothing of "
                "it was dropped.",
                f"Set {CATALOG} to another catalog, or drop the schema yourself.",
            )

    def tables(self, paths: Paths) -> list[str]:
        """Return the tables of the schema."""
        from pyspark.errors import PySparkException

        try:
            rows = self._spark.sql(f"SHOW TABLES IN {self._schema}").collect()
        except PySparkException:  # the schema does not exist yet
            return []
        return sorted(row["tableName"] for row in rows if not row["isTemporary"])

    def table_path(self, paths: Paths, table: str) -> None:
        """Return nothing: where a managed table's files are is the catalog's own affair."""
        return


def _quoted(path: str) -> str:
    """Return ``path`` as a SQL string; a user's name may have an apostrophe."""
    return "'" + path.replace("'", "\\'") + "'"
