"""Classes of the session's JVM, looked up once, and Scala's values made from Python's.

py4j asks the JVM about each part of a name each time that it is said: of the time that a plan took, half went there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

#: What each JVM has been asked for so far, by full names.
_known: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


class JvmValues:
    """What a session's JVM has.

    Parameters
    ----------
    session : SparkSession
        One in this process; over Spark Connect there is no JVM to talk to.
    """

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

    @cached_property
    def empty_set(self) -> Any:
        """The empty ``Set``."""
        return self.seq([]).toSet()

    @cached_property
    def parser(self) -> Any:
        """The session's parser of SQL."""
        return self.session._jsparkSession.sessionState().sqlParser()

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

    def array(self, enum: str, *names: str) -> Any:
        """Return an array of an enumeration's values."""
        kind = self.named(enum)
        made = self.session.sparkContext._gateway.new_array(kind, len(names))
        for number, name in enumerate(names):
            made[number] = getattr(kind, name)
        return made

    def list(self, collection: Any) -> list[Any]:
        """Return a Scala collection's elements; by their numbers, as the end of an iterator is a slow exception."""
        java = self.as_java(collection.toSeq())
        return [java.get(number) for number in range(java.size())]

    def as_java(self, collection: Any) -> Any:
        """Return a Scala collection as Java's."""
        return self.named("scala.jdk.javaapi.CollectionConverters.asJava")(collection)

    def schema(self, schema: str | StructType | None) -> Any:
        """Return DDL text or a schema of Python's as Scala's ``StructType``."""
        if schema is None:
            return None
        if isinstance(schema, str):
            return self.object("org.apache.spark.sql.types.StructType").fromDDL(schema)
        return self.object("org.apache.spark.sql.types.DataType").fromJson(schema.json())
