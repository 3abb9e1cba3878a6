"""The wider of two types: the smallest Spark type for the values of both."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import types as T

INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
# How many decimal digits the values of an integer type may have.
DIGITS = {T.ByteType: 3, T.ShortType: 5, T.IntegerType: 10, T.LongType: 20}
LONGEST = 38


def wider(one: T.DataType, other: T.DataType) -> T.DataType:
    """Return the type of a column in whose texts both were found, as Spark's readers of CSV, JSON and XML infer it.

    Of columns of the path, and of a schema that may grow, Spark and Auto Loader have other ideas: see
    :mod:`~pyspark_cloudfiles.schemas.partitions` and :mod:`~pyspark_cloudfiles.schemas.layout`.
    """
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
    """Return the smallest decimal for all values of two types, each an integer or a decimal; None if there is none.

    Parameters
    ----------
    digits
        How many digits each integer type counts.
    """
    whole = max(_whole_digits(one, digits), _whole_digits(other, digits))
    scale = max(_scale(one), _scale(other))
    return T.DecimalType(whole + scale, scale) if whole + scale <= LONGEST else None


def _whole_digits(data_type: T.DataType, digits: Mapping[type[T.DataType], int]) -> int:
    if isinstance(data_type, T.DecimalType):
        return data_type.precision - data_type.scale
    return digits[type(data_type)]


def _scale(data_type: T.DataType) -> int:
    return data_type.scale if isinstance(data_type, T.DecimalType) else 0
