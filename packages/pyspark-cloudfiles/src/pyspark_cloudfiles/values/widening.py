"""The wider of two types: the smallest Spark type for the values of both."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.types import (
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampType,
)

INTEGERS = (ByteType, ShortType, IntegerType, LongType)
# How many decimal digits the values of an integer type may have.
DIGITS = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 20}
LONGEST = 38


def wider(one: DataType, other: DataType) -> DataType:
    """Return the type of a column in whose texts both were found, as Spark's readers of CSV, JSON and XML infer it.

    Of columns of the path, and of a schema that may grow, Spark and Auto Loader have other ideas: see
    :mod:`~pyspark_cloudfiles.schemas.partitions` and :mod:`~pyspark_cloudfiles.schemas.layout`.
    """
    if one == other:
        return one
    kinds = {type(one), type(other)}
    if kinds == {DateType, TimestampType}:
        return TimestampType()
    if kinds == {IntegerType, LongType}:
        return LongType()
    if kinds <= {IntegerType, LongType, DecimalType}:
        return wider_decimal(one, other) or DoubleType()
    if kinds <= {IntegerType, LongType, DecimalType, DoubleType}:
        return DoubleType()
    return StringType()


def wider_decimal(one: DataType, other: DataType, digits: Mapping[type[DataType], int] = DIGITS) -> DecimalType | None:
    """Return the smallest decimal for all values of two types, each an integer or a decimal; None if there is none.

    Parameters
    ----------
    digits
        How many digits each integer type counts.
    """
    whole = max(_whole_digits(one, digits), _whole_digits(other, digits))
    scale = max(_scale(one), _scale(other))
    return DecimalType(whole + scale, scale) if whole + scale <= LONGEST else None


def _whole_digits(data_type: DataType, digits: Mapping[type[DataType], int]) -> int:
    if isinstance(data_type, DecimalType):
        return data_type.precision - data_type.scale
    return digits[type(data_type)]


def _scale(data_type: DataType) -> int:
    return data_type.scale if isinstance(data_type, DecimalType) else 0
