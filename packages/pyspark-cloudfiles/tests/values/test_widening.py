"""Which type holds the values of two."""

from __future__ import annotations

import pytest
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
)

from pyspark_cloudfiles.values.widening import wider, wider_decimal


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (IntegerType(), DecimalType(5, 2), DecimalType(12, 2)),
        (DecimalType(5, 4), DecimalType(5, 1), DecimalType(8, 4)),
        (ByteType(), LongType(), DecimalType(20, 0)),
        (DecimalType(38, 0), DecimalType(5, 0), DecimalType(38, 0)),
        (DecimalType(38, 0), DecimalType(5, 1), None),
    ],
)
def test_it_has_the_digits_of_both_before_and_behind_the_point(one, other, expected):
    assert wider_decimal(one, other) == wider_decimal(other, one) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (LongType(), LongType(), LongType()),
        (IntegerType(), LongType(), LongType()),
        (LongType(), DecimalType(5, 2), DecimalType(22, 2)),
        (DecimalType(38, 0), DecimalType(5, 1), DoubleType()),
        (DecimalType(5, 1), DoubleType(), DoubleType()),
        (IntegerType(), DoubleType(), DoubleType()),
        (DateType(), TimestampType(), TimestampType()),
        (LongType(), DateType(), StringType()),
        (BooleanType(), LongType(), StringType()),
        (DoubleType(), StringType(), StringType()),
    ],
)
def test_texts_of_two_types_are_of_the_wider_one(one, other, expected):
    assert wider(one, other) == wider(other, one) == expected
