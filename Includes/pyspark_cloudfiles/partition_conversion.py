"""The text of a partition's value as a value of its column's type, converted as Spark does it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
)

from pyspark_cloudfiles import times

_INTEGER = re.compile(r"[+-]?\d+")
# What Java's Double.parseDouble takes, except for hexadecimal digits.
_DOUBLE = re.compile(r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)")
# What Java's String.trim takes away.
_BLANKS = "".join(map(chr, range(33)))
_MOST_DIGITS = 38
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}


def convert_partition(value: str | None, data_type: DataType, timezone: str = "UTC") -> Any:
    """Return a value as Python has its type: int, float, Decimal, date, datetime (aware, or naive for NTZ) ...

    Raises
    ------
    ValueError
        It does not fit the type.
    """
    if value is None:
        return None
    for types, convert in _CONVERSIONS:
        if isinstance(data_type, types):
            try:
                return convert(value, data_type, timezone)
            except (ArithmeticError, ValueError) as error:
                raise ValueError(f"{value!r} is not a value of {data_type.simpleString().upper()}.") from error
    raise ValueError(f"A partition column cannot be of type {data_type.simpleString().upper()}.")


def _fits(number: int, bits: int) -> bool:
    return -(1 << (bits - 1)) <= number < 1 << (bits - 1)


def _integer(value: str, data_type: DataType, timezone: str) -> int:
    if not _INTEGER.fullmatch(value) or not _fits(int(value), _BITS[type(data_type)]):
        raise ValueError
    return int(value)


def _float(value: str, data_type: DataType, timezone: str) -> float:
    text = value.strip(_BLANKS)
    if not _DOUBLE.fullmatch(text):
        raise ValueError
    return float(text.rstrip("fFdD"))


def _decimal(value: str, data_type: DataType, timezone: str) -> Decimal:
    assert isinstance(data_type, DecimalType)
    number = Decimal(value)
    if not number.is_finite() or "_" in value or number.adjusted() > _MOST_DIGITS:
        raise ValueError
    with localcontext(prec=3 * _MOST_DIGITS):
        scaled = number.quantize(Decimal(1).scaleb(-data_type.scale), ROUND_HALF_UP)
    if scaled and scaled.adjusted() >= data_type.precision - data_type.scale:
        raise ValueError
    return scaled


def _boolean(value: str, data_type: DataType, timezone: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ValueError
    return value.lower() == "true"


def _date(value: str, data_type: DataType, timezone: str) -> date:
    return _EPOCH.date() + timedelta(days=times.day(value))


def _moment(value: str, data_type: DataType, timezone: str) -> datetime:
    return _EPOCH + timedelta(microseconds=times.timestamp(value, times.zone_named(timezone)))


def _local_moment(value: str, data_type: DataType, timezone: str) -> datetime:
    return _EPOCH.replace(tzinfo=None) + timedelta(microseconds=times.timestamp_without_zone(value))


_CONVERSIONS: list[tuple[Any, Callable[[str, DataType, str], Any]]] = [
    ((StringType, CharType, VarcharType), lambda value, data_type, timezone: value),
    (tuple(_BITS), _integer),
    ((FloatType, DoubleType), _float),
    (DecimalType, _decimal),
    (DateType, _date),
    (TimestampType, _moment),
    (TimestampNTZType, _local_moment),
    (BooleanType, _boolean),
    (BinaryType, lambda value, data_type, timezone: value.encode()),
    (NullType, lambda value, data_type, timezone: None),
]
