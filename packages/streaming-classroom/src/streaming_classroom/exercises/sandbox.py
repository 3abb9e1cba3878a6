"""A sandbox in which a learner's cell runs again: with its own session, schema and paths.

The learner's data are not changed. The session is a clone of the lesson's session without its views; the schema and all
paths are below a directory of the sandbox, which is removed with it; ``DA`` is a stub.

The cell can use the notebook's functions, modules and plain values, but nothing with access to the learner's data:
no DataFrame, stream, session or lesson.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from declarative_pipelines.definitions import api_modules, registry
from streaming_base import front_end, waiting
from streaming_base.errors import short_message
from streaming_base.sql_statements import split
from streaming_classroom.exercises import last_cell
from streaming_classroom.files.directories import Paths, classroom_files
from streaming_classroom.lesson import storage
from streaming_classroom.lesson.crash_points import remove_last_commit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.kafka.topics import LessonKafka

FOLDER = "_sandbox"  # below the lesson's working directory
_FIRST_MODIFIED = 1_709_596_800  # the modification time of the first file: 2024-03-05
PROCESSING_TIMEOUT = 40.0  # seconds for the streams of a cell; a busy machine needs most of it for a first batch


class CannotRunError(Exception):
    """The cell uses a name that the sandbox does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return (
            f"It was not run on other data: the cell uses `{self.name}`, which another cell makes. Put all that is "
            "yours into one cell to have it tested fully."
        )


class MadeTwiceError(CannotRunError):
    """The cell cannot run a second time, as after a restart, because it creates a table that exists by then."""

    def __str__(self) -> str:
        return (
            f"It was not run a second time, as after a restart: it makes the table `{self.name}`, which is there by "
            "then. Make it only if it is missing to have your cell tested fully."
        )


class CellFailedError(Exception):
    """The cell, or one of its streams, has raised an error; the text is the error's message."""


class Sandbox:
    """A sandbox; use it in a ``with`` statement.

    Attributes
    ----------
    spark : SparkSession
        The sandbox's session.
    paths : Paths
        The sandbox's paths, with the names of the lesson's.
    variables : dict
        The variables after the last run of a cell.
    """

    def __init__(
        self, spark: SparkSession, paths: Paths, notebook: Mapping[str, Any], kafka: LessonKafka | None = None
    ) -> None:
        self._notebook = notebook
        self._outer = spark
        self._name = f"sandbox_{uuid4().hex[:12]}"
        self.kafka = kafka.apart(self._name) if kafka is not None else None
        self._root = f"{paths.working_dir}/{FOLDER}/{self._name}"
        self.spark = _clone(spark)
        self.paths = Paths(self.spark, **{name: _moved(path, paths.working_dir, self._root) for name, path in paths})
        self.variables: dict[str, Any] = {}
        self.kept: dict[str, Any] = {}
        self.above = ""
        self._source = ""
        self._has_run = False
        self._files = 0

    def __enter__(self) -> Sandbox:
        classroom_files().local_path(self.paths.landing).mkdir(parents=True, exist_ok=True)
        self.spark.sql(f"CREATE SCHEMA {self._name} LOCATION '{self.paths.user_db}'")
        self.spark.catalog.setCurrentDatabase(self._name)
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(Exception):  # what remains is below the lesson's directory, which is removed later
            waiting.stop_streams(self.spark.streams.active)
        with suppress(Exception):
            if self.kafka is not None:
                self.kafka._clear()
        with suppress(Exception):
            self.spark.catalog.setCurrentDatabase("default")
            self.spark.sql(f"DROP SCHEMA IF EXISTS {self._name} CASCADE")
        storage.remove_tree(self._root)

    def append(self, table: str, rows: Sequence[tuple], schema: str) -> None:
        """Append rows to a table of the sandbox, which is created if it does not exist."""
        self.frame(rows, schema).write.format("delta").mode("append").saveAsTable(table)

    def frame(self, rows: Sequence[tuple], schema: str) -> DataFrame:
        """Return rows as a DataFrame with one partition."""
        return self.spark.createDataFrame(list(rows), schema).coalesce(1)

    def view(self, name: str, frame: DataFrame) -> None:
        """Create a temporary view in the sandbox."""
        frame.createOrReplaceTempView(name)

    def file(self, name: str, rows: Iterable[Mapping[str, Any]], folder: str | None = None) -> Path:
        """Write rows as one file of JSON lines, below the landing directory or another one; return its path.

        Each file was modified a second after the previous one, so that a stream reads them in this order.
        """
        path = classroom_files().local_path(folder or self.paths.landing) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}")
        hidden.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        self._files += 1
        os.utime(hidden, (_FIRST_MODIFIED + self._files, _FIRST_MODIFIED + self._files))
        return hidden.replace(path)

    def stream(self, table: str, **options: Any) -> DataFrame:
        """Return a table of the sandbox as a stream."""
        return self.spark.readStream.options(**options).table(table)

    def keep(self, **variables: Any) -> None:
        """Define these variables for every later run of a cell, as cells above it would."""
        self.kept |= variables

    def run(self, source: str, may_fail: Collection[str] = (), timeout: float = PROCESSING_TIMEOUT) -> None:
        """Run a cell as in a new kernel, and return when its streams have processed the available data.

        Streams that are still running are stopped then.

        Parameters
        ----------
        source : str
            The cell.
        may_fail : collection of str
            Variables whose streams are expected to fail.
        timeout : float
            Seconds.

        Raises
        ------
        CannotRunError
            The cell uses a name that the sandbox does not have.
        CellFailedError
            The cell or one of its streams has raised an error.
        """
        self.variables = self._namespace()
        self._source = source
        with front_end.headless(), registry.hidden_cells():
            try:
                if self.above:
                    api_modules.install()
                    exec(self.above, self.variables)  # source of the hidden test
                self._run(source)
                self._has_run = True
                self._finish(may_fail, timeout)
            except (CannotRunError, CellFailedError):
                raise
            except Exception as error:
                raise self._cell_error(error) from error

    def query(self, variable: str) -> Any:
        """Return the stream in a variable of the last run.

        Raises
        ------
        CellFailedError
            The variable does not hold a stream.
        """
        value = self.variables.get(variable)
        if type(value).__name__ != "StreamingQuery":
            raise CellFailedError(f"`{variable}` holds no stream")
        return value

    def value(self, variable: str) -> Any:
        """Return the value of a variable of the last run.

        Raises
        ------
        CellFailedError
            The variable does not exist.
        """
        if self.variables.get(variable) is None:
            raise CellFailedError(f"`{variable}` is not there")
        return self.variables[variable]

    def run_again(self) -> None:
        """Run the same cell again as in a new kernel, without the variables of the last run."""
        self.run(self._source)

    def forget_last_commit(self) -> None:
        """Remove the last commit of every checkpoint, as a crash does: the next run repeats the batch."""
        for commits in classroom_files().local_path(self.paths.checkpoints).rglob("commits"):
            remove_last_commit(commits.parent)

    def lose_checkpoints(self) -> None:
        """Remove every checkpoint: the next run begins with batch 0 and reads everything."""
        checkpoints = classroom_files().local_path(self.paths.checkpoints)
        if checkpoints.exists():
            checkpoints.rename(checkpoints.with_name(f"lost-{uuid4().hex[:12]}"))

    def rows(self, name: str, mode: str = "append") -> DataFrame:
        """Return the rows of a table or view; run a streaming view over the available data.

        Raises
        ------
        CellFailedError
            The table or view does not exist, or the stream fails.
        """
        if not self.spark.catalog.tableExists(name):
            raise CellFailedError(f"it makes no `{name}`")
        frame = self.spark.table(name)
        return self.rows_of(frame, mode) if frame.isStreaming else frame

    def rows_of(self, frame: DataFrame, mode: str = "append") -> DataFrame:
        """Run a streaming frame over the available data and return its rows; return another frame as it is."""
        if not frame.isStreaming:
            return frame
        name = f"rows_{uuid4().hex[:12]}"
        with front_end.headless():
            writer = frame.writeStream.format("memory").queryName(name).outputMode(mode)
            query = writer.trigger(availableNow=True).start()
            try:
                if not query.awaitTermination(int(PROCESSING_TIMEOUT)):
                    raise CellFailedError("what it makes never ends")
            except CellFailedError:
                raise
            except Exception as error:
                raise self._cell_error(error) from error
            finally:
                query.stop()
        return self.spark.table(name)

    def _namespace(self) -> dict[str, Any]:
        # One dictionary for all: the copied functions find the sandbox's session in it.
        names = last_cell.copy_variables(self._notebook)
        names |= self.kept
        names |= {
            "__name__": "__main__", "spark": self.spark, "DA": _LessonStub(self), "display": self._display,
            "displayHTML": lambda *_shown: None, "run_pipeline": self._update,
        }  # fmt: skip
        return names

    def _update(self, *_files: object, **arguments: Any) -> Any:
        """Run the pipeline of the cell's definitions, with its tables in the sandbox's schema."""
        from declarative_pipelines import run_pipeline  # loads its engine, which most exercises do not need

        return run_pipeline(**arguments | {"spark": self.spark, "show": False})

    def _run(self, source: str) -> None:
        if last_cell.is_sql(source):
            for statement in split(last_cell.statements_of(source)):
                self.spark.sql(statement.text)
            return
        if self._has_run:  # in the notebook `DA.exercise` drops the table
            source = re.sub(r"\bCREATE TABLE (?!IF\b)", "CREATE TABLE IF NOT EXISTS ", source, flags=re.IGNORECASE)
        for line in map(str.strip, source.splitlines()):
            if line.startswith(("%", "!")):
                raise CannotRunError(line)
        with redirect_stdout(io.StringIO()):
            exec(compile(ast.parse(source), "<sandbox>", "exec"), self.variables)  # the learner's cell

    def _finish(self, may_fail: Collection[str], timeout: float) -> None:
        """Wait until the streams have processed the available data, and stop them."""
        held = {name: value for name, value in self.variables.items() if name not in may_fail}
        started = [value for value in held.values() if type(value).__name__ == "StreamingQuery"]
        active = self.spark.streams.active
        try:
            waiting.wait_until_processed(active, timeout)
        except Exception:
            _raise_if_failed(active)
            raise
        finally:
            waiting.stop_streams(active)
        _raise_if_failed(started)

    def _display(self, shown: Any, *_rest: Any, streamName: str | None = None, **_options: Any) -> None:
        """Run a displayed stream into a view of its name."""
        if streamName and getattr(shown, "isStreaming", False):
            plan = shown._jdf.queryExecution().analyzed().toString()
            self.view(streamName, self.rows_of(shown, "complete" if "Aggregate" in plan else "append"))

    def _cell_error(self, error: Exception) -> CannotRunError | CellFailedError:
        """Return a cell's error; CannotRunError for a name that exists in the notebook and not in the sandbox."""
        if isinstance(error, NameError) and (error.name in self._notebook or error.name == "dbutils"):
            return CannotRunError(error.name)
        about: Mapping[str, str] = getattr(error, "getMessageParameters", dict)() or {}
        relation = str(about.get("relationName", "")).replace("`", "").rpartition(".")[2]
        if relation and getattr(error, "getCondition", str)() == "TABLE_OR_VIEW_ALREADY_EXISTS":
            if self._has_run:
                return MadeTwiceError(relation)
        elif relation and self._outer.catalog.tableExists(relation):
            return CannotRunError(relation)
        return CellFailedError(f"{type(error).__name__}: {short_message(error)}".splitlines()[0])


class _LessonStub:
    """The ``DA`` of a cell in a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.paths = sandbox.paths
        self.schema_name = sandbox._name
        if sandbox.kafka is not None:
            self.kafka = sandbox.kafka
        self.data_factory = SimpleNamespace(load=lambda *_count: None)  # the hidden test lands the data

    def exercise(self, _name: str) -> None:
        """Remove nothing: the second run of a cell resumes from the checkpoints of the first run."""

    def block_until_stream_is_ready(
        self, query: Any, min_batches: int = 1, timeout: float = PROCESSING_TIMEOUT
    ) -> None:
        waiting.block_until_stream_is_ready(self._sandbox.spark, query, min_batches, min(timeout, PROCESSING_TIMEOUT))

    def __getattr__(self, name: str) -> Any:
        raise CannotRunError(f"DA.{name}")


@contextmanager
def open_sandbox(
    spark: SparkSession, paths: Paths, notebook: Mapping[str, Any], kafka: LessonKafka | None = None
) -> Iterator[Sandbox]:
    """Create a sandbox, activate its session in this thread, and remove the sandbox at the end of the block."""
    jvm, kind = spark._jvm.org.apache.spark.sql.classic.SparkSession, type(spark)
    before = getattr(kind, "_activeSession", None)
    with Sandbox(spark, paths, notebook, kafka) as sandbox:
        jvm.setActiveSession(sandbox.spark._jsparkSession)
        try:
            yield sandbox
        finally:
            jvm.setActiveSession(spark._jsparkSession)
            # PySpark also has a session for the whole process, which `createDataFrame` changes.
            kind._activeSession = before


def _clone(spark: SparkSession) -> SparkSession:
    """Return a session with the settings and functions of another session, without its views."""
    clone = type(spark)(spark.sparkContext, jsparkSession=spark._jsparkSession.cloneSession())
    clone.conf.set("spark.sql.shuffle.partitions", 1)  # for a few rows, more partitions only cost time
    for table in clone.catalog.listTables():
        if table.isTemporary:
            clone.catalog.dropTempView(table.name)
    return clone


def _moved(path: str, root: str, to: str) -> str:
    return to + path[len(root) :] if path.startswith(root) else path


def _raise_if_failed(queries: Iterable[Any]) -> None:
    for query in queries:
        if not query.isActive and (error := query.exception()) is not None:
            raise CellFailedError(_why_failed(query, error))


def _why_failed(query: Any, error: Exception) -> str:
    """Return the message of a failed stream; if a task failed in a write, the message of its cause."""
    words = short_message(error)
    if not words.startswith("[TASK_WRITE_FAILED]"):
        return words
    cause = query._jsq.exception().get()
    while cause.getCause() is not None:
        cause = cause.getCause()
    return str(cause.getMessage()).splitlines()[0]
