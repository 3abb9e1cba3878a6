"""Columns that are in the path: ``event=click/date=2024-01-01/``.

Keys, values and types are those that Spark's readers find, except that a TIME is a STRING, and that a directory
without ``=`` between two with it ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from functools import reduce

from pyspark.sql.types import (
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
)

from pyspark_cloudfiles import filesystem, globs
from pyspark_cloudfiles.partition_conversion import convert_partition

__all__ = ["convert_partition", "infer_partition_types", "partition_values", "unescaped"]

_NULL = "__HIVE_DEFAULT_PARTITION__"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# The forms that Spark infers from; more are converted once the type is known.
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d)?", re.ASCII)


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


def infer_partition_types(rows: Iterable[dict[str, str | None]]) -> dict[str, DataType]:
    """Return the type of each key, in the order of their first appearance, as Spark infers it from all the values.

    A key without any value is a STRING (to Spark it has no type).
    """
    types: dict[str, set[DataType]] = {}
    for row in rows:
        for key, value in row.items():
            known = types.setdefault(key, set())
            if value is not None:
                known.add(_type_of(value))
    return {key: reduce(_wider, found) if found else StringType() for key, found in types.items()}


def _type_of(value: str) -> DataType:
    """Return the type of one value: the first that takes it, in Spark's order."""
    for data_type in (IntegerType(), LongType()):
        if _is(value, data_type):
            return data_type
    digits = _whole_digits(value)
    if digits is not None and digits <= 38:
        return DecimalType(digits, 0)
    if _is(value, DoubleType()):
        return DoubleType()
    for form, data_type in ((_TIMESTAMP, TimestampType()), (_DATE, DateType())):
        if form.fullmatch(value) and _is(value, data_type):
            return data_type
    return StringType()


def _is(value: str, data_type: DataType) -> bool:
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


def _wider(one: DataType, other: DataType) -> DataType:
    """Return the type that takes the values of both; STRING where Spark has none."""
    if one == other:
        return one
    pair = {type(one), type(other)}
    if pair == {DateType, TimestampType}:
        return TimestampType()
    if pair == {IntegerType, LongType}:
        return LongType()
    if pair == {IntegerType, DoubleType}:
        return DoubleType()
    if pair <= {IntegerType, LongType, DecimalType}:
        return DecimalType(max(_precision(one), _precision(other)), 0)
    return StringType()


def _precision(data_type: DataType) -> int:
    if isinstance(data_type, DecimalType):
        return data_type.precision
    return 10 if isinstance(data_type, IntegerType) else 20
