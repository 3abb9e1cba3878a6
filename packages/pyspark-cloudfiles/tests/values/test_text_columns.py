"""Columns of texts: what Arrow converts at once is what one text after the other gives, whatever the texts."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles import columns, conversion
from pyspark_cloudfiles.columns import arrow_casts, convert_one_by_one, convert_texts

NUMBERS = [
    "0",
    "-0",
    "007",
    "+1",
    "127",
    "128",
    "-129",
    "9223372036854775808",
    "1.5",
    "1.",
    ".5",
    "1e3",
    "1e400",
    "0x1F",
]
NUMBERS += [
    "nan",
    "NaN",
    "inf",
    "Infinity",
    "-Inf",
    " 1",
    "1 ",
    "1_0",
    "٣",
    "",
    "-",
    "1,000.5",
    "0.005",
    "1f",
    "1e-400",
]
TIMES = ["2024-01-02", "2024-02-30", "0999-12-31", "20240102", "2024-1-2", "+2024-01-02", "9999-12-31", "2024"]
TIMES += ["2024-01-02 03:04:05", "2024-01-02T03:04:05.123456", "2024-01-02 0304", "2024-01-02T03", "2024-01-02T03:04Z"]
TIMES += ["2024-01-02T03:04:05Z", "2024-01-02 03:04:05.1234567Z", "2024-01-02T03:04:05+05:30", "2024-01-02T03:04:05+05"]
TIMES += [
    "2024-03-10 02:30:00",
    "2024-11-03 01:30:00",
    "1883-11-18 12:03:00",
    "2024-01-02 24:00:00",
    "0001-01-01 00:00:00",
]
TIMES += [
    "2024-01-02T03:04:05+19:00",
    "2024-01-02 030405.12Z",
    "2024-01-02T03:04:05.Z",
    "9999-12-31 23:59:59",
    "2024-01-02T",
]
TIMES += ["2024-01-02 03:04:05 Europe/Paris", "0999-12-31T23:59:59Z", "1972-01-07 00:30:00", "2040-07-01 12:00:00"]
TYPES = [T.ByteType(), T.ShortType(), T.IntegerType(), T.LongType(), T.FloatType(), T.DoubleType(), T.BooleanType()]
TYPES += [T.DecimalType(7, 2), T.DecimalType(38, 18), T.DecimalType(5, 0), T.DateType(), T.TimestampType()]
TYPES += [T.TimestampNTZType()]
ZONES = ["UTC", "America/New_York", "Africa/Monrovia", "Australia/Lord_Howe", "+05:30"]
TEXTS = st.one_of(st.sampled_from([*NUMBERS, *TIMES, "true", "TRUE", "1"]), st.none(), st.text(max_size=8))
DIGITS = st.from_regex(r"\A[12]\d{3}-[01]\d-[0-3]\d[ T][0-2]\d:[0-5]\d:[0-5]\d(\.\d{1,7})?(Z|[+-][01]\d:\d\d)?\Z")


@pytest.mark.slow
@pytest.mark.parametrize("data_type", TYPES, ids=lambda data_type: data_type.simpleString())
@given(texts=st.lists(st.one_of(TEXTS, DIGITS)), zone=st.sampled_from(ZONES), lone=st.booleans())
def test_a_column_is_what_its_cells_are(data_type: T.DataType, texts: list[str | None], zone: str, lone: bool) -> None:
    arrow_type = to_arrow_type(data_type, timezone="UTC")
    # A text that fills the column alone is where the whole column is vouched for.
    convert = conversion.converter(data_type, {}, zone)
    for some in [[text] for text in texts] if lone else [texts]:
        slow, misfits = convert_one_by_one(some, arrow_type, convert)
        fast, wrong = convert_texts(
            pa.array(some, pa.string()), arrow_type, convert, arrow_casts(data_type, arrow_type, {}, zone)
        )
        assert (comparable(fast), wrong) == (comparable(slow), misfits), some


def comparable(array: pa.Array) -> list[str]:
    if pa.types.is_temporal(array.type):
        array = array.cast(pa.int32() if pa.types.is_date32(array.type) else pa.int64())
    return [repr(value) for value in array.to_pylist()]


@pytest.mark.parametrize("odd", ["2024-01-02 03:04", "nonsense", "2024-02-30T00:00:00Z"])
def test_one_odd_cell_leaves_the_others_to_arrow(monkeypatch: pytest.MonkeyPatch, odd: str) -> None:
    looked_at: list[str] = []

    def convert(text: str) -> int:
        looked_at.append(text)
        return conversion.timestamps({}, "UTC")(text)

    arrow_type = pa.timestamp("us", "UTC")
    texts = pa.array([f"2024-01-02T03:04:{second:02}Z" for second in range(60)] + [odd])
    casts = arrow_casts(T.TimestampType(), arrow_type, {}, "UTC")
    _, misfits = columns.convert_texts(texts, arrow_type, convert, casts)
    assert looked_at == [odd] and misfits == ([] if odd[-5:] == "03:04" else [60])
