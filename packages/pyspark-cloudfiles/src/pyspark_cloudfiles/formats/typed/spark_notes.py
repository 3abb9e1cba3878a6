"""Spark's types that a file has no type for: Spark writes intervals as integers, a VARIANT as a struct, and a note.

A file of Parquet has Spark's whole schema in its metadata, one of Avro a property of the type.  Without the note they
are what the file says, to Spark as well; and a schema that is given reads them as one or the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pyspark.sql import types as T

PROPERTY = "spark.sql.catalyst.type"
_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?")
_INTERVALS = {T.DayTimeIntervalType: ("day", "hour", "minute", "second"), T.YearMonthIntervalType: ("year", "month")}


class NoArrowTypeError(ValueError):
    """Spark has a type for a column that no data source in Python can return."""


def noted_schema(schema: T.StructType, metadata: Mapping[bytes, bytes]) -> T.StructType:
    """Return the schema of a Parquet file with the types that Spark has noted in its metadata.

    Raises
    ------
    NoArrowTypeError
        A column is an interval of years and months.
    """
    noted = metadata.get(_SCHEMA)
    found = schema if noted is None else _merged(schema, json.loads(noted), "")
    assert isinstance(found, T.StructType)
    return found


def noted_type(note: Any, name: str) -> T.DataType | None:
    """Return the type that a note means, None of one that the file has itself; errors as above."""
    if note == "variant":
        return T.VariantType()
    interval = _INTERVAL.fullmatch(note) if isinstance(note, str) else None
    if interval is None:
        return None
    first, last = interval[1], interval[2] or interval[1]
    if first in _INTERVALS[T.YearMonthIntervalType]:
        raise NoArrowTypeError(
            f"{name} is {note.upper()}, which a data source in Python cannot return. Read its months with the option "
            f"cloudFiles.schemaHints, '{name} INT'"
        )
    fields = _INTERVALS[T.DayTimeIntervalType]
    return T.DayTimeIntervalType(fields.index(first), fields.index(last))


def is_shredded(data_type: T.DataType) -> bool:
    """Whether a type is, or has inside, a VARIANT that is written as columns of its own."""
    match data_type:
        case T.StructType():
            names = set(data_type.names)
            return {"metadata", "typed_value"} <= names or any(is_shredded(field.dataType) for field in data_type)
        case T.ArrayType():
            return is_shredded(data_type.elementType)
        case T.MapType():
            return is_shredded(data_type.valueType)
    return False


def _merged(found: T.DataType, noted: Any, name: str) -> T.DataType:
    """Return what a file has of a type, with what is noted of it; notes are Spark's JSON of a schema."""
    kind = noted.get("type") if isinstance(noted, dict) else noted
    match found, kind:
        case T.StructType(), "struct":
            notes = {field["name"]: field["type"] for field in noted["fields"]}
            return T.StructType(
                [
                    T.StructField(
                        field.name,
                        _merged(field.dataType, notes.get(field.name), f"{name}.{field.name}" if name else field.name),
                    )
                    for field in found
                ]
            )
        case T.ArrayType(), "array":
            return T.ArrayType(_merged(found.elementType, noted["elementType"], f"{name}.element"))
        case T.MapType(), "map":
            return T.MapType(found.keyType, _merged(found.valueType, noted["valueType"], f"{name}.value"))
    return noted_type(kind, name) or found
