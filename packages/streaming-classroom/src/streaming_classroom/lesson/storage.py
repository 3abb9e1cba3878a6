"""The user's directories, each lesson's directory and lock, and where a lesson keeps its files and tables.

The lock keeps a second kernel from running a lesson or cleaning it up.  Names that differ are places that differ,
whatever letters they are written in.

Files and tables are below ``dbfs:/``, or in a volume and a schema of a catalog: Unity Catalog has no ``dbfs:/`` of a
learner's own.  There a lesson has a schema in the current catalog, or in the one that ``CLASSROOM_CATALOG`` names,
and one volume in that schema; both go when the lesson is started over.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import shutil
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from filelock import FileLock, Timeout

from streaming_base.errors import short_message
from streaming_classroom import environment
from streaming_classroom.data import datasets
from streaming_classroom.errors import LessonBusy, NotAvailable
from streaming_classroom.files import directories
from streaming_classroom.files.directories import Paths, classroom_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LONGEST = 40  # characters of a name that are kept: a file's name may have 255 bytes, and a schema's has the user's too
VOLUME = "lesson"  # the volume of a lesson's schema, which has its files
_OWNER_TIMEOUT = 2.0  # seconds; a kernel that is being restarted needs a moment to die

_made: set[str] = set()  # what this kernel may remove again
CATALOG = "CLASSROOM_CATALOG"
_OF_THE_SESSION = ("spark_catalog", "hive_metastore")  # without volumes


def username() -> str:
    """Return the user's name: the platform's, else ``CLASSROOM_USER``, else a fixed one on one machine.

    A private home needs no private name, and a fixed one keeps user names out of saved outputs.
    """
    if environment.is_databricks():
        # A session costs seconds, and only the platform is asked.
        from streaming_classroom.session.spark_session import get_spark

        return get_spark().sql("SELECT current_user()").first()[0]
    return os.environ.get("CLASSROOM_USER") or ("learner" if environment.is_one_machine() else getpass.getuser())


def userhome() -> str:
    """Return the directory that is the user's own, in Spark's spelling."""
    return classroom_files().spark_path(f"dbfs:/user/{username()}")


def base_path() -> str:
    """Return the directory of the lessons' directories."""
    return f"{userhome()}/streaming-classroom"


def make_working_dir() -> str:
    """Return the directory of notebooks without a lesson of their own, created if necessary."""
    path = _working_dir()
    directories.claim(directories.home())
    classroom_files().local_path(path).mkdir(parents=True, exist_ok=True)
    _made.add(path)
    return path


def has_working_dir() -> bool:
    """Whether this kernel has asked for the directory of notebooks without a lesson, and not removed it since."""
    return _working_dir() in _made


def remove_working_dir() -> str:
    """Remove the directory of notebooks without a lesson, and return its path."""
    path = _working_dir()
    remove_tree(path)
    _made.discard(path)
    return path


def remove_tree(path: str) -> None:
    """Remove a directory; a stream that has just stopped may still be writing a last file."""
    local = classroom_files().local_path(path)
    for _attempt in range(5):
        shutil.rmtree(local, ignore_errors=True)
        if not local.exists():
            return
    shutil.rmtree(local)


def _working_dir() -> str:
    return f"{base_path()}/working_dir"


def identifier(text: str) -> str:
    """Return a text as a name that SQL, file systems and URLs take without quotes; NotAvailable for an empty one.

    Different texts give different names: a digest is added where letters were lost.
    """
    text = unicodedata.normalize("NFC", text)
    if not text.strip():
        raise NotAvailable("A lesson needs a name.", 'Pass one to start_lesson, such as "03-triggers".')
    plain = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text) and len(text) <= _LONGEST:
        return plain
    return "_".join(filter(None, (plain[:_LONGEST].strip("_"), hashlib.sha256(text.encode()).hexdigest()[:8])))


@dataclass(frozen=True)
class LessonDirectory:
    """A lesson's name, schema and directory, and the lock that a kernel holds while it has the lesson open.

    ``catalog``: the catalog of the schema where the directory is a volume of that schema; None for a directory of
    ``dbfs:/``.
    """

    lesson: str
    schema: str
    working_dir: str
    lock: FileLock
    catalog: str | None = None

    def in_volume(self, catalog: str) -> LessonDirectory:
        """Return the lesson's place in a catalog: the schema, and a volume of it as the directory."""
        return replace(self, catalog=catalog, working_dir=f"/Volumes/{catalog}/{self.schema}/{VOLUME}")

    def take(self) -> None:
        """Lock the working directory; LessonBusy if another live kernel holds the lock."""
        directories.claim(directories.home())
        Path(self.lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        try:
            self.lock.acquire(timeout=_OWNER_TIMEOUT)
        except Timeout:
            raise LessonBusy(self.lesson, self.working_dir) from None

    def leave(self) -> None:
        """Release the lock."""
        self.lock.release(force=True)


def lesson_directory(lesson: str, present: LessonDirectory | None = None) -> LessonDirectory:
    """Return the place of a lesson; where this kernel has it at present, with the lock that it holds."""
    name = identifier(lesson)
    file = directories.home() / "locks" / f"{name}.lock"
    is_present = present is not None and Path(present.lock.lock_file) == file
    return LessonDirectory(
        lesson,
        f"{identifier(username())}_{name}",
        f"{base_path()}/{name}",
        # Not a thread's own: the instructor's panel starts over in another thread than the set-up cell's.
        present.lock if is_present else FileLock(file, thread_local=False),
    )


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
        remove_tree(paths.working_dir)

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
        self._volume = f"{self._schema}.{VOLUME}"
        self.datasets = f"{directory.working_dir}/datasets"

    def open(self, paths: Paths) -> None:
        """Create schema and volume.

        Raises NotAvailable: the user may not: with what to ask for.
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

        Raises NotAvailable: the schema has tables and no volume of a lesson: somebody else made it, and nothing is
        dropped.
        """
        from pyspark.errors import PySparkException

        with suppress(PySparkException):  # not every catalog has it, and the next lesson sets its own
            self._spark.catalog.setCurrentDatabase("default")
        try:
            volumes = {row["volume_name"] for row in self._spark.sql(f"SHOW VOLUMES IN {self._schema}").collect()}
        except PySparkException:  # the schema does not exist yet
            return
        if VOLUME in volumes:
            self._spark.sql(f"DROP VOLUME {self._volume}")
            self._spark.sql(f"DROP SCHEMA {self._schema} CASCADE")
        elif volumes or self.tables(paths):
            raise NotAvailable(
                f"The schema {self._schema} has no volume {VOLUME}, so it is not a lesson's, and nothing of "
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
