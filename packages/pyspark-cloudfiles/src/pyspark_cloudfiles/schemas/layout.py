"""The layout of a stream's columns: which come from the data, from the path, or from the file itself.

New columns are appended to the data columns, new fields to their struct; existing ones keep their place and type.  Only
``addNewColumnsWithTypeWidening`` lets a type grow, and only if every old value fits the new type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import types as T

from pyspark_cloudfiles.values.widening import DIGITS, INTEGERS, wider_decimal

# The digits of an integer type that grows into a decimal, as Auto Loader documents it.
_STARTING = {T.ByteType: 10, T.ShortType: 10, T.IntegerType: 10, T.LongType: 20}
# The types, besides wider integers and decimals, that a type may grow into without losing a value.
_WIDER = {
    T.ByteType: (T.DoubleType,),
    T.ShortType: (T.DoubleType,),
    T.IntegerType: (T.DoubleType,),
    T.LongType: (),
    T.FloatType: (T.DoubleType,),
}


def evolve_schema(current: T.StructType, found: T.StructType, *, widen: str | None = None) -> T.StructType:
    """Return a schema with the additional columns of data; a known name in another case is not a new column.

    Types grow only if ``widen`` is given, the format of the files.
    """
    known = {field.name.lower(): field for field in found.fields}
    kept = []
    for field in current.fields:
        same = known.pop(field.name.lower(), None)
        data_type = field.dataType if same is None else _evolved_type(field.dataType, same.dataType, widen)
        kept.append(T.StructField(field.name, data_type, field.nullable))
    return T.StructType([*kept, *known.values()])


def _evolved_type(current: T.DataType, found: T.DataType, widen: str | None) -> T.DataType:
    if isinstance(current, T.StructType) and isinstance(found, T.StructType):
        return evolve_schema(current, found, widen=widen)
    if isinstance(current, T.ArrayType) and isinstance(found, T.ArrayType):
        return T.ArrayType(_evolved_type(current.elementType, found.elementType, widen), current.containsNull)
    if isinstance(current, T.MapType) and isinstance(found, T.MapType):
        return T.MapType(current.keyType, _evolved_type(current.valueType, found.valueType, widen))
    return widen_type(current, found, widen) if widen else current


def widen_type(current: T.DataType, found: T.DataType, file_format: str) -> T.DataType:
    """Return the wider of two types if Auto Loader's type widening allows it, otherwise the current one."""
    if file_format == "parquet" and isinstance(current, T.DateType) and isinstance(found, T.TimestampNTZType):
        return found
    if isinstance(current, INTEGERS) and isinstance(found, INTEGERS):
        return max(current, found, key=lambda integer: DIGITS[type(integer)])
    if isinstance(found, _WIDER.get(type(current), ())):
        return found
    if isinstance(current, (*INTEGERS, T.DecimalType)) and isinstance(found, (*INTEGERS, T.DecimalType)):
        return wider_decimal(current, found, _STARTING) or current
    return current


RESCUED = "_rescued_data"
METADATA = "_metadata"
# As Spark's own file sources have it.
METADATA_TYPE = T.StructType(
    [
        T.StructField("file_path", T.StringType(), nullable=False),
        T.StructField("file_name", T.StringType(), nullable=False),
        T.StructField("file_size", T.LongType(), nullable=False),
        T.StructField("file_block_start", T.LongType(), nullable=False),
        T.StructField("file_block_length", T.LongType(), nullable=False),
        T.StructField("file_modification_time", T.TimestampType(), nullable=False),
    ]
)


@dataclass(frozen=True)
class Layout:
    """The columns of a stream: the names of its partitions, the one of rescued data, whether it has ``_metadata``."""

    schema: T.StructType
    partitions: tuple[str, ...] = ()
    rescued: str | None = None
    metadata: bool = False

    @property
    def data(self) -> T.StructType:
        """The columns that are in the files."""
        others = {*self.partitions, self.rescued, METADATA if self.metadata else None}
        return T.StructType([field for field in self.schema.fields if field.name not in others])

    def without_metadata(self) -> Layout:
        return Layout(remove_metadata(self.schema), self.partitions, self.rescued)

    def with_partitions(self, names: Iterable[str]) -> Layout:
        """Return the layout in which the named columns, in any case, come from the path."""
        wanted = {name.lower() for name in names}
        found = tuple(field.name for field in self.schema.fields if field.name.lower() in wanted)
        return Layout(self.schema, found, self.rescued, self.metadata)


def is_file_metadata(field: T.StructField) -> bool:
    """Whether a column has the files' metadata; a data column of this name may be NULL, as all data columns."""
    return field.name == METADATA and field.dataType == METADATA_TYPE and not field.nullable


def add_metadata(schema: T.StructType) -> T.StructType:
    """Return a schema with the metadata column, unless the data has one of this name, which Spark prefers."""
    if METADATA in map(str.lower, schema.names):
        return schema
    return T.StructType([*schema.fields, T.StructField(METADATA, METADATA_TYPE, nullable=False)])


def remove_metadata(schema: T.StructType) -> T.StructType:
    return T.StructType([field for field in schema.fields if not is_file_metadata(field)])


def inferred_layout(data: T.StructType, partitions: T.StructType, rescued: str | None, metadata: bool) -> Layout:
    """Return the layout of an inferred schema: data, rescued, partitions, as Spark's file sources order them."""
    fields = list(data.fields)
    if rescued:
        fields.append(T.StructField(rescued, T.StringType()))
    schema = T.StructType([*fields, *partitions.fields])
    schema = add_metadata(schema) if metadata else schema
    return Layout(schema, tuple(partitions.fieldNames()), rescued, any(map(is_file_metadata, schema.fields)))


def given_layout(schema: T.StructType, rescued: str | None) -> Layout:
    """Return the layout of a user's schema; the files' paths decide later which of its columns are partitions."""
    found = rescued if rescued in schema.fieldNames() else None
    return Layout(schema, (), found, any(map(is_file_metadata, schema.fields)))
