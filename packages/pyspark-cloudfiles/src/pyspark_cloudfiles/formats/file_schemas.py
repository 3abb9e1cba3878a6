"""The schemas of typed files as Spark has them: Arrow's types, types in Spark's own metadata, and several files merged.

Spark writes intervals as integers and a VARIANT as a struct, with a note: Parquet files have Spark's whole schema in
their metadata, Avro files a property of the type.  Without the note they are the file's types, to Spark as well; and a
given schema reads them as either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.types as pat
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.errors import InferenceFailed, MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile

if TYPE_CHECKING:
    from pyarrow import NativeFile


@contextmanager
def open_arrow_file(file: SourceFile, kind: str) -> Iterator[NativeFile | None]:
    """Open a file, or yield None for an empty one, which Spark skips; raise MissingFile or UnreadableFile."""
    try:
        with filesystem.open_arrow(file.url) as source:
            yield source if source.size() else None
    except FileNotFoundError as error:
        raise MissingFile(file.url) from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(file.url, f"it cannot be read as {kind} file ({error}).") from error


def schema_of(file: SourceFile, schema: pa.Schema, physical: Iterator[str] | None = None) -> T.StructType:
    """Return the schema of a file as Spark has it; all fields are nullable, as in all files that Spark reads.

    ``physical`` are the physical types of a Parquet file's leaves: an INT96 is a TIMESTAMP, which Arrow's type does not
    show.  Raise UnreadableFile for a time of day, or decimals of more than 38 digits.
    """
    kinds = repeat("") if physical is None else physical
    try:
        return T.StructType([_spark_field(field, kinds) for field in schema])
    except UnknownArrowTypeError as error:
        raise UnreadableFile(file.url, f"it has a column of type {error}, which Spark does not have.") from error


# The physical type of a timestamp that is a moment to Spark although Arrow has no time zone for it.
LOCAL_MOMENT = "INT96"
_ATOMS = [
    (pat.is_boolean, T.BooleanType()),
    (pat.is_int8, T.ByteType()),
    (lambda arrow: pat.is_int16(arrow) or pat.is_uint8(arrow), T.ShortType()),
    (lambda arrow: pat.is_int32(arrow) or pat.is_uint16(arrow), T.IntegerType()),
    (lambda arrow: pat.is_int64(arrow) or pat.is_uint32(arrow) or pat.is_duration(arrow), T.LongType()),
    (pat.is_uint64, T.DecimalType(20, 0)),
    (lambda arrow: pat.is_float32(arrow) or pat.is_float16(arrow), T.FloatType()),
    (pat.is_float64, T.DoubleType()),
    (lambda arrow: pat.is_string(arrow) or pat.is_large_string(arrow) or pat.is_string_view(arrow), T.StringType()),
    (lambda arrow: pat.is_binary(arrow) or pat.is_large_binary(arrow), T.BinaryType()),
    (lambda arrow: pat.is_binary_view(arrow) or pat.is_fixed_size_binary(arrow), T.BinaryType()),
    (pat.is_date, T.DateType()),
    (pat.is_null, T.NullType()),
]


# Changes values of a Spark type, in a column or nested in one.
Change = Callable[[pa.Array, T.DataType], pa.Array]


class UnknownArrowTypeError(ValueError):
    """Spark has no type for a file's."""


def _spark_field(field: pa.Field, physical: Iterator[str]) -> T.StructField:
    found = _spark_type(field.type, physical)
    # Spark writes a TIMESTAMP_NTZ into ORC, which has none, as a number of microseconds with this note.
    if found == T.LongType() and (field.metadata or {}).get(PROPERTY.encode()) == b"timestamp_ntz":
        found = T.TimestampNTZType()
    return T.StructField(field.name, found)


def _spark_type(arrow: pa.DataType, physical: Iterator[str]) -> T.DataType:
    """Return a type as Spark has it, and consume the physical types of its leaves."""
    if isinstance(arrow, pa.BaseExtensionType):
        return _spark_type(arrow.storage_type, physical)
    if pat.is_struct(arrow):
        return T.StructType([_spark_field(field, physical) for field in arrow])
    if pat.is_map(arrow):
        key, item = _spark_field(arrow.key_field, physical), _spark_field(arrow.item_field, physical)
        return T.MapType(key.dataType, item.dataType)
    if pat.is_nested(arrow) and hasattr(arrow, "value_field"):
        return T.ArrayType(_spark_field(arrow.value_field, physical).dataType)
    if pat.is_dictionary(arrow):
        return _spark_type(arrow.value_type, physical)
    kind = next(physical)
    if pat.is_timestamp(arrow):
        return T.TimestampType() if arrow.tz is not None or kind == LOCAL_MOMENT else T.TimestampNTZType()
    if pat.is_decimal(arrow) and arrow.precision <= 38 and 0 <= arrow.scale <= arrow.precision:
        return T.DecimalType(arrow.precision, arrow.scale)
    for is_it, spark in _ATOMS:
        if is_it(arrow):
            return spark
    raise UnknownArrowTypeError(str(arrow))


def normalize_array(array: pa.Array, data_type: T.DataType) -> pa.Array:
    """Return a file's array as Spark's Arrow type for its Spark type; nanoseconds are cut to microseconds."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    wanted = to_arrow_type(data_type, timezone="UTC")
    return array if array.type == wanted else array.cast(wanted, safe=False)


def change_leaves(array: pa.Array, data_type: T.DataType, change: Change) -> pa.Array:
    """Return a file's array with changed values, also those inside of structs, arrays and maps."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    match data_type:
        case T.StructType():
            members = [
                change_leaves(array.field(index), field.dataType, change) for index, field in enumerate(data_type)
            ]
            fields = [old.with_type(member.type) for old, member in zip(array.type, members, strict=True)]
            return pa.StructArray.from_arrays(members, fields=fields, mask=array.is_null())
        case T.ArrayType():
            if not pat.is_list(array.type):
                array = array.cast(pa.list_(array.type.value_field))
            elements = change_leaves(array.values, data_type.elementType, change)
            changed = pa.list_(array.type.value_field.with_type(elements.type))
            return _with_children(array, changed, elements)
        case T.MapType():
            keys = change_leaves(array.keys, data_type.keyType, change)
            items = change_leaves(array.items, data_type.valueType, change)
            fields = [array.type.key_field.with_type(keys.type), array.type.item_field.with_type(items.type)]
            return _with_children(array, pa.map_(*fields), pa.StructArray.from_arrays([keys, items], fields=fields))
    return change(array, data_type)


def _with_children(array: pa.Array, arrow: pa.DataType, children: pa.Array) -> pa.Array:
    """Return a list or a map with other elements."""
    return pa.Array.from_buffers(
        arrow, len(array), array.buffers()[:2], array.null_count, array.offset, children=[children]
    )


PROPERTY = "spark.sql.catalyst.type"
_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?")
_INTERVALS = {T.DayTimeIntervalType: ("day", "hour", "minute", "second"), T.YearMonthIntervalType: ("year", "month")}


class NoArrowTypeError(ValueError):
    """Spark has a type for a column that no data source in Python can return."""


def apply_notes(schema: T.StructType, metadata: Mapping[bytes, bytes]) -> T.StructType:
    """Return the schema of a Parquet file with the types in Spark's metadata; raise NoArrowTypeError."""
    noted = metadata.get(_SCHEMA)
    found = schema if noted is None else _merge_notes(schema, json.loads(noted), "")
    assert isinstance(found, T.StructType)
    return found


def parse_note(note: Any, name: str) -> T.DataType | None:
    """Return the type of a note, unless it is the file's own; refuse intervals of years and months."""
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
    """Whether a type is, or contains, a VARIANT that is written as columns of its own."""
    match data_type:
        case T.StructType():
            names = set(data_type.names)
            return {"metadata", "typed_value"} <= names or any(is_shredded(field.dataType) for field in data_type)
        case T.ArrayType():
            return is_shredded(data_type.elementType)
        case T.MapType():
            return is_shredded(data_type.valueType)
    return False


def _merge_notes(found: T.DataType, noted: Any, name: str) -> T.DataType:
    """Return a file's type with the notes of Spark's JSON of a schema."""
    kind = noted.get("type") if isinstance(noted, dict) else noted
    match found, kind:
        case T.StructType(), "struct":
            notes = {field["name"]: field["type"] for field in noted["fields"]}
            return T.StructType(
                [
                    T.StructField(
                        field.name,
                        _merge_notes(
                            field.dataType, notes.get(field.name), f"{name}.{field.name}" if name else field.name
                        ),
                    )
                    for field in found
                ]
            )
        case T.ArrayType(), "array":
            return T.ArrayType(_merge_notes(found.elementType, noted["elementType"], f"{name}.element"))
        case T.MapType(), "map":
            return T.MapType(found.keyType, _merge_notes(found.valueType, noted["valueType"], f"{name}.value"))
    return parse_note(kind, name) or found


class Merged:
    """The merged schema of several files, as by Spark's ``mergeSchema``: only decimals are widened.

    Without ``case_sensitive``, names that differ only in case are one column, in the first spelling.  The types of
    ``hinted`` columns, in lower case, are given: of several types the first counts.
    """

    def __init__(self, case_sensitive: bool, hinted: frozenset[str] = frozenset()) -> None:
        self._case_sensitive, self._hinted = case_sensitive, hinted
        self._schema = T.StructType([])
        self._seen: list[T.StructType] = []

    def add(self, schema: T.StructType, path: str) -> None:
        """Add a file's schema; raise InferenceFailed if a column's type does not agree with the files before."""
        if schema in self._seen:
            return
        self._seen.append(schema)
        self._schema = self._structs(self._schema, schema, "", path)

    def schema(self) -> T.StructType:
        """Return the merged schema; a column without a type in any file is an INT, as in Spark."""
        return _without_nulls(self._schema)

    def _structs(self, one: T.StructType, other: T.StructType, prefix: str, path: str) -> T.StructType:
        fields = {self._key(field.name): field for field in one}
        for field in other:
            known = fields.setdefault(self._key(field.name), field)
            data_type = self._types(known.dataType, field.dataType, f"{prefix}{known.name}", path)
            fields[self._key(field.name)] = T.StructField(known.name, data_type)
        return T.StructType(list(fields.values()))

    def _types(self, one: T.DataType, other: T.DataType, name: str, path: str) -> T.DataType:
        match one, other:
            case _ if one == other or isinstance(other, T.NullType):
                return one
            case T.NullType(), _:
                return other
            case T.StructType(), T.StructType():
                return self._structs(one, other, f"{name}.", path)
            case T.ArrayType(), T.ArrayType():
                return T.ArrayType(self._types(one.elementType, other.elementType, f"{name}.element", path))
            case T.MapType(), T.MapType():
                key = self._types(one.keyType, other.keyType, f"{name}.key", path)
                return T.MapType(key, self._types(one.valueType, other.valueType, f"{name}.value", path))
            case T.DecimalType(), T.DecimalType() if one.scale == other.scale:
                return T.DecimalType(max(one.precision, other.precision), one.scale)
        if name.split(".")[0].lower() in self._hinted:
            return one
        raise InferenceFailed(
            f"Failed to infer the schema: column {name} is {_sql(other)} in {path}, and {_sql(one)} in another file. "
            f"Say which it is with the option cloudFiles.schemaHints, '{name} {_sql(one)}': what does not fit goes to "
            "the rescued data column."
        )

    def _key(self, name: str) -> str:
        return name if self._case_sensitive else name.lower()


def _sql(data_type: T.DataType) -> str:
    return data_type.simpleString().upper()


def _without_nulls(data_type: T.DataType) -> T.DataType:
    match data_type:
        case T.NullType():
            return T.IntegerType()
        case T.StructType():
            return T.StructType([T.StructField(field.name, _without_nulls(field.dataType)) for field in data_type])
        case T.ArrayType():
            return T.ArrayType(_without_nulls(data_type.elementType))
        case T.MapType():
            return T.MapType(_without_nulls(data_type.keyType), _without_nulls(data_type.valueType))
    return data_type
