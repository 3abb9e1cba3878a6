"""How a schema changes when data brings something new.

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

# How many decimal digits the values of an integer type may have.
DIGITS = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 20}
_INTEGERS = (ByteType, ShortType, IntegerType, LongType)
# To which types, besides wider integers and decimals, a type may grow without losing a value.
_WIDER = {
    ByteType: (FloatType, DoubleType),
    ShortType: (FloatType, DoubleType),
    IntegerType: (DoubleType,),
    LongType: (),
    FloatType: (DoubleType,),
    DateType: (TimestampNTZType,),
}


def evolved(current: StructType, found: StructType, *, widen: bool = False) -> StructType:
    """Return ``current`` with what ``found`` has besides.

    Names are compared without their case: another spelling of a known name is not a new column.

    Parameters
    ----------
    current : StructType
        The schema so far; the order and, without ``widen``, the types of its fields are kept.
    found : StructType
        What inference finds in new data.
    widen : bool
        Whether types may grow.
    """
    known = {field.name.lower(): field for field in found.fields}
    kept = [_evolved_field(field, known.pop(field.name.lower(), None), widen) for field in current.fields]
    return StructType([*kept, *known.values()])


def _evolved_field(field: StructField, found: StructField | None, widen: bool) -> StructField:
    if found is None:
        return field
    return StructField(field.name, _evolved_type(field.dataType, found.dataType, widen), field.nullable)


def _evolved_type(current: DataType, found: DataType, widen: bool) -> DataType:
    if isinstance(current, StructType) and isinstance(found, StructType):
        return evolved(current, found, widen=widen)
    if isinstance(current, ArrayType) and isinstance(found, ArrayType):
        return ArrayType(_evolved_type(current.elementType, found.elementType, widen), current.containsNull)
    if isinstance(current, MapType) and isinstance(found, MapType):
        return MapType(current.keyType, _evolved_type(current.valueType, found.valueType, widen))
    return widened(current, found) if widen else current


def widened(current: DataType, found: DataType) -> DataType:
    """Return the wider of two types if ``current`` may grow to hold ``found``, and ``current`` if not."""
    if isinstance(current, _INTEGERS) and isinstance(found, _INTEGERS):
        return max(current, found, key=lambda integer: DIGITS[type(integer)])
    if isinstance(found, _WIDER.get(type(current), ())):
        return found
    if isinstance(current, (*_INTEGERS, DecimalType)) and isinstance(found, (*_INTEGERS, DecimalType)):
        return _wider_decimal(current, found)
    return current


def _wider_decimal(current: DataType, found: DataType) -> DataType:
    whole = max(_whole_digits(current), _whole_digits(found))
    scale = max(getattr(current, "scale", 0), getattr(found, "scale", 0))
    return DecimalType(whole + scale, scale) if whole + scale <= 38 else current


def _whole_digits(data_type: DataType) -> int:
    if isinstance(data_type, DecimalType):
        return data_type.precision - data_type.scale
    return DIGITS[type(data_type)]
