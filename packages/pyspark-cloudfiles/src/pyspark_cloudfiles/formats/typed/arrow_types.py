"""Arrow's types as Spark's, and arrays in exactly the types of Spark's Arrow schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.types as pat
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.errors import MissingFile, UnreadableFile
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.files import SourceFile

if TYPE_CHECKING:
    from pyarrow import NativeFile


@contextmanager
def opened(file: SourceFile, kind: str) -> Iterator[NativeFile | None]:
    """Open a file; None for one without any bytes, which Spark passes over.

    Raises
    ------
    MissingFile, UnreadableFile
        It is gone; what is done with it raises an error of Arrow's.
    """
    try:
        with filesystem.open_arrow(file.url) as source:
            yield source if source.size() else None
    except FileNotFoundError as error:
        raise MissingFile(file.url) from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(file.url, f"it cannot be read as {kind} file ({error}).") from error


def schema_of(file: SourceFile, schema: pa.Schema, physical: Iterator[str] | None = None) -> T.StructType:
    """Return the schema of a file as Spark has it; parameters as :func:`.arrow_types.spark_schema`.

    Raises
    ------
    UnreadableFile
        A column has a type that Spark does not have.
    """
    try:
        return spark_schema(schema, physical)
    except UnknownArrowTypeError as error:
        raise UnreadableFile(file.url, f"it has a column of type {error}, which Spark does not have.") from error


# The physical type of a timestamp that is a moment to Spark though Arrow has no time zone for it.
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
    (
        lambda arrow: (
            pat.is_binary(arrow)
            or pat.is_large_binary(arrow)
            or pat.is_binary_view(arrow)
            or pat.is_fixed_size_binary(arrow)
        ),
        T.BinaryType(),
    ),
    (pat.is_date, T.DateType()),
    (pat.is_null, T.NullType()),
]


# Changes the values of a column, or of what is nested in one, that are of a Spark type.
Change = Callable[[pa.Array, T.DataType], pa.Array]


class UnknownArrowTypeError(ValueError):
    """Spark has no type for what a file has."""


def spark_schema(schema: pa.Schema, physical: Iterator[str] | None = None) -> T.StructType:
    """Return a file's schema as Spark has it; all is nullable, as whatever Spark reads from files.

    Parameters
    ----------
    physical : iterator of str, optional
        The physical types of the leaves, of a Parquet file: an INT96 is a TIMESTAMP, which Arrow does not tell.

    Raises
    ------
    UnknownArrowTypeError
        A column has a type that Spark does not have: a time of day, or decimals of more than 38 digits.
    """
    kinds = repeat("") if physical is None else physical
    return T.StructType([_spark_field(field, kinds) for field in schema])


def _spark_field(field: pa.Field, physical: Iterator[str]) -> T.StructField:
    return T.StructField(field.name, _type_of_field(field, physical))


def _type_of_field(field: pa.Field, physical: Iterator[str]) -> T.DataType:
    found = spark_type(field.type, physical)
    # How Spark writes a TIMESTAMP_NTZ into ORC, which has none: a number of microseconds, with this note.
    if found == T.LongType() and (field.metadata or {}).get(b"spark.sql.catalyst.type") == b"timestamp_ntz":
        return T.TimestampNTZType()
    return found


def spark_type(arrow: pa.DataType, physical: Iterator[str]) -> T.DataType:
    """Return a type as Spark has it, and take the physical types of its leaves."""
    if isinstance(arrow, pa.BaseExtensionType):
        return spark_type(arrow.storage_type, physical)
    if pat.is_struct(arrow):
        return T.StructType([_spark_field(field, physical) for field in arrow])
    if pat.is_map(arrow):
        return T.MapType(_type_of_field(arrow.key_field, physical), _type_of_field(arrow.item_field, physical))
    if pat.is_nested(arrow) and hasattr(arrow, "value_field"):
        return T.ArrayType(_type_of_field(arrow.value_field, physical))
    if pat.is_dictionary(arrow):
        return spark_type(arrow.value_type, physical)
    kind = next(physical)
    if pat.is_timestamp(arrow):
        return T.TimestampType() if arrow.tz is not None or kind == LOCAL_MOMENT else T.TimestampNTZType()
    if pat.is_decimal(arrow) and arrow.precision <= 38 and 0 <= arrow.scale <= arrow.precision:
        return T.DecimalType(arrow.precision, arrow.scale)
    for is_it, spark in _ATOMS:
        if is_it(arrow):
            return spark
    raise UnknownArrowTypeError(str(arrow))


def normalized(array: pa.Array, data_type: T.DataType) -> pa.Array:
    """Return a file's array as Spark's Arrow type for it; nanoseconds are cut to microseconds.

    Parameters
    ----------
    data_type : DataType
        What :func:`spark_type` says.
    """
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    wanted = to_arrow_type(data_type, timezone="UTC")
    return array if array.type == wanted else array.cast(wanted, safe=False)


def with_changed_leaves(array: pa.Array, data_type: T.DataType, change: Change) -> pa.Array:
    """Return a file's array whose values are changed, those inside of structs, arrays and maps as well.

    Parameters
    ----------
    data_type : DataType
        What :func:`spark_type` says.
    change : callable
        Is given arrays of types that are not nested, and returns as many values.
    """
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    match data_type:
        case T.StructType():
            members = [
                with_changed_leaves(array.field(index), field.dataType, change) for index, field in enumerate(data_type)
            ]
            fields = [old.with_type(member.type) for old, member in zip(array.type, members, strict=True)]
            return pa.StructArray.from_arrays(members, fields=fields, mask=array.is_null())
        case T.ArrayType():
            if not pat.is_list(array.type):
                array = array.cast(pa.list_(array.type.value_field))
            elements = with_changed_leaves(array.values, data_type.elementType, change)
            changed = pa.list_(array.type.value_field.with_type(elements.type))
            return _with_children(array, changed, elements)
        case T.MapType():
            keys = with_changed_leaves(array.keys, data_type.keyType, change)
            items = with_changed_leaves(array.items, data_type.valueType, change)
            fields = [array.type.key_field.with_type(keys.type), array.type.item_field.with_type(items.type)]
            return _with_children(array, pa.map_(*fields), pa.StructArray.from_arrays([keys, items], fields=fields))
    return change(array, data_type)


def _with_children(array: pa.Array, arrow: pa.DataType, children: pa.Array) -> pa.Array:
    """Return a list or a map whose elements are others."""
    return pa.Array.from_buffers(
        arrow, len(array), array.buffers()[:2], array.null_count, array.offset, children=[children]
    )
