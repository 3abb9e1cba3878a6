"""``DA``: a lesson's working directory, schema, datasets, data factory and exercises.

``DA`` in a notebook is a :class:`Lesson`.  Starting a lesson starts it over, in any state it was left in, and
nothing of it collides with another lesson, another kernel or another user.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from streaming_base import listener, waiting
from streaming_base.stopped_session import refuse_stopped
from streaming_classroom.data import datasets
from streaming_classroom.data.data_factory import DataFactory, DirectoryTarget, TableTarget, Target, landing
from streaming_classroom.errors import NotAvailable
from streaming_classroom.exercises import last_cell
from streaming_classroom.files import directories
from streaming_classroom.files.directories import Paths, classroom_files
from streaming_classroom.kafka import servers, topics
from streaming_classroom.kafka.topics import LessonKafka, Topic
from streaming_classroom.lesson import page
from streaming_classroom.lesson.crash_points import remove_last_commit
from streaming_classroom.lesson.storage import (
    LessonDirectory,
    Storage,
    base_path,
    lesson_directory,
    storage_of,
    username,
)
from streaming_classroom.session import repeated_starts
from streaming_classroom.session.spark_session import get_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from streaming_classroom.exercises.grader import Grader
    from streaming_classroom.exercises.verdict import Guidance, Verdict

_current: Lesson | None = None


class Lesson:
    """What a lesson calls ``DA``: its names, its paths, its data factory.

    Attributes
    ----------
    lesson, username, schema_name, catalog_name : str
        Names; the schema is the lesson's own and is the current one.
    paths : Paths
        ``working_dir``, ``checkpoints``, ``datasets``, ``user_db``, ``landing``, and what a lesson adds.
    kafka : LessonKafka
        The broker, which is started when it is first asked for, and the lesson's own topics there.
    data_factory : DataFactory
        Lands the lesson's data; only where the lesson has a dataset.
    """

    def __init__(
        self,
        spark: SparkSession,
        directory: LessonDirectory,
        storage: Storage,
        dataset: str | Sequence[str] | None,
        into_table: str | None,
        into_topic: str | None = None,
    ) -> None:
        self._spark = spark
        self._directory = directory
        self._storage = storage
        self._arguments: Mapping[str, Any] = {"dataset": dataset, "into_table": into_table, "into_topic": into_topic}
        parts = [dataset] if isinstance(dataset, str) else list(dataset or ())
        if (into_table or into_topic) and len(parts) > 1:
            raise NotAvailable(
                "Several datasets do not land in one table or topic.",
                "Leave into_table and into_topic out: they land as files.",
            )
        batches = datasets.batches(*parts)  # before the paths, which are settings that the session keeps
        self.lesson = directory.lesson
        self.username = username()
        self.schema_name = directory.schema
        self.catalog_name = storage.catalog_name
        self.paths = Paths(
            spark,
            working_dir=directory.working_dir,
            checkpoints=f"{directory.working_dir}/checkpoints",
            landing=f"{directory.working_dir}/landing",
            user_db=f"{directory.working_dir}/database",
            datasets=storage.datasets,
        )
        self.kafka = LessonKafka(
            topics.prefix(directory.schema), directories.home() / "kafka" / "used" / directory.schema
        )
        if parts:
            working_dir = classroom_files().local_path(directory.working_dir)
            target: Target
            if into_table:
                target = self._table_target(into_table, *parts)
            elif into_topic:
                target = Topic(self.kafka, into_topic, working_dir / ".feed.json")
            else:
                target = DirectoryTarget(classroom_files().local_path(self.paths.landing), "DA.paths.landing")
            self.data_factory = DataFactory(batches, target, working_dir / ".data-factory.json", spark)

    def __getattr__(self, name: str) -> NoReturn:
        if name == "data_factory":
            raise NotAvailable(f"Lesson {self.lesson} has no dataset of its own.", "Pass dataset=... to start_lesson.")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def block_until_stream_is_ready(
        self, query_or_name: StreamingQuery | str, min_batches: int = 2, timeout: float = 120
    ) -> None:
        """Return when a stream is ready; see :func:`streaming_base.waiting.block_until_stream_is_ready`."""
        refuse_stopped(self._spark)
        query_or_name = waiting.find_stream(self._spark, query_or_name)
        repeated_starts.run_again(query_or_name)
        waiting.block_until_stream_is_ready(self._spark, query_or_name, min_batches, timeout)

    @property
    def streams_keep_running(self) -> bool:
        """Whether this compute accepts triggers that do not end; else streams run again after each landing."""
        return not repeated_starts.is_needed()

    @property
    def is_open(self) -> bool:
        """Whether this kernel has the lesson's directory: it was started, and not cleaned up since."""
        return _current is self and self._directory.lock.is_locked

    def controls(self) -> None:
        """Show the instructor's panel: land data, start over, stop streams; without a person only print a line."""
        from streaming_classroom.lesson.controls import show_controls  # widgets take a second to import

        show_controls(lambda: _current or self)

    def present(self, on: bool = True) -> None:
        """Lay the page out for a projector, or with False end that; without a person only print a line."""
        page.present(on)

    def crash_before_commit(self, checkpoint: str) -> int:
        """Put the checkpoint of a query that has ended into the state that a crash of its last batch leaves.

        The batch is in the sink, and its entry in the commit log is missing, so the next start runs it again.

        Parameters
        ----------
        checkpoint : str
            The directory, such as ``f"{DA.paths.checkpoints}/copy"``.

        Returns
        -------
        int
            The number of that batch.

        Raises
        ------
        NotAvailable
            The directory has no commit: no query has ended a batch with this checkpoint.
        """
        batch = remove_last_commit(classroom_files().local_path(checkpoint))
        if batch is None:
            raise NotAvailable(f"{checkpoint} has no commit to remove.", "Run a query with this checkpoint first.")
        return batch

    def exercise(self, name: str) -> None:
        """Remove what an earlier try of an exercise has made, so that its cell can be run again."""
        self._grader.begin(name)

    def check(self, name: str) -> Verdict:
        """Return the verdict on an exercise, such as ``"05.2"``."""
        return self._grader.check(name)

    def hint(self, name: str) -> Guidance:
        """Return the next hint of an exercise."""
        return self._grader.hint(name)

    def solution(self, name: str) -> Guidance:
        """Return the solution of an exercise, and its explanation."""
        return self._grader.solution(name)

    def quiz(self, number: int | None = None, letter: str = "") -> Guidance:
        """Return the lesson's quiz, or one question; for a choice such as ``2, "b"``, whether it is right and why."""
        return self._grader.quiz(self.lesson, number, letter)

    def predict(self, name: str, value: Any = ...) -> Guidance:
        """Record what you think will happen, such as ``DA.predict("05.a", 3)``; it is never graded, and can be skipped.

        Parameters
        ----------
        name : str
            The prediction's name in the lesson.
        value : any
            What you predict; ``...`` is none yet.
        """
        return self._grader.predict(name, value)

    def outcome(self, name: str, value: Any) -> Guidance:
        """Return how your prediction compares with what happened: right, or off by how much.

        Parameters
        ----------
        name : str
            The prediction's name in the lesson.
        value : any
            What has happened. Without a prediction it is only shown.
        """
        return self._grader.outcome(name, value)

    def progress(self) -> Guidance:
        """Return the finished exercises, lesson by lesson."""
        return self._grader.progress()

    @cached_property
    def _grader(self) -> Grader:
        # Slow to import, and not needed in a lesson without an attempt.
        from streaming_classroom.exercises.grader import Grader

        return Grader(self._spark, self.paths, kafka=self.kafka)

    def cleanup(self) -> None:
        """Stop the lesson's streams, drop its schema, remove its working directory; safe to call twice."""
        self._directory.take()  # another kernel may have opened the lesson since, and its files are not ours to remove
        with landing:
            self._clear()
        self._directory.leave()
        predictions = self._grader.predictions.summary() if "_grader" in self.__dict__ else ""
        print(f"Lesson {self.lesson} is cleaned up. {predictions}".rstrip())

    def _open(self, resume: bool) -> str:
        """Lock the lesson's directory and prepare it: empty, or as the last kernel left it; return a report."""
        with landing:
            self._directory.take()
            active = waiting.active_streams(self._spark)
            removed = 0 if resume else len(self._storage.tables(self.paths))
            if resume:
                waiting.stop_streams(active)
            else:
                self._clear()
            self._storage.open(self.paths)
            return self._report(len(active), removed)

    def _report(self, stopped: int, removed: int) -> str:
        """Return what existed before, and what has landed."""
        counts = ((stopped, "stream", "stopped"), (removed, "table", "removed"))
        over = [f"{number} {thing}{'' if number == 1 else 's'} {done}" for number, thing, done in counts if number]
        factory = self.__dict__.get("data_factory")
        if factory is None:
            there = ""
        elif not factory.landed:
            there = "Nothing has landed yet."
        else:
            there = f"{factory.landed} of {factory.total} batches have landed."
        return " ".join([*([f"Started over: {', '.join(over)}."] if over else []), there]).rstrip()

    def _clear(self) -> None:
        waiting.stop_streams(waiting.active_streams(self._spark))
        self._storage.clear(self.paths)
        for view in (table.name for table in self._spark.catalog.listTables() if table.isTemporary):
            self._spark.catalog.dropTempView(view)
        self.kafka._clear()

    def _table_target(self, table: str, part: str) -> TableTarget:
        source = f"{self.paths.datasets}/{part}"
        if not datasets.is_folder(part):  # a part that is one file is beside the others
            source = source.rpartition("/")[0]
        path = self._storage.table_path(self.paths, table)
        schema = datasets.schema(part)
        return TableTarget(self._spark, table, schema, source, self.schema_name, path)  # type: ignore[arg-type]


def start_lesson(
    name: str,
    *,
    dataset: str | Sequence[str] | None = None,
    into_table: str | None = None,
    into_topic: str | None = None,
    resume: bool = False,
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
    into_topic : str, optional
        A topic of the lesson's own on Kafka for a single dataset to land in, instead.
    resume : bool
        Continue where a restarted kernel was, with the tables, files and data factory as they were left, instead
        of starting over.

    Returns
    -------
    Lesson
        By convention named ``DA``.

    Raises
    ------
    LessonBusy
        Another live kernel has this lesson open.
    NotAvailable
        There is no dataset of that name, or several datasets were to land in one table or topic.
    """
    with page.show_step(f"Starting lesson {name} ..."):
        lesson, report = _start_in_place(name, dataset, into_table, into_topic, resume)
    if into_topic:
        servers.start_early()  # the next cell lands a batch, and the broker takes as long to start as that cell to read
    if repeated_starts.is_needed():
        print(repeated_starts.NOTICE)
    page.show_end(f"Lesson {lesson.lesson} is ready", report)
    return lesson


def _start_in_place(
    name: str, dataset: str | Sequence[str] | None, into_table: str | None, into_topic: str | None, resume: bool
) -> tuple[Lesson, str]:
    """Start a lesson in place of the present one; return it with a report."""
    global _current
    previous = _current
    directory = lesson_directory(name, previous._directory if previous else None)
    # Before anything of the present lesson is touched: where this one is busy, that one continues. And before Spark is
    # started, which takes seconds, for a lesson that is refused.
    directory.take()
    try:
        spark = get_spark()
        listener.watch(spark)
        last_cell.watch()
        directory, storage = storage_of(spark, directory)
        if repeated_starts.is_needed():
            repeated_starts.install(_checkpoints)
        lesson = Lesson(spark, directory, storage, dataset, into_table, into_topic)
    except BaseException:
        if previous is None or directory.lock is not previous._directory.lock:
            directory.leave()
        raise
    _current = lesson
    if not resume and (registry := sys.modules.get("declarative_pipelines.definitions.registry")) is not None:
        registry.forget_cells()  # of a pipeline in cells the tables go, too
    report = lesson._open(resume)
    if previous is not None and previous._directory.lock is not directory.lock:
        previous._directory.leave()  # its streams have stopped
    return lesson, report


def cleanup() -> None:
    """Clean up the kernel's current lesson, if any."""
    if _current is not None:
        _current.cleanup()


def _checkpoints() -> str:
    """Return the directory of the checkpoints of the kernel's current lesson."""
    return _current.paths.checkpoints if _current else f"{base_path()}/checkpoints"
