"""A place of its own in which a learner's cell runs again: a session, a schema and paths beside the lesson's.

Nothing of the learner's is touched.  The session is a clone of the lesson's without its views; the schema and all
paths are below a directory of the sandbox, which is removed with it; ``DA`` is a stand-in that has nothing to break.

What could reach the learner's own data is not lent: frames, streams, the session, the lesson.
"""

from __future__ import annotations

import ast
import copy
import datetime
import decimal
import inspect
import io
import json
import os
import re
import types
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
from streaming_classroom.session import user_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.kafka.topics import LessonKafka

_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, datetime.date, datetime.timedelta, decimal.Decimal,
)  # fmt: skip
_CONTAINERS = (list, tuple, set, frozenset, dict)
_OF_THE_SHELL = {
    "In",
    "Out",
    "exit",
    "quit",
    "open",
    "get_ipython",
    "spark",
    "sc",
    "DA",
    "display",
    "displayHTML",
    "sql",
}


def lend(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return a new namespace with what may be lent of a notebook's variables.

    A function of the notebook is made again from its source, so that the names it uses are those of the sandbox.
    """
    lent: dict[str, Any] = {}
    for name, value in list(notebook.items()):
        if name.startswith("_") or name in _OF_THE_SHELL:
            continue
        if _is_of_notebook(value):
            _define_again(value, lent)
        elif _is_library(value) or _is_plain(value):
            with suppress(Exception):  # a value that cannot be copied is not lent
                lent[name] = value if _is_library(value) else copy.deepcopy(value)
    return lent


def _is_library(value: Any) -> bool:
    of_library = callable(value) and getattr(value, "__module__", None) not in ("__main__", None)
    return isinstance(value, types.ModuleType) or (of_library and isinstance(value, (type, types.FunctionType)))


def _is_of_notebook(value: Any) -> bool:
    return isinstance(value, (type, types.FunctionType)) and getattr(value, "__module__", None) == "__main__"


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, [*value.keys(), *value.values()]))
    if isinstance(value, _CONTAINERS):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN) or type(value).__module__ == "pyspark.sql.types"


def _define_again(value: Any, lent: dict[str, Any]) -> None:
    with suppress(Exception):  # without a source, or with a decorator that does something: it is not lent
        source = inspect.getsource(value)
        if not source.startswith("@"):
            exec(compile(source, "<notebook>", "exec"), lent)  # the learner's own function


FOLDER = "_sandbox"  # below the lesson's working directory
_FIRST_FILE = 1_709_596_800  # when it was modified: 2024-03-05
PROCESSING_TIMEOUT = 40.0  # seconds for what a cell has started; a busy machine needs most of it for a first batch


class CannotRunError(Exception):
    """A cell that needs what the sandbox does not have: the name says what."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return (
            f"It was not run on other data: the cell uses `{self.name}`, which another cell makes. Put all that is "
            "yours into one cell to have it tested fully."
        )


class MadeTwiceError(CannotRunError):
    """A cell that cannot be run a second time, as after a restart, since it makes a table that is there by then."""

    def __str__(self) -> str:
        return (
            f"It was not run a second time, as after a restart: it makes the table `{self.name}`, which is there by "
            "then. Make it only if it is missing to have your cell tested fully."
        )


class CellFailedError(Exception):
    """The cell, or a stream that it has started, raised an error: its words."""


class Sandbox:
    """One sandbox; use it in a ``with`` statement.

    Attributes
    ----------
    spark : SparkSession
        Its session.
    paths : Paths
        Its paths, by the names that the lesson's have.
    variables : dict
        What the last run of a cell has left.
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
        with suppress(Exception):  # what cannot be tidied up now is below the lesson's folder and goes with it
            waiting.stop_streams(self.spark.streams.active)
        with suppress(Exception):
            if self.kafka is not None:
                self.kafka._clear()
        with suppress(Exception):
            self.spark.catalog.setCurrentDatabase("default")
            self.spark.sql(f"DROP SCHEMA IF EXISTS {self._name} CASCADE")
        user_files.remove_tree(self._root)

    def append(self, table: str, rows: Sequence[tuple], schema: str) -> None:
        """Append rows to a table of the sandbox, which is created where it is not there."""
        self.frame(rows, schema).write.format("delta").mode("append").saveAsTable(table)

    def frame(self, rows: Sequence[tuple], schema: str) -> DataFrame:
        """Return rows as a frame of one partition."""
        return self.spark.createDataFrame(list(rows), schema).coalesce(1)

    def view(self, name: str, frame: DataFrame) -> None:
        """Make a temporary view of the sandbox."""
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
        os.utime(hidden, (_FIRST_FILE + self._files, _FIRST_FILE + self._files))
        return hidden.replace(path)

    def stream(self, table: str, **options: Any) -> DataFrame:
        """Return a table of the sandbox as a stream."""
        return self.spark.readStream.options(**options).table(table)

    def keep(self, **variables: Any) -> None:
        """Give every later run of a cell these variables, as cells above it would."""
        self.kept |= variables

    def run(self, source: str, may_fail: Collection[str] = (), timeout: float = PROCESSING_TIMEOUT) -> None:
        """Run a cell as a kernel that has just started would, and return when its streams have done what is there.

        Streams that still run are stopped then.

        Parameters
        ----------
        source : str
            The cell.
        may_fail : collection of str
            Variables whose streams are to fail.
        timeout : float
            Seconds.

        Raises
        ------
        CannotRunError
            The cell uses something that the sandbox has not.
        CellFailedError
            The cell or one of its streams raised an error.
        """
        self.variables = self._namespace()
        self._source = source
        with front_end.headless(), registry.hidden_cells():
            try:
                if self.above:
                    api_modules.install()
                    exec(self.above, self.variables)  # the test's own
                self._run(source)
                self._has_run = True
                self._finish(may_fail, timeout)
            except (CannotRunError, CellFailedError):
                raise
            except Exception as error:
                raise self._explained(error) from error

    def query(self, variable: str) -> Any:
        """Return the stream that a variable of the last run holds.

        Raises
        ------
        CellFailedError
            It holds none.
        """
        value = self.variables.get(variable)
        if type(value).__name__ != "StreamingQuery":
            raise CellFailedError(f"`{variable}` holds no stream")
        return value

    def value(self, variable: str) -> Any:
        """Return what a variable of the last run holds.

        Raises
        ------
        CellFailedError
            There is none.
        """
        if self.variables.get(variable) is None:
            raise CellFailedError(f"`{variable}` is not there")
        return self.variables[variable]

    def run_again(self) -> None:
        """Run the same cell again, as a kernel that has just started would: what it held in memory is gone."""
        self.run(self._source)

    def forget_last_commit(self) -> None:
        """Leave every checkpoint as a crash before the commit of its last batch would: the next run runs it again."""
        for commits in classroom_files().local_path(self.paths.checkpoints).rglob("commits"):
            numbers = sorted(int(file.name) for file in commits.iterdir() if file.name.isdigit())
            if numbers:
                for name in (str(numbers[-1]), f".{numbers[-1]}.crc"):
                    (commits / name).unlink(missing_ok=True)

    def lose_checkpoints(self) -> None:
        """Leave every checkpoint as its deletion would: the next run begins with batch 0 and reads everything."""
        checkpoints = classroom_files().local_path(self.paths.checkpoints)
        if checkpoints.exists():
            checkpoints.rename(checkpoints.with_name(f"lost-{uuid4().hex[:12]}"))

    def rows(self, name: str, mode: str = "append") -> DataFrame:
        """Return the rows of a table or view; of a streaming view, what a stream gives for all that is there now.

        Raises
        ------
        CellFailedError
            There is none of that name, or the stream fails.
        """
        if not self.spark.catalog.tableExists(name):
            raise CellFailedError(f"it makes no `{name}`")
        frame = self.spark.table(name)
        return self.rows_of(frame, mode) if frame.isStreaming else frame

    def rows_of(self, frame: DataFrame, mode: str = "append") -> DataFrame:
        """Return what a streaming frame gives for all that is there now; of another, its rows."""
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
                raise self._explained(error) from error
            finally:
                query.stop()
        return self.spark.table(name)

    def _namespace(self) -> dict[str, Any]:
        # One dictionary throughout: a function that was lent finds the sandbox's session in it.
        names = lend(self._notebook)
        names |= self.kept
        names |= {
            "__name__": "__main__", "spark": self.spark, "DA": _Lesson(self), "display": self._display,
            "displayHTML": lambda *_shown: None, "run_pipeline": self._update,
        }  # fmt: skip
        return names

    def _update(self, *_files: object, **arguments: Any) -> Any:
        """Run the pipeline of the cell's definitions, with its tables in the sandbox's schema."""
        from declarative_pipelines import run_pipeline  # with its engine, which other exercises do without

        return run_pipeline(**arguments | {"spark": self.spark, "show": False})

    def _run(self, source: str) -> None:
        if last_cell.is_sql(source):
            for statement in split(last_cell.statements_of(source)):
                self.spark.sql(statement.text)
            return
        if self._has_run:  # `DA.exercise` would have dropped the table, and here it is to be resumed
            source = re.sub(r"\bCREATE TABLE (?!IF\b)", "CREATE TABLE IF NOT EXISTS ", source, flags=re.IGNORECASE)
        for line in map(str.strip, source.splitlines()):
            if line.startswith(("%", "!")):
                raise CannotRunError(line)
        with redirect_stdout(io.StringIO()):
            exec(compile(ast.parse(source), "<sandbox>", "exec"), self.variables)  # the learner's own cell

    def _finish(self, may_fail: Collection[str], timeout: float) -> None:
        """Let the streams process what is there, and stop them."""
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
        """Run a stream that is displayed, into a table of its name."""
        if streamName and getattr(shown, "isStreaming", False):
            self.view(streamName, self.rows_of(shown, _mode_of(shown)))

    def _explained(self, error: Exception) -> CannotRunError | CellFailedError:
        """Return an error of a cell: of a name that the notebook has and the sandbox has not, that it cannot run."""
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


class _Lesson:
    """What a cell in a sandbox has for ``DA``."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.paths = sandbox.paths
        self.schema_name = sandbox._name
        if sandbox.kafka is not None:
            self.kafka = sandbox.kafka
        self.data_factory = SimpleNamespace(load=lambda *_count: None)  # the test lands what is to arrive

    def exercise(self, _name: str) -> None:
        """Take nothing away: the second run of a cell resumes from what the first one has left."""

    def block_until_stream_is_ready(
        self, query: Any, min_batches: int = 1, timeout: float = PROCESSING_TIMEOUT
    ) -> None:
        waiting.block_until_stream_is_ready(self._sandbox.spark, query, min_batches, min(timeout, PROCESSING_TIMEOUT))

    def __getattr__(self, name: str) -> Any:
        raise CannotRunError(f"DA.{name}")


@contextmanager
def opened(
    spark: SparkSession, paths: Paths, notebook: Mapping[str, Any], kafka: LessonKafka | None = None
) -> Iterator[Sandbox]:
    """Open a sandbox and make its session this thread's own, as a notebook's is; remove it afterwards."""
    jvm, kind = spark._jvm.org.apache.spark.sql.classic.SparkSession, type(spark)
    before = getattr(kind, "_activeSession", None)
    with Sandbox(spark, paths, notebook, kafka) as sandbox:
        jvm.setActiveSession(sandbox.spark._jsparkSession)
        try:
            yield sandbox
        finally:
            jvm.setActiveSession(spark._jsparkSession)
            # PySpark keeps one for the whole process besides, which `createDataFrame` changes.
            kind._activeSession = before


def _clone(spark: SparkSession) -> SparkSession:
    """Return a session with the settings of another one and its functions, but none of its views."""
    clone = type(spark)(spark.sparkContext, jsparkSession=spark._jsparkSession.cloneSession())
    clone.conf.set("spark.sql.shuffle.partitions", 1)  # a few rows: more partitions would only cost time
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
    """Return why a stream failed; of a task that failed while it wrote, what the task failed with."""
    words = short_message(error)
    if not words.startswith("[TASK_WRITE_FAILED]"):
        return words
    cause = query._jsq.exception().get()
    while cause.getCause() is not None:
        cause = cause.getCause()
    return str(cause.getMessage()).splitlines()[0]


def _mode_of(frame: DataFrame) -> str:
    """Return ``complete`` for a frame that aggregates, which ``display`` takes as well, else ``append``."""
    plan = frame._jdf.queryExecution().analyzed().toString()
    return "complete" if "Aggregate" in plan else "append"
