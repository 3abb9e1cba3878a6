"""Text converted to a value of a type, exactly as by Spark's readers, and the smallest type for the values of two.

CSV, XML and partition values use :func:`converter`; JSON its parts.  A value is what PyArrow takes for the column's
Arrow type: timestamps are microseconds and dates days since the epoch, as integers.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from typing import Any

from pyspark.sql import types as T

from pyspark_cloudfiles import times
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.option_names import refuse_other_time_parsers
from pyspark_cloudfiles.times import compile_pattern

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


Convert = Callable[[str], Any]

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_DECIMAL = re.compile(rf"[+-]?{_NUMBER}", re.ASCII)
_HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+[fFdD]?", re.ASCII)
_DOUBLE = re.compile(rf"[+-]?(?:NaN|Infinity|{_NUMBER}[fFdD]?)", re.ASCII)
# Java trims these from a floating point number, but not from an integer.
_JAVA_BLANK = "".join(map(chr, range(0x21)))
_WIDE = decimal.Context(prec=120, rounding=decimal.ROUND_HALF_UP, traps=[decimal.InvalidOperation])
_SCALES = (-(2**31), 2**31 - 1)  # of a BigDecimal
BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}


def converter(data_type: T.DataType, options: Mapping[str, str], timezone: str) -> Convert:
    """Return the function that converts a text to an atomic type, and raises ValueError for a text that does not fit.

    ``options`` are those of a text format: patterns of dates and times, names of infinite numbers and of NaN.  Raise
    InvalidOption for an invalid pattern or time zone, or a type that no text can have.
    """
    if isinstance(data_type, T.StringType):
        return str
    if isinstance(data_type, T.IntegralType):
        return integers(BITS[data_type.typeName()])
    if isinstance(data_type, T.DecimalType):
        return decimals(data_type)
    if isinstance(data_type, T.FractionalType):
        names = {
            options.get("nanvalue", "NaN"): float("nan"),
            options.get("negativeinf", "-Inf"): float("-inf"),
            options.get("positiveinf", "Inf"): float("inf"),
        }
        return lambda text: names[text] if text in names else double(text)
    if isinstance(data_type, T.BooleanType):
        return boolean
    if isinstance(data_type, T.BinaryType):
        return str.encode
    if isinstance(data_type, T.DateType):
        return dates(options)
    if isinstance(data_type, T.TimestampNTZType):
        return timestamps_without_zone(options)
    if isinstance(data_type, T.TimestampType):
        return timestamps(options, timezone)
    raise InvalidOption(f"A text cannot be read as {data_type.simpleString()}. Read it as a STRING.")


def can_convert(convert: Convert, text: str) -> bool:
    try:
        convert(text)
    except ValueError:
        return False
    return True


def integers(bits: int) -> Convert:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def convert(text: str) -> int:
        # Longer texts are out of range, and slow to convert.
        if not _INTEGER.fullmatch(text) or len(text) > 4000:
            raise ValueError(f"not an integer: {text!r}")
        value = int(text)
        if not low <= value <= high:
            raise ValueError(f"{text} does not fit {bits} bits")
        return value

    return convert


def decimals(data_type: T.DecimalType) -> Convert:
    """Return the conversion to decimals; commas are ignored, and digits beyond the scale are rounded half up."""
    unit = decimal.Decimal(1).scaleb(-data_type.scale)
    limit = data_type.precision - data_type.scale

    def convert(text: str) -> decimal.Decimal:
        value = exact(text.replace(",", ""))
        if value and value.adjusted() >= limit + 1:
            raise ValueError(f"{text} does not fit {data_type.simpleString()}")
        if value and value.adjusted() < -data_type.scale - 1:
            return decimal.Decimal(0).scaleb(-data_type.scale)
        rounded = value.quantize(unit, context=_WIDE)
        if rounded and rounded.adjusted() >= limit:
            raise ValueError(f"{text} does not fit {data_type.simpleString()}")
        return rounded

    return convert


def exact(text: str) -> decimal.Decimal:
    """Return a number with all its digits, as ``java.math.BigDecimal`` reads it."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"not a decimal number: {text!r}")
    value = decimal.Decimal(text)
    if not value.is_finite() or not _SCALES[0] <= -value.as_tuple().exponent <= _SCALES[1]:
        raise ValueError(f"the exponent of {text} is too large")
    return value


def double(text: str) -> float:
    text = text.strip(_JAVA_BLANK)
    if _HEXADECIMAL.fullmatch(text):
        return float.fromhex(text.rstrip("fFdD"))
    if not _DOUBLE.fullmatch(text):
        raise ValueError(f"not a number: {text!r}")
    return float(text.rstrip("fFdD") if text[-1] in "fFdD" else text)


def boolean(text: str) -> bool:
    value = {"true": True, "false": False}.get(text.lower())
    if value is None:
        raise ValueError(f"not a boolean: {text!r}")
    return value


def zone_of(timezone: str, options: Mapping[str, str]) -> tzinfo:
    """Return the default zone of timestamps: the format's own option, or else the session's."""
    name = options.get("timezone", timezone)
    try:
        return UTC if name == "UTC" else times.find_zone(name)
    except ValueError as error:
        raise InvalidOption(f"There is no time zone {name!r}.") from error


def timestamps(options: Mapping[str, str], timezone: str) -> Convert:
    refuse_other_time_parsers(options)
    zone = zone_of(timezone, options)
    pattern = options.get("timestampformat")
    if pattern is None:
        return lambda text: times.timestamp(text, zone)
    parsed = compile_pattern(pattern)
    return _with_fallback(lambda text: parsed.timestamp(text, zone), lambda text: times.timestamp(text, zone), options)


def timestamps_without_zone(options: Mapping[str, str]) -> Convert:
    refuse_other_time_parsers(options)
    pattern = options.get("timestampntzformat")
    return times.timestamp_without_zone if pattern is None else compile_pattern(pattern).timestamp_without_zone


def dates(options: Mapping[str, str]) -> Convert:
    refuse_other_time_parsers(options)
    pattern = options.get("dateformat")
    return times.day if pattern is None else _with_fallback(compile_pattern(pattern).day, times.day, options)


def _with_fallback(first: Convert, second: Convert, options: Mapping[str, str]) -> Convert:
    if options.get("enabledatetimeparsingfallback", "false").lower() != "true":
        return first

    def convert(text: str) -> Any:
        try:
            return first(text)
        except ValueError:
            return second(text)

    return convert
