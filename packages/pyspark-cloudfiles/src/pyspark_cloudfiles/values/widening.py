"""The wider of two types: the smallest Spark type for the values of both."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import types as T

INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
# The decimal digits of an integer type.
DIGITS = {T.ByteType: 3, T.ShortType: 5, T.IntegerType: 10, T.LongType: 20}
LONGEST = 38


def wider(one: T.DataType, other: T.DataType) -> T.DataType:
    """Return the type for the values of two, as Spark's readers of CSV, JSON and XML infer it."""
    if one == other:
        return one
    kinds = {type(one), type(other)}
    if kinds == {T.DateType, T.TimestampType}:
        return T.TimestampType()
    if kinds == {T.IntegerType, T.LongType}:
        return T.LongType()
    if kinds <= {T.IntegerType, T.LongType, T.DecimalType}:
        return wider_decimal(one, other) or T.DoubleType()
    if kinds <= {T.IntegerType, T.LongType, T.DecimalType, T.DoubleType}:
        return T.DoubleType()
    return T.StringType()


def wider_decimal(
    one: T.DataType, other: T.DataType, digits: Mapping[type[T.DataType], int] = DIGITS
) -> T.DecimalType | None:
    """Return the smallest decimal for two types, each an integer, of so many digits, or a decimal, if there is one."""
    decimals = [
        some if isinstance(some, T.DecimalType) else T.DecimalType(digits[type(some)], 0) for some in (one, other)
    ]
    whole = max(some.precision - some.scale for some in decimals)
    scale = max(some.scale for some in decimals)
    return T.DecimalType(whole + scale, scale) if whole + scale <= LONGEST else None
