"""Text to values as Spark converts it."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from pyspark.sql import types as T

from pyspark_cloudfiles.conversion import converter
from pyspark_cloudfiles.errors import InvalidOption

HOUR = 3_600_000_000
NEW_YEAR = 1_704_067_200_000_000  # 2024-01-01T00:00:00Z


def convert(text: str, data_type: T.DataType, timezone: str = "UTC", **options: str):
    return converter(data_type, options, timezone)(text)


@pytest.mark.parametrize(
    ("text", "data_type", "value"),
    [
        ("x", T.StringType(), "x"),
        ("+7", T.IntegerType(), 7),
        ("-9223372036854775808", T.LongType(), -(2**63)),
        ("1e3", T.DoubleType(), 1000.0),
        (" 1.5d", T.DoubleType(), 1.5),
        ("-Inf", T.FloatType(), -math.inf),
        ("0x1p3", T.DoubleType(), 8.0),
        ("TRUE", T.BooleanType(), True),
        ("1,000.505", T.DecimalType(7, 2), Decimal("1000.51")),
        ("1e-400", T.DecimalType(7, 2), Decimal("0.00")),
        ("1e-2147483647", T.DecimalType(7, 2), Decimal("0.00")),
        ("2024", T.DateType(), 19723),
        ("2024-01-01 24:61", T.DateType(), 19723),
        ("é", T.BinaryType(), "é".encode()),
    ],
)
def test_a_text_becomes_the_value_that_spark_reads(text: str, data_type: T.DataType, value: object) -> None:
    assert convert(text, data_type) == value


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("128", T.ByteType()),
        (" 1", T.IntegerType()),
        ("1_000", T.IntegerType()),
        ("1.0", T.LongType()),
        ("9" * 5000, T.LongType()),
        ("yes", T.BooleanType()),
        ("inf", T.DoubleType()),
        ("99999.995", T.DecimalType(7, 2)),
        ("1e999999999", T.DecimalType(7, 2)),
        ("1e-501700000000", T.DecimalType(7, 2)),
        ("0.1e-2147483647", T.DecimalType(7, 2)),
        ("2024-02-30", T.DateType()),
        ("2024-01-01T", T.TimestampType()),
        ("2024-01-01 24:00", T.TimestampType()),
        ("2024-01-01 00:00:00 Nowhere/City", T.TimestampType()),
        ("2024-01-01 00:00:00Z", T.TimestampNTZType()),
    ],
)
def test_a_text_that_does_not_fit_is_an_error(text: str, data_type: T.DataType) -> None:
    with pytest.raises(ValueError):
        convert(text, data_type)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2024", 0),
        ("2024-1-1 5", 5),
        ("2024-01-01T01:00:00+02:00", -1),
        ("2024-01-01 00:00:00 America/New_York", 5),
        ("2024-01-01 00:00:00 PST", 8),
        ("2024-01-01 00:00:00UTC+1", -1),
        ("\t2024-01-01 00:00:00Z ", 0),
    ],
)
def test_a_timestamp_has_the_forms_of_spark_s_cast(text: str, hours: int) -> None:
    assert convert(text, T.TimestampType()) == NEW_YEAR + hours * HOUR


def test_a_time_that_the_clocks_skip_is_moved_on() -> None:
    skipped = convert("2024-03-31 02:30:00", T.TimestampType(), "Europe/Berlin")
    assert skipped == convert("2024-03-31 03:30:00", T.TimestampType(), "Europe/Berlin")


def test_years_beyond_python_s_calendar_are_known() -> None:
    assert convert("10000-01-01", T.TimestampType()) == 253_402_300_800 * 1_000_000
    assert convert("+12000-01-01", T.DateType()) - convert("+11600-01-01", T.DateType()) == 146_097
    assert convert("-0001-01-01", T.DateType()) < convert("0000-01-01", T.DateType())


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("dd/MM/yyyy HH:mm", "01/01/2024 00:00"),
        ("MMM d, y h:mm a", "Jan 1, 2024 12:00 AM"),
        ("yyyyMMddHHmmss", "20240101000000"),
        ("yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2024-01-01T00:00:00.0Z"),
        ("yyyy-DDD", "2024-001"),
        ("yy-M-d HH:mm:ss Z", "24-1-1 01:00:00 +0100"),
    ],
)
def test_patterns_of_java_are_understood(pattern: str, text: str) -> None:
    assert convert(text, T.TimestampType(), timestampformat=pattern) == NEW_YEAR


def test_a_pattern_is_strict() -> None:
    with pytest.raises(ValueError):
        convert("2024-1-1", T.DateType(), dateformat="yyyy-MM-dd")
    assert convert("2024-1-1", T.DateType(), dateformat="yyyy-MM-dd", enabledatetimeparsingfallback="true") == 19723


def test_a_pattern_with_an_unknown_letter_is_named() -> None:
    with pytest.raises(InvalidOption, match="'Q' in the pattern 'yyyy Q'"):
        converter(T.DateType(), {"dateformat": "yyyy Q"}, "UTC")


def test_an_unknown_time_zone_is_named() -> None:
    with pytest.raises(InvalidOption, match="Nowhere"):
        converter(T.TimestampType(), {}, "Nowhere/City")
