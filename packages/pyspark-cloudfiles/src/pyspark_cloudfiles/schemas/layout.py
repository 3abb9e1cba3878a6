"""The layout of a stream's columns: which come from the data, from the path, or from the file itself.

New columns go to the end of the data columns, new fields to the end of their struct, and what was there keeps its place
and its type; only ``addNewColumnsWithTypeWidening`` lets a type grow, and only where every old value fits the new type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from pyspark_cloudfiles.values.widening import DIGITS, INTEGERS, wider_decimal

# As how many digits it counts when it becomes a decimal, of which others may then grow: as Auto Loader documents it.
_STARTING = {ByteType: 10, ShortType: 10, IntegerType: 10, LongType: 20}
# To which types, besides wider integers and decimals, a type may grow without losing a value.
_WIDER = {
    ByteType: (DoubleType,),
    ShortType: (DoubleType,),
    IntegerType: (DoubleType,),
    LongType: (),
    FloatType: (DoubleType,),
}


def evolved(current: StructType, found: StructType, *, widen: str | None = None) -> StructType:
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
    return StructType([*kept, *known.values()])


def _evolved_field(field: StructField, found: StructField | None, widen: str | None) -> StructField:
    if found is None:
        return field
    return StructField(field.name, _evolved_type(field.dataType, found.dataType, widen), field.nullable)


def _evolved_type(current: DataType, found: DataType, widen: str | None) -> DataType:
    if isinstance(current, StructType) and isinstance(found, StructType):
        return evolved(current, found, widen=widen)
    if isinstance(current, ArrayType) and isinstance(found, ArrayType):
        return ArrayType(_evolved_type(current.elementType, found.elementType, widen), current.containsNull)
    if isinstance(current, MapType) and isinstance(found, MapType):
        return MapType(current.keyType, _evolved_type(current.valueType, found.valueType, widen))
    return widened(current, found, widen) if widen else current


def widened(current: DataType, found: DataType, file_format: str) -> DataType:
    """Return the wider of two types if ``current`` may grow to hold ``found``, and ``current`` if not.

    The changes are those that Auto Loader documents, which Delta's type widening can follow.
    """
    if file_format == "parquet" and isinstance(current, DateType) and isinstance(found, TimestampNTZType):
        return found
    if isinstance(current, INTEGERS) and isinstance(found, INTEGERS):
        return max(current, found, key=lambda integer: DIGITS[type(integer)])
    if isinstance(found, _WIDER.get(type(current), ())):
        return found
    if isinstance(current, (*INTEGERS, DecimalType)) and isinstance(found, (*INTEGERS, DecimalType)):
        return wider_decimal(current, found, _STARTING) or current
    return current


RESCUED = "_rescued_data"
METADATA = "_metadata"
# As Spark's own file sources have it.
METADATA_TYPE = StructType(
    [
        StructField("file_path", StringType(), nullable=False),
        StructField("file_name", StringType(), nullable=False),
        StructField("file_size", LongType(), nullable=False),
        StructField("file_block_start", LongType(), nullable=False),
        StructField("file_block_length", LongType(), nullable=False),
        StructField("file_modification_time", TimestampType(), nullable=False),
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

    schema: StructType
    partitions: tuple[str, ...] = ()
    rescued: str | None = None
    metadata: bool = False

    @property
    def data(self) -> StructType:
        """The columns that are in the files."""
        others = {*self.partitions, self.rescued, METADATA if self.metadata else None}
        return StructType([field for field in self.schema.fields if field.name not in others])

    def without_metadata(self) -> Layout:
        """Return the layout without ``_metadata``."""
        return Layout(schema_without_metadata(self.schema), self.partitions, self.rescued)

    def with_partitions(self, names: Iterable[str]) -> Layout:
        """Return the layout in which those of ``names`` that it has come from the path; case does not matter."""
        wanted = {name.lower() for name in names}
        found = tuple(field.name for field in self.schema.fields if field.name.lower() in wanted)
        return Layout(self.schema, found, self.rescued, self.metadata)


def is_file_metadata(field: StructField) -> bool:
    """Whether a column is that of the file's metadata; one of the data with this name may be NULL, as all of them."""
    return field.name == METADATA and field.dataType == METADATA_TYPE and not field.nullable


def with_metadata(schema: StructType) -> StructType:
    """Return a schema with the column at its end, unless the data has one of this name, which Spark prefers."""
    if METADATA in map(str.lower, schema.names):
        return schema
    return StructType([*schema.fields, StructField(METADATA, METADATA_TYPE, nullable=False)])


def schema_without_metadata(schema: StructType) -> StructType:
    """Return a schema without the column that is the file's own."""
    return StructType([field for field in schema.fields if not is_file_metadata(field)])


def of_inferred(data: StructType, partitions: StructType, rescued: str | None, metadata: bool) -> Layout:
    """Return the layout of an inferred schema: data, rescued, partitions, as Spark's file sources order them."""
    fields = list(data.fields)
    if rescued:
        fields.append(StructField(rescued, StringType()))
    schema = StructType([*fields, *partitions.fields])
    schema = with_metadata(schema) if metadata else schema
    return Layout(schema, tuple(partitions.fieldNames()), rescued, any(map(is_file_metadata, schema.fields)))


def of_given(schema: StructType, rescued: str | None) -> Layout:
    """Return the layout of a schema that the user gave; which of its columns the path has is seen in the files."""
    there = set(schema.fieldNames())
    return Layout(schema, (), rescued if rescued in there else None, any(map(is_file_metadata, schema.fields)))
