"""Partition columns, read from paths such as ``event=click/date=2024-01-01/``.

Keys, values and types are those that Spark's readers find, except that a TIME is a STRING, and that a directory
without ``=`` between two with it does not end the partitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import Any

from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems import filesystem, globs
from pyspark_cloudfiles.values import times
from pyspark_cloudfiles.values.conversion import converter
from pyspark_cloudfiles.values.widening import LONGEST, wider_decimal

_NULL = "__HIVE_DEFAULT_PARTITION__"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# The patterns that Spark infers a type from; it converts more once the type is known.
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d)?", re.ASCII)
# As in Java, of which the options of files have other names.
_NUMBER_NAMES = {"positiveinf": "Infinity", "negativeinf": "-Infinity"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def partition_values(root_url: str, file_url: str) -> dict[str, str | None]:
    """Return the keys and values in the directories between a stream's path and one of its files, in their order.

    The root of a glob is the directory that it begins with.  Names are unescaped; Hive's name of NULL is None.  If a
    key occurs twice, the deeper one counts.
    """
    root = globs.base_of(filesystem.canonical(root_url)).rstrip("/") + "/"
    if not file_url.startswith(root):
        return {}
    found: dict[str, str | None] = {}
    for name in file_url[len(root) :].split("/")[:-1]:
        key, equals, value = name.partition("=")
        if key and equals and value:
            found[unescape(key)] = None if value == _NULL else unescape(value)
    return found


def unescape(text: str) -> str:
    """Return a name without Hive's escapes: ``%3A`` is a colon, ``%zz`` stays."""
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text) if "%" in text else text


def infer_partition_types(rows: Iterable[dict[str, str | None]]) -> dict[str, T.DataType]:
    """Return the type of each key, as Spark infers it from all the values; a key without any value is a STRING."""
    types: dict[str, set[T.DataType]] = {}
    for row in rows:
        for key, value in row.items():
            known = types.setdefault(key, set())
            if value is not None:
                known.add(_type_of(value))
    return {key: reduce(_wider, found) if found else T.StringType() for key, found in types.items()}


def _type_of(value: str) -> T.DataType:
    """Return the first type, in Spark's order, that has a value."""
    for data_type in (T.IntegerType(), T.LongType()):
        if _can_be(value, data_type):
            return data_type
    if value == value.strip() and "_" not in value:  # which Python allows in numbers, and Java does not
        with suppress(InvalidOperation):
            _, digits, exponent = Decimal(value).as_tuple()
            if isinstance(exponent, int) and exponent >= 0 and len(digits) + exponent <= LONGEST:
                return T.DecimalType(len(digits) + exponent, 0)
    if _can_be(value, T.DoubleType()):
        return T.DoubleType()
    for form, data_type in ((_TIMESTAMP, T.TimestampType()), (_DATE, T.DateType())):
        if form.fullmatch(value) and _can_be(value, data_type):
            return data_type
    return T.StringType()


def _can_be(value: str, data_type: T.DataType) -> bool:
    try:
        convert_partition(value, data_type)
    except ValueError:
        return False
    return True


def _wider(one: T.DataType, other: T.DataType) -> T.DataType:
    """Return the type for both; in paths, Spark does not merge a BIGINT or DECIMAL with a DOUBLE."""
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
    """Return a value as Python has it, timestamps aware, or naive for NTZ; raise ValueError for a misfit."""
    if value is None:
        return None
    try:
        match data_type:
            case T.CharType() | T.VarcharType():
                return value
            case T.DateType():
                return _EPOCH.date() + timedelta(days=times.day(value))
            case T.TimestampType():
                return _EPOCH + timedelta(microseconds=times.timestamp(value, times.find_zone(timezone)))
            case T.TimestampNTZType():
                return _EPOCH.replace(tzinfo=None) + timedelta(microseconds=times.timestamp_without_zone(value))
            case T.IntegralType():  # Java takes digits of any script
                value = re.sub(r"\d", lambda digit: str(int(digit[0])), value)
            case T.DecimalType() if "," not in value:
                value = value.strip()
            case T.DecimalType():  # which files may have in numbers, and paths may not
                raise ValueError
        return converter(data_type, _NUMBER_NAMES, timezone)(value)
    except InvalidOption:
        raise ValueError(f"A partition column cannot be of type {data_type.simpleString().upper()}.") from None
    except (ArithmeticError, ValueError) as error:
        raise ValueError(f"{value!r} is not a value of {data_type.simpleString().upper()}.") from error
