"""Text to values as Spark converts it."""

from __future__ import annotations

import pytest
from pyspark.sql import types as T

from pyspark_cloudfiles.conversion import converter
from pyspark_cloudfiles.errors import InvalidOption

NEW_YEAR = 1_704_067_200_000_000  # 2024-01-01T00:00:00Z


def convert(text: str, data_type: T.DataType, timezone: str = "UTC", **options: str):
    return converter(data_type, options, timezone)(text)


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
