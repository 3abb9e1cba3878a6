"""A lesson's own place: working directory, schema, datasets, data factory.

``DA`` in a notebook is a :class:`Lesson`.  Starting a lesson starts it over, in any state it was left in, and
nothing of it collides with another lesson, another kernel or another user.
"""

from __future__ import annotations

import getpass
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from streaming_classroom import datasets, environment, filesystem, history, places, waiting
from streaming_classroom.data_factory import DataFactory, Directory, Table, landing
from streaming_classroom.errors import LessonBusy, NotHere
from streaming_classroom.session import get_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

_NO_SETTINGS = (
    "This compute takes no settings of a notebook's own, so ${da.paths...} stands for nothing in %sql cells here. "
    "Use DA.paths in Python in their place; everything else of the lesson is the same."
)
_current: Lesson | None = None


class Paths:
    """The lesson's paths by name; each is also the Spark setting ``da.paths.<name>``.

    So ``DA.paths.working_dir`` in Python is ``${da.paths.working_dir}`` in SQL.  A new attribute makes a new
    path the same way.
    """

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

    def exists(self, path: str) -> bool:
        """Return whether there is a file or directory at ``path``."""
        return filesystem.local_path(path).exists()


class Lesson:
    """What a lesson calls ``DA``: its names, its paths, its data factory.

    Attributes
    ----------
    lesson, username, schema_name, catalog_name : str
        Names; the schema is the lesson's own and is the current one.
    paths : Paths
        ``working_dir``, ``checkpoints``, ``datasets``, ``user_db``, ``landing``, and what a lesson adds.
    data_factory : DataFactory
        Lands the lesson's data; only where the lesson has a dataset.
    """

    def __init__(
        self, spark: SparkSession, name: str, dataset: str | Sequence[str] | None, into_table: str | None
    ) -> None:
        self._spark = spark
        # Not a thread's own: the instructor's panel starts over in another thread than the set-up cell's.
        self._lock = FileLock(places.home() / "locks" / f"{_slug(name)}.lock", thread_local=False)
        self.lesson = name
        self.username = username()
        self.schema_name = f"{_slug(self.username)}_{_slug(name)}"
        self.catalog_name = spark.catalog.currentCatalog()
        working_dir = f"{base_path()}/{_slug(name)}"
        self.paths = Paths(
            spark,
            working_dir=working_dir,
            checkpoints=f"{working_dir}/checkpoints",
            landing=f"{working_dir}/landing",
            user_db=f"{working_dir}/database",
            datasets=filesystem.spark_path(datasets.REGISTERED),
        )
        self._arguments = {"dataset": dataset, "into_table": into_table}
        if dataset:
            self.data_factory = self._make_factory(dataset, into_table)

    def __getattr__(self, name: str):
        if name == "data_factory":
            raise NotHere(f"Lesson {self.lesson} has no dataset of its own.", "Pass dataset=... to start_lesson.")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def block_until_stream_is_ready(
        self, query_or_name: StreamingQuery | str, min_batches: int = 2, timeout: float = 120
    ) -> None:
        """Return when a stream is ready; see :func:`streaming_classroom.waiting.block_until_stream_is_ready`."""
        waiting.block_until_stream_is_ready(self._spark, query_or_name, min_batches, timeout)

    @property
    def is_open(self) -> bool:
        """Whether this kernel has the lesson's place: it was started, and not cleaned up since."""
        return _current is self and self._lock.is_locked

    def controls(self) -> None:
        """Show the instructor's panel: land data, start over, stop streams; without a person only say so."""
        from streaming_classroom.live.controls import show_controls

        show_controls(lambda: _current or self)

    def cleanup(self) -> None:
        """Stop the lesson's streams, drop its schema, remove its working directory; safe to call twice."""
        self._take_lock()  # another kernel may have opened the lesson since, and its files are not ours to remove
        with landing:
            self._clear()
        self._lock.release(force=True)
        print(f"Lesson {self.lesson} is cleaned up.")

    def _open(self, resume: bool) -> None:
        """Take the lesson's place and make it ready: empty, or as the last kernel left it."""
        with landing:
            self._make_ready(resume)

    def _make_ready(self, resume: bool) -> None:
        self._take_lock()
        if resume:
            waiting.stop_streams(self._spark.streams.active)
        else:
            self._clear()
        for path in (self.paths.working_dir, self.paths.landing):
            filesystem.local_path(path).mkdir(parents=True, exist_ok=True)
        location = _quoted(self.paths.user_db)
        self._spark.sql(f"CREATE SCHEMA IF NOT EXISTS {self.schema_name} LOCATION {location}")
        self._spark.catalog.setCurrentDatabase(self.schema_name)
        if resume:
            self._restore_tables()

    def _clear(self) -> None:
        waiting.stop_streams(self._spark.streams.active)
        self._spark.catalog.setCurrentDatabase("default")
        self._spark.sql(f"DROP SCHEMA IF EXISTS {self.schema_name} CASCADE")
        for view in (table.name for table in self._spark.catalog.listTables() if table.isTemporary):
            self._spark.catalog.dropTempView(view)
        _remove_tree(self.paths.working_dir)

    def _take_lock(self) -> None:
        """Keep two live kernels out of one working directory; a dead kernel's lock is free."""
        Path(self._lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire(timeout=2)  # a kernel that is being restarted needs a moment to die
        except Timeout:
            raise LessonBusy(self.lesson, self.paths.working_dir) from None

    def _restore_tables(self) -> None:
        """Make the tables known again: the catalog of an open-source session lives as long as its kernel."""
        database = filesystem.local_path(self.paths.user_db)
        for table in sorted(path.name for path in database.glob("*") if (path / "_delta_log").is_dir()):
            location = _quoted(f"{self.paths.user_db}/{table}")
            self._spark.sql(f"CREATE TABLE IF NOT EXISTS `{table}` USING delta LOCATION {location}")

    def _make_factory(self, dataset: str | Sequence[str], into_table: str | None) -> DataFactory:
        parts = [dataset] if isinstance(dataset, str) else dataset
        batches = datasets.batches(*parts)
        position = filesystem.local_path(self.paths.working_dir) / ".data-factory.json"
        if into_table:
            if len(parts) > 1:
                raise NotHere("Several datasets do not land in one table.", "Leave into_table out: they land as files.")
            target = Table(self._spark, into_table, datasets.schema(parts[0]), self._source(parts[0]), self.schema_name)
        else:
            target = Directory(filesystem.local_path(self.paths.landing), "DA.paths.landing")
        return DataFactory(batches, target, position, self._spark)

    def _source(self, part: str) -> str:
        """Return the registered directory with a part's batches; a part that is one file lies beside the others."""
        path = f"{self.paths.datasets}/{part}"
        return path if filesystem.local_path(path).is_dir() else path.rpartition("/")[0]


def start_lesson(
    name: str, *, dataset: str | Sequence[str] | None = None, into_table: str | None = None, resume: bool = False
) -> Lesson:
    """Start a lesson: a fresh working directory, a fresh schema, the datasets registered.

    Parameters
    ----------
    name : str
        Any name, such as ``"03-triggers"``.
    dataset : str or sequence of str, optional
        What ``DA.data_factory`` lands, such as ``"device-readings/readings"``. Of several, a batch of each lands
        together, each in a folder of its own: ``["retail/orders", "retail/clickstream"]``.
    into_table : str, optional
        A Delta table for a single dataset to land in; by default it lands as files in ``DA.paths.landing``.
    resume : bool
        Go on where a restarted kernel was, with the tables, files and data factory as they were left, instead
        of starting over.

    Returns
    -------
    Lesson
        By convention named ``DA``.

    Raises
    ------
    LessonBusy
        Another live kernel has this lesson open.
    UnknownDataset
        There is no dataset of that name.
    NotHere
        Several datasets were to land in one table.
    """
    global _current
    spark = get_spark()
    history.watch(spark)
    datasets.register()
    lesson = Lesson(spark, name, dataset, into_table)
    if _current is not None:
        _current._lock.release(force=True)
    _current = lesson
    _current._open(resume)
    if not lesson.paths._are_settings:
        print(_NO_SETTINGS)
    return _current


def cleanup() -> None:
    """Clean up the lesson that this kernel has open, if there is one."""
    if _current is not None:
        _current.cleanup()


def username() -> str:
    """Return the user's name: the platform's, else ``CLASSROOM_USER``, else a fixed one on one machine.

    A home of one's own needs no name of one's own, and a fixed one keeps machines out of saved outputs.
    """
    if environment.is_databricks():
        return get_spark().sql("SELECT current_user()").first()[0]
    return os.environ.get("CLASSROOM_USER") or ("learner" if environment.is_one_machine() else getpass.getuser())


def userhome() -> str:
    """Return the directory that is the user's own, in Spark's spelling."""
    return filesystem.spark_path(f"dbfs:/user/{username()}")


def base_path() -> str:
    """Return the directory below which lessons have theirs."""
    return f"{userhome()}/streaming-classroom"


def _slug(text: str) -> str:
    """Return ``text`` as a name that SQL, file systems and URLs take without quotes."""
    return re.sub(r"\W+", "_", text.lower(), flags=re.ASCII).strip("_")


def _quoted(path: str) -> str:
    """Return ``path`` as a SQL string; a user's name may have an apostrophe."""
    return "'" + path.replace("'", "\\'") + "'"


def _remove_tree(path: str) -> None:
    """Remove a directory; a stream that has just stopped may still be putting a last file into it."""
    local = filesystem.local_path(path)
    for _attempt in range(5):
        shutil.rmtree(local, ignore_errors=True)
        if not local.exists():
            return
    shutil.rmtree(local)


__all__ = ["Lesson", "Paths", "cleanup", "start_lesson", "userhome", "username"]
