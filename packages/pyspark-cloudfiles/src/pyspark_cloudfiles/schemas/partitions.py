"""Partition columns, read from paths such as ``event=click/date=2024-01-01/``.

Keys, values and types are those that Spark's readers find, except that a TIME is a STRING, and that a directory
without ``=`` between two with it ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from functools import reduce
from typing import Any

from pyspark.sql import types as T

from pyspark_cloudfiles.filesystems import filesystem, globs
from pyspark_cloudfiles.values import times
from pyspark_cloudfiles.values.widening import LONGEST, wider_decimal

_NULL = "__HIVE_DEFAULT_PARTITION__"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# The forms that Spark infers from; more are converted once the type is known.
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+")
# What Java's Double.parseDouble takes, except for hexadecimal digits.
_DOUBLE = re.compile(r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)")
# What Java's String.trim takes away.
_BLANKS = "".join(map(chr, range(33)))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BITS = {T.ByteType: 8, T.ShortType: 16, T.IntegerType: 32, T.LongType: 64}


def partition_values(root_url: str, file_url: str) -> dict[str, str | None]:
    """Return the keys and values in the directories between a stream's path and one of its files.

    Parameters
    ----------
    root_url : str
        The path of the stream; of a glob, the directories that it begins with are the root.

    Returns
    -------
    dict
        In the order of the path, unescaped; None for Hive's name of NULL.  Of a key that is there twice, the deeper.
    """
    root = globs.base_of(filesystem.canonical(root_url)).rstrip("/") + "/"
    if not file_url.startswith(root):
        return {}
    found: dict[str, str | None] = {}
    for name in file_url[len(root) :].split("/")[:-1]:
        key, equals, value = name.partition("=")
        if key and equals and value:
            found[unescaped(key)] = None if value == _NULL else unescaped(value)
    return found


def unescaped(text: str) -> str:
    """Return a name without Hive's escapes: ``%3A`` is a colon, ``%zz`` is itself."""
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text) if "%" in text else text


def infer_partition_types(rows: Iterable[dict[str, str | None]]) -> dict[str, T.DataType]:
    """Return the type of each key, in the order of their first appearance, as Spark infers it from all the values.

    A key without any value is a STRING (to Spark it has no type).
    """
    types: dict[str, set[T.DataType]] = {}
    for row in rows:
        for key, value in row.items():
            known = types.setdefault(key, set())
            if value is not None:
                known.add(_type_of(value))
    return {key: reduce(_wider, found) if found else T.StringType() for key, found in types.items()}


def _type_of(value: str) -> T.DataType:
    """Return the type of one value: the first that takes it, in Spark's order."""
    for data_type in (T.IntegerType(), T.LongType()):
        if _is(value, data_type):
            return data_type
    digits = _whole_digits(value)
    if digits is not None and digits <= LONGEST:
        return T.DecimalType(digits, 0)
    if _is(value, T.DoubleType()):
        return T.DoubleType()
    for form, data_type in ((_TIMESTAMP, T.TimestampType()), (_DATE, T.DateType())):
        if form.fullmatch(value) and _is(value, data_type):
            return data_type
    return T.StringType()


def _is(value: str, data_type: T.DataType) -> bool:
    try:
        convert_partition(value, data_type)
    except ValueError:
        return False
    return True


def _whole_digits(value: str) -> int | None:
    """Return how many digits a number without fraction has as a decimal (``1e3`` has 4), or None if it is none."""
    if "_" in value or value != value.strip():  # which Python allows in numbers, and Java does not
        return None
    try:
        _, digits, exponent = Decimal(value).as_tuple()
    except InvalidOperation:
        return None
    if not isinstance(exponent, int) or exponent < 0:
        return None
    return len(digits) + exponent


def _wider(one: T.DataType, other: T.DataType) -> T.DataType:
    """Return the type that takes the values of both; STRING where Spark has none.

    Of texts in a path Spark is stricter than of those in files: a BIGINT or DECIMAL and a DOUBLE are a STRING.
    """
    if one == other:
        return one
    pair = {type(one), type(other)}
    if pair == {T.DateType, T.TimestampType}:
        return T.TimestampType()
    if pair == {T.IntegerType, T.LongType}:
        return T.LongType()
    if pair == {T.IntegerType, T.DoubleType}:
        return T.DoubleType()
    if pair <= {T.IntegerType, T.LongType, T.DecimalType}:
        return wider_decimal(one, other) or T.StringType()
    return T.StringType()


def convert_partition(value: str | None, data_type: T.DataType, timezone: str = "UTC") -> Any:
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


def _integer(value: str, data_type: T.DataType, timezone: str) -> int:
    if not _INTEGER.fullmatch(value) or not _fits(int(value), _BITS[type(data_type)]):
        raise ValueError
    return int(value)


def _float(value: str, data_type: T.DataType, timezone: str) -> float:
    text = value.strip(_BLANKS)
    if not _DOUBLE.fullmatch(text):
        raise ValueError
    return float(text.rstrip("fFdD"))


def _decimal(value: str, data_type: T.DataType, timezone: str) -> Decimal:
    assert isinstance(data_type, T.DecimalType)
    number = Decimal(value)
    if not number.is_finite() or "_" in value or number.adjusted() > LONGEST:
        raise ValueError
    with localcontext(prec=3 * LONGEST):
        scaled = number.quantize(Decimal(1).scaleb(-data_type.scale), ROUND_HALF_UP)
    if scaled and scaled.adjusted() >= data_type.precision - data_type.scale:
        raise ValueError
    return scaled


def _boolean(value: str, data_type: T.DataType, timezone: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ValueError
    return value.lower() == "true"


def _date(value: str, data_type: T.DataType, timezone: str) -> date:
    return _EPOCH.date() + timedelta(days=times.day(value))


def _moment(value: str, data_type: T.DataType, timezone: str) -> datetime:
    return _EPOCH + timedelta(microseconds=times.timestamp(value, times.zone_named(timezone)))


def _local_moment(value: str, data_type: T.DataType, timezone: str) -> datetime:
    return _EPOCH.replace(tzinfo=None) + timedelta(microseconds=times.timestamp_without_zone(value))


_CONVERSIONS: list[tuple[Any, Callable[[str, T.DataType, str], Any]]] = [
    ((T.StringType, T.CharType, T.VarcharType), lambda value, data_type, timezone: value),
    (tuple(_BITS), _integer),
    ((T.FloatType, T.DoubleType), _float),
    (T.DecimalType, _decimal),
    (T.DateType, _date),
    (T.TimestampType, _moment),
    (T.TimestampNTZType, _local_moment),
    (T.BooleanType, _boolean),
    (T.BinaryType, lambda value, data_type, timezone: value.encode()),
    (T.NullType, lambda value, data_type, timezone: None),
]
