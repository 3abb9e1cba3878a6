"""Schema evolution: new columns and widened types.

New columns go to the end of the data columns, new fields to the end of their struct, and what was there keeps its place
and its type; only ``addNewColumnsWithTypeWidening`` lets a type grow, and only where every old value fits the new type.
"""

from __future__ import annotations

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
    StructField,
    StructType,
    TimestampNTZType,
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
