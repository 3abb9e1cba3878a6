"""What this package asks of a session: settings for a while, classes of its JVM, and Scala's values made from Python's.

py4j asks the JVM about each part of a name each time that it is said: of the time that a plan took, half went there.

Each thread of the JVM that calls a Python function, of ``foreachBatch`` or of a listener, has a connection of its own,
and a thread in this process that waits for its next call.  py4j closes connections that have become idle only where
somebody asks for it, and the threads of streams do not come back: after hundreds of updates there would be thousands.

Spark's readers are patched: inside a definition, a read of a dataset is answered by the pipeline.  ``spark.table``,
``spark.read.table``, ``spark.readStream.table`` and ``spark.sql`` are wrapped once, and ask on each call whether a
definition is being planned in this thread.  So are the actions, which a definition must not run.
"""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError

from declarative_pipelines.definitions.queries import without_live_names
from declarative_pipelines.errors import PipelineError
from streaming_base import builders, hooks
from streaming_base.errors import NotAvailable
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_QUERY = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:SELECT|WITH|FROM|VALUES|TABLE|\()", re.IGNORECASE | re.DOTALL
)
_ACTIONS = (
    "collect", "count", "show", "take", "head", "first", "tail", "toPandas", "toArrow", "toLocalIterator", "foreach",
    "foreachPartition", "isEmpty", "write", "writeTo", "writeStream", "checkpoint", "localCheckpoint", "cache",
    "persist", "display", "createOrReplaceTempView", "createTempView", "createGlobalTempView",
)  # fmt: skip


@contextmanager
def temporary_settings(session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Apply settings to the session, and restore the previous values on exit."""
    with ExitStack() as stack:
        for key, value in settings.items():
            before = session.conf.get(key, None)
            if before is None:
                stack.callback(session.conf.unset, key)
            else:
                stack.callback(session.conf.set, key, before)
            session.conf.set(key, value)
        yield


def close_idle_connections(session: SparkSession) -> None:
    """Close the connections that were not used since the last call; a later use opens a new one."""
    gateway = session.sparkContext._gateway
    with suppress(Py4JError):  # a session without callbacks, or one that is ending
        JavaObject("GATEWAY_SERVER", gateway._gateway_client).getCallbackClient().periodicCleanup()


#: The classes that were looked up in each JVM, by full names.
_known: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


class JvmValues:
    """The classes of a session's JVM, and values of Scala; the session is in this process."""

    def __init__(self, session: SparkSession) -> None:
        self.session, self._jvm = session, session._jvm
        self._found = _known.setdefault(self._jvm, {})

    def named(self, name: str) -> Any:
        """Return a class, or a class's static method, by its full name."""
        if name not in self._found:
            node = self._jvm
            for part in name.split("."):
                node = getattr(node, part)
            self._found[name] = node
        return self._found[name]

    def new(self, name: str, *arguments: Any) -> Any:
        """Return a new object of a class."""
        return self.named(name)(*arguments)

    def object(self, name: str) -> Any:
        """Return a Scala object."""
        return self.named(f"{name}$.MODULE$")

    def some(self, value: Any) -> Any:
        """Return an ``Option``, empty for None."""
        return self.none() if value is None else self.named("scala.Option.apply")(value)

    def none(self) -> Any:
        """Return the empty ``Option``."""
        return self.object("scala.None")

    def set(self, values: Iterable[Any]) -> Any:
        """Return a ``Set``."""
        return self.seq(values).toSet()

    def map(self, values: Mapping[str, str]) -> Any:
        """Return an immutable ``Map``."""
        java = self.new("java.util.HashMap")
        for key, value in values.items():
            java.put(key, value)
        return self.named("org.apache.spark.api.python.PythonUtils.toScalaMap")(java)

    def seq(self, values: Iterable[Any]) -> Any:
        """Return a ``Seq``."""
        java = self.new("java.util.ArrayList")
        for value in values:
            java.add(value)
        return self.named("org.apache.spark.api.python.PythonUtils.toSeq")(java)

    def list(self, collection: Any) -> list[Any]:
        """Return a Scala collection's elements; by their numbers, as the end of an iterator is a slow exception."""
        java = self.named("scala.jdk.javaapi.CollectionConverters.asJava")(collection.toSeq())
        return [java.get(number) for number in range(java.size())]

    def schema(self, schema: str | StructType | None) -> Any:
        """Return DDL text or a schema of Python's as Scala's ``StructType``."""
        if schema is None:
            return None
        if isinstance(schema, str):
            return self.object("org.apache.spark.sql.types.StructType").fromDDL(schema)
        return self.object("org.apache.spark.sql.types.DataType").fromJson(schema.json())


@dataclass
class _Interception:
    frame: Callable[[str], DataFrame]
    schema_location: str | None
    sources: int = 0


_thread = threading.local()


def intercept_reads(
    frame: Callable[[str], DataFrame], schema_location: str | None = None
) -> AbstractContextManager[None]:
    """Intercept the reads of this thread for a definition, in a ``with`` block.

    ``frame`` makes the frame of a query; ``schema_location`` is where ``cloudFiles`` sources keep what they infer.
    """
    return _set_interception(_Interception(frame, schema_location))


def without_interception() -> AbstractContextManager[None]:
    """Suspend the interception in this thread in a ``with`` block, for reads of this package itself."""
    return _set_interception(None)


@contextmanager
def _set_interception(interception: _Interception | None) -> Iterator[None]:
    before = _interception()
    _thread.interception = interception
    try:
        yield
    finally:
        _thread.interception = before


def install_interception() -> None:
    """Wrap Spark's classes; calling it again changes nothing."""
    from pyspark.sql import SparkSession
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.readwriter import DataFrameReader
    from pyspark.sql.streaming.readwriter import DataStreamReader

    reads = "a read inside a definition is answered by the pipeline"
    _wrap(SparkSession, "table", partial(_wrap_read, _table), reads)
    _wrap(DataFrameReader, "table", partial(_wrap_read, _table), reads)
    _wrap(DataStreamReader, "table", partial(_wrap_read, partial(_table, stream="STREAM ")), reads)
    _wrap(SparkSession, "sql", partial(_wrap_read, _query), reads)
    for reader in (DataFrameReader, DataStreamReader):
        builders.record(reader)
    _wrap(DataStreamReader, "load", _wrap_load, "a place for schemas that a flow's sources infer")
    if (install_expressions := function_of_sibling("install_expressions")) is not None:
        install_expressions()
    for action in _ACTIONS:
        if hasattr(DataFrame, action):
            _wrap(DataFrame, action, partial(_wrap_action, action), "a definition runs no query")


def _wrap(kind: type, name: str, make: Callable[[Any], Any], why: str) -> None:
    hooks.wrap(kind, name, make, by="declarative_pipelines", layer="pipeline", why=why)


def _interception() -> _Interception | None:
    return getattr(_thread, "interception", None)


def _wrap_read(text: Callable[[Any, str], str], original: Any) -> Any:
    signature = inspect.signature(original)

    @wraps(original)
    def intercepted(self: Any, *args: Any, **kwargs: Any) -> Any:
        interception = _interception()
        if interception is None:
            return original(self, *args, **kwargs)
        _, asked, *values = signature.bind(self, *args, **kwargs).arguments.values()
        if any(values):
            instead = "write values into the text, and make a view of the pipeline of a frame."
            raise NotAvailable("spark.sql(query, ...) takes no arguments inside a definition:", instead)
        query = text(self, asked)
        # What only the platform's SQL has, such as column:field of JSON text, is rewritten as in a notebook.
        run_sql = function_of_sibling("run_sql")
        return interception.frame(query) if run_sql is None else run_sql(self, query, interception.frame)

    return intercepted


def _table(reader: Any, name: str, stream: str = "") -> str:
    options = ", ".join(f"'{key}' = '{value}'" for key, value in builders.given_to(reader).options.items())
    return f"SELECT * FROM {stream}{without_live_names(name)}{f' WITH ({options})' if options else ''}"


def _query(session: Any, text: str) -> str:
    if not _QUERY.match(text):
        raise _action(f"spark.sql({' '.join(text.split())[:60]!r})")
    return without_live_names(text)


def _action(action: str) -> PipelineError:
    """Return the error of a query that runs inside a definition, which is called to find out what it reads."""
    return PipelineError(
        f"{action} inside a definition: a definition only describes its query and returns the frame, the update runs "
        f"it. Take {action} out, or do it after the update."
    )


def _wrap_load(original: Any) -> Any:
    @wraps(original)
    def load(self: Any, path: Any = None, format: Any = None, schema: Any = None, **options: Any) -> Any:
        interception = _interception()
        if interception is not None:
            self.options(**options)
            options, given = {}, builders.given_to(self)
            is_auto_loader = (format or given.format).lower() == "cloudfiles" and schema is None
            has_location = "cloudfiles.schemalocation" in given.lower_options
            if is_auto_loader and interception.schema_location is not None and not has_location:
                interception.sources += 1  # each source of a flow has its own
                location = f"{interception.schema_location}/{interception.sources}"
                self.option("cloudFiles.schemaLocation", location)
        return original(self, path, format, schema, **options)

    return load


def _wrap_action(action: str, original: Any) -> Any:
    def refuse() -> None:
        if _interception() is not None:
            raise _action(f"{action}{'' if isinstance(original, property) else '()'}")

    if isinstance(original, property):

        def read(self: Any) -> Any:
            refuse()
            return original.fget(self)

        return property(read, doc=original.__doc__)

    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        refuse()
        return original(self, *args, **kwargs)

    return method
