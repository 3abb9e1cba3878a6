"""The layout of a stream's columns: which come from the data, from the path, or from the file itself.

New columns go to the end of the data columns, new fields to the end of their struct, and what was there keeps its place
and its type; only ``addNewColumnsWithTypeWidening`` lets a type grow, and only where every old value fits the new type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import types as T

from pyspark_cloudfiles.values.widening import DIGITS, INTEGERS, wider_decimal

# As how many digits it counts when it becomes a decimal, of which others may then grow: as Auto Loader documents it.
_STARTING = {T.ByteType: 10, T.ShortType: 10, T.IntegerType: 10, T.LongType: 20}
# To which types, besides wider integers and decimals, a type may grow without losing a value.
_WIDER = {
    T.ByteType: (T.DoubleType,),
    T.ShortType: (T.DoubleType,),
    T.IntegerType: (T.DoubleType,),
    T.LongType: (),
    T.FloatType: (T.DoubleType,),
}


def evolved(current: T.StructType, found: T.StructType, *, widen: str | None = None) -> T.StructType:
    """Return ``current`` with what ``found`` has besides.

    Names are compared without their case: another spelling of a known name is not a new column.

    Parameters
    ----------
    current : StructType
        The schema so far; the order and, without ``widen``, the types of its fields are kept.
    found : StructType
        What inference finds in new data.
    widen : str or None
        The format of the files, if types may grow.
    """
    known = {field.name.lower(): field for field in found.fields}
    kept = [_evolved_field(field, known.pop(field.name.lower(), None), widen) for field in current.fields]
    return T.StructType([*kept, *known.values()])


def _evolved_field(field: T.StructField, found: T.StructField | None, widen: str | None) -> T.StructField:
    if found is None:
        return field
    return T.StructField(field.name, _evolved_type(field.dataType, found.dataType, widen), field.nullable)


def _evolved_type(current: T.DataType, found: T.DataType, widen: str | None) -> T.DataType:
    if isinstance(current, T.StructType) and isinstance(found, T.StructType):
        return evolved(current, found, widen=widen)
    if isinstance(current, T.ArrayType) and isinstance(found, T.ArrayType):
        return T.ArrayType(_evolved_type(current.elementType, found.elementType, widen), current.containsNull)
    if isinstance(current, T.MapType) and isinstance(found, T.MapType):
        return T.MapType(current.keyType, _evolved_type(current.valueType, found.valueType, widen))
    return widened(current, found, widen) if widen else current


def widened(current: T.DataType, found: T.DataType, file_format: str) -> T.DataType:
    """Return the wider of two types if ``current`` may grow to hold ``found``, and ``current`` if not.

    The changes are those that Auto Loader documents, which Delta's type widening can follow.
    """
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
    """The columns of a stream.

    Parameters
    ----------
    schema : StructType
        All of them, in order, as Spark's plan has them.
    partitions : tuple of str
        Names of those that come from the path.
    rescued : str or None
        The one that takes what did not fit.
    metadata : bool
        Whether ``_metadata`` is one of them.
    """

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
        """Return the layout without ``_metadata``."""
        return Layout(schema_without_metadata(self.schema), self.partitions, self.rescued)

    def with_partitions(self, names: Iterable[str]) -> Layout:
        """Return the layout in which those of ``names`` that it has come from the path; case does not matter."""
        wanted = {name.lower() for name in names}
        found = tuple(field.name for field in self.schema.fields if field.name.lower() in wanted)
        return Layout(self.schema, found, self.rescued, self.metadata)


def is_file_metadata(field: T.StructField) -> bool:
    """Whether a column is that of the file's metadata; one of the data with this name may be NULL, as all of them."""
    return field.name == METADATA and field.dataType == METADATA_TYPE and not field.nullable


def with_metadata(schema: T.StructType) -> T.StructType:
    """Return a schema with the column at its end, unless the data has one of this name, which Spark prefers."""
    if METADATA in map(str.lower, schema.names):
        return schema
    return T.StructType([*schema.fields, T.StructField(METADATA, METADATA_TYPE, nullable=False)])


def schema_without_metadata(schema: T.StructType) -> T.StructType:
    """Return a schema without the column that is the file's own."""
    return T.StructType([field for field in schema.fields if not is_file_metadata(field)])


def of_inferred(data: T.StructType, partitions: T.StructType, rescued: str | None, metadata: bool) -> Layout:
    """Return the layout of an inferred schema: data, rescued, partitions, as Spark's file sources order them."""
    fields = list(data.fields)
    if rescued:
        fields.append(T.StructField(rescued, T.StringType()))
    schema = T.StructType([*fields, *partitions.fields])
    schema = with_metadata(schema) if metadata else schema
    return Layout(schema, tuple(partitions.fieldNames()), rescued, any(map(is_file_metadata, schema.fields)))


def of_given(schema: T.StructType, rescued: str | None) -> Layout:
    """Return the layout of a schema that the user gave; which of its columns the path has is seen in the files."""
    there = set(schema.fieldNames())
    return Layout(schema, (), rescued if rescued in there else None, any(map(is_file_metadata, schema.fields)))
