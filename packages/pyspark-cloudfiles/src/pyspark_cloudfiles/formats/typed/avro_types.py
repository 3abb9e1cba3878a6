"""Avro's types as Spark's, and Avro's values as Arrow's.

As in Spark's Avro reader: a union with null is nullable, a union of several types is a struct with a member for each,
and an enum or a UUID is a STRING.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from typing import Any, NamedTuple

from pyspark.sql import types as T

from pyspark_cloudfiles.formats.typed.spark_notes import PROPERTY, NoArrowTypeError, noted_type

Convert = Callable[[Any], Any]


class AvroType(NamedTuple):
    """A type, and how fastavro's values become Arrow's; None where they are the same."""

    spark: T.DataType
    convert: Convert | None = None


class UnknownAvroTypeError(ValueError):
    """Spark has no type for what a file has."""


def _since_midnight(unit: int) -> Convert:
    def convert(value: time) -> int:
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return (seconds * 1_000_000 + value.microsecond) // unit

    return convert


_ATOMS = {
    "null": AvroType(T.NullType()),
    "boolean": AvroType(T.BooleanType()),
    "int": AvroType(T.IntegerType()),
    "long": AvroType(T.LongType()),
    "float": AvroType(T.FloatType()),
    "double": AvroType(T.DoubleType()),
    "bytes": AvroType(T.BinaryType()),
    "fixed": AvroType(T.BinaryType()),
    "string": AvroType(T.StringType()),
    "enum": AvroType(T.StringType()),
    "int-date": AvroType(T.DateType()),
    "long-timestamp-millis": AvroType(T.TimestampType()),
    "long-timestamp-micros": AvroType(T.TimestampType()),
    "long-local-timestamp-millis": AvroType(T.TimestampNTZType()),
    "long-local-timestamp-micros": AvroType(T.TimestampNTZType()),
    "string-uuid": AvroType(T.StringType(), str),
    # Spark leaves times of the day as the numbers they are.
    "int-time-millis": AvroType(T.IntegerType(), _since_midnight(1000)),
    "long-time-micros": AvroType(T.LongType(), _since_midnight(1)),
}
# How a value tells which branch of a union it is.
_PYTHON_TYPES = {
    "boolean": bool,
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "bytes": bytes,
    "fixed": bytes,
    "string": str,
    "enum": str,
    "array": list,
    "map": dict,
    "record": dict,
}


class AvroTypes:
    """The types of one schema.

    Parameters
    ----------
    named : dict
        Its named types, as ``fastavro.parse_schema`` collects them.
    """

    def __init__(self, named: dict[str, Any]) -> None:
        self._named, self._inside = named, set[str]()

    def of(self, schema: Any) -> AvroType:
        """Return the type of a parsed schema.

        Raises
        ------
        UnknownAvroTypeError
            It contains itself, or has decimals of more than 38 digits.
        """
        if isinstance(schema, list):
            return self._union(schema)
        schema = self._resolved(schema)
        kind = schema["type"]
        if isinstance(kind, dict | list):
            return self.of(kind)
        match kind:
            case "record" | "error":
                return self._record(schema)
            case "array":
                return self._array(schema)
            case "map":
                return self._map(schema)
        if schema.get("logicalType") == "decimal" and kind in ("bytes", "fixed"):
            return _decimal(schema)
        if kind in ("int", "long") and (noted := _interval(schema)) is not None:
            return AvroType(noted)
        return _ATOMS.get(f"{kind}-{schema.get('logicalType')}", _ATOMS[kind])

    def _resolved(self, schema: Any) -> dict[str, Any]:
        if isinstance(schema, str):
            return self._named.get(schema) or {"type": schema}
        return schema

    def _record(self, schema: dict[str, Any]) -> AvroType:
        name = schema["name"]
        if name in self._inside:
            raise UnknownAvroTypeError(f"{name}, which contains itself")
        self._inside.add(name)
        fields = {field["name"]: self.of(field["type"]) for field in schema["fields"]}
        self._inside.discard(name)
        struct = T.StructType([T.StructField(name, found.spark) for name, found in fields.items()])
        converts = {name: found.convert for name, found in fields.items() if found.convert is not None}
        if not converts:
            return AvroType(struct)

        def convert(value: dict[str, Any]) -> dict[str, Any]:
            changed = {name: converts[name](value[name]) for name in converts if value[name] is not None}
            return value | changed

        return AvroType(struct, convert)

    def _array(self, schema: dict[str, Any]) -> AvroType:
        element, inner = self.of(schema["items"])
        if inner is None:
            return AvroType(T.ArrayType(element))
        return AvroType(T.ArrayType(element), lambda value: [None if item is None else inner(item) for item in value])

    def _map(self, schema: dict[str, Any]) -> AvroType:
        item, inner = self.of(schema["values"])
        found = T.MapType(T.StringType(), item)
        if inner is None:
            return AvroType(found, lambda value: list(value.items()))
        return AvroType(
            found, lambda value: [(key, None if item is None else inner(item)) for key, item in value.items()]
        )

    def _union(self, branches: list[Any]) -> AvroType:
        present = [branch for branch in branches if self._kind(branch) != "null"]
        kinds = {self._kind(branch) for branch in present}
        if not present:
            return _ATOMS["null"]
        if len(present) == 1:
            return self.of(present[0])
        if len(present) == 2 and kinds in ({"int", "long"}, {"float", "double"}):
            return _ATOMS["long" if "long" in kinds else "double"]
        return self._members(present)

    def _members(self, branches: list[Any]) -> AvroType:
        """Return the struct with a member for each branch, of which one has a value."""
        types = [self.of(branch) for branch in branches]
        members = [f"member{index}" for index in range(len(types))]
        struct = T.StructType([T.StructField(name, found.spark) for name, found in zip(members, types, strict=True)])

        def convert(value: Any) -> dict[str, Any]:
            index, plain = self._branch(value, branches)
            inner = types[index].convert
            return dict.fromkeys(members) | {members[index]: plain if inner is None else inner(plain)}

        return AvroType(struct, convert)

    def _branch(self, value: Any, branches: list[Any]) -> tuple[int, Any]:
        """Return which branch a value is; with a named type, fastavro gives its name as well."""
        if isinstance(value, tuple):
            name, value = value
            for index, branch in enumerate(branches):
                if self._resolved(branch).get("name") == name:
                    return index, value
        for exact in (True, False):
            for index, branch in enumerate(branches):
                python = _PYTHON_TYPES[self._kind(branch)]
                logical = "logicalType" in self._resolved(branch)
                if type(value) is python or (logical and not exact and type(value) not in _PYTHON_TYPES.values()):
                    return index, value
        raise UnknownAvroTypeError(f"a union without a branch for {value!r}")

    def _kind(self, branch: Any) -> str:
        return self._resolved(branch)["type"]


def _interval(schema: dict[str, Any]) -> T.DataType | None:
    try:
        return noted_type(schema.get(PROPERTY), "")
    except NoArrowTypeError:
        raise UnknownAvroTypeError("an interval of years and months") from None


def _decimal(schema: dict[str, Any]) -> AvroType:
    precision, scale = schema["precision"], schema.get("scale", 0)
    if precision > 38:
        raise UnknownAvroTypeError(f"a decimal of {precision} digits")
    return AvroType(T.DecimalType(precision, scale))
