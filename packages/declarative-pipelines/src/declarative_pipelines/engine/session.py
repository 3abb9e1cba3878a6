"""What this package asks of a session: settings for a while, classes of its JVM, and Scala's values made from Python's.

py4j asks the JVM about each part of a name each time that it is said: of the time that a plan took, half went there.

Each thread of the JVM that calls a Python function, of ``foreachBatch`` or of a listener, has a connection of its own,
and a thread in this process that waits for its next call.  py4j closes connections that have become idle only where
somebody asks for it, and the threads of streams do not come back: after hundreds of updates there would be thousands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType


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
