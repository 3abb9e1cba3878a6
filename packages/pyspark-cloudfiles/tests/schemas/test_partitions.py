"""Columns of the path, compared with what Spark's own reader finds in the same directories."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import types as T

from pyspark_cloudfiles.paths import convert_partition, infer_partition_types, partition_values, unescape


@pytest.mark.parametrize(
    ("root", "file", "expected"),
    [
        ("file:/r", "file:/r/a=1/b=x/f", {"a": "1", "b": "x"}),
        ("/r/", "file:/r/a=1/f", {"a": "1"}),
        ("file:/r", "file:/r/f=1", {}),
        ("file:/r", "file:/other/a=1/f", {}),
        ("file:/r/a=1", "file:/r/a=1/b=2/f", {"b": "2"}),
        ("file:/r/a=1/f", "file:/r/a=1/f", {}),
        ("file:/r", "file:/r/a=1/plain/b=2/f", {"a": "1", "b": "2"}),
        ("file:/r", "file:/r/a=1/a=2/f", {"a": "2"}),
        ("file:/r", "file:/r/a=__HIVE_DEFAULT_PARTITION__/f", {"a": None}),
        ("file:/r", "file:/r/a%3Ab=x%2Fy%20z%zz%4/f", {"a:b": "x/y z%zz%4"}),
        ("file:/r", "file:/r/a=b=c/f", {"a": "b=c"}),
        ("file:/r", "file:/r/=1/a=/f", {}),
        ("file:/r/*/x", "file:/r/a=1/x/f", {"a": "1"}),
        ("file:/r/a={1,2}", "file:/r/a=1/f", {"a": "1"}),
        ("file:/r/b[12]/a=*", "file:/r/b1/a=1/f", {"a": "1"}),
        ("file:/", "file:/a=1/f", {"a": "1"}),
        ("s3://bucket", "s3://bucket/a=1/f", {"a": "1"}),
    ],
)
def test_keys_and_values_are_between_the_root_and_the_file(root: str, file: str, expected: dict[str, str]) -> None:
    assert partition_values(root, file) == expected
    assert list(partition_values(root, file)) == list(expected)


VALUES = [
    "1", "01", "-1", "+1", "1L", "1.0", "1.5", "1e3", "1.5e3", "1.5e1", "1e-1", "NaN", "Infinity", "+Infinity", "inf",
]  # fmt: skip
VALUES += ["nan", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "1" * 38]
VALUES += ["1" * 39, "2020-01-01", "2020-1-1", "2020-02-30", "2020-13-01", "0001-01-01", "10000-01-01", "2020-01-01T"]
VALUES += ["2020-01-01 10:00:00", "2020-01-01T10:00:00", "2020-01-01 10:00", "2020-01-01 10:00:00.1", "true", "a", "é"]
VALUES += ["2020-01-01 10:00:00.12", "2020-01-01 25:00:00", "2020-01-01 10:00:00Z", " 1", "1 ", "-", "1d", "1f", "0x10"]
VALUES += [
    "1_0", "-0", "00", ".5", "5.", "1e400", "1e37", "1e38", "٣", "--1", "1,0", "0e5", "+", ".", "1e", "e1", "0.10",
]  # fmt: skip
TYPICAL = ["1", "2147483648", "9223372036854775808", "1e3", "1.5", "2020-01-01", "2020-01-01 10:00:00", "a", None]


def spark_finds(spark: SparkSession, root: Path, rows: list[tuple[str | None, ...]]) -> tuple[T.StructType, list[dict]]:
    """Return schema and values that Spark finds; each row is one file, with a key for each of its values."""
    for number, row in enumerate(rows):
        names = [
            f"k{index}={'__HIVE_DEFAULT_PARTITION__' if value is None else value}" for index, value in enumerate(row)
        ]
        directory = root.joinpath(*names)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"{number}.txt").write_text(str(number))
    frame = spark.read.schema("value STRING").text(f"file:{root}")
    keys = [column for column in frame.columns if column != "value"]
    text = frame.selectExpr("int(value) AS number", *(f"string({key}) AS {key}" for key in keys)).orderBy("number")
    return T.StructType([frame.schema[key] for key in keys]), [row.asDict() for row in text.collect()]


def test_each_value_has_the_type_that_spark_infers(spark: SparkSession, tmp_path: Path) -> None:
    """One directory with a key for each value: Spark infers each key from its one value."""
    for part, values in enumerate(chunks(VALUES, 12)):
        schema, _ = spark_finds(spark, tmp_path / str(part), [tuple(values)])
        ours = infer_partition_types([{f"k{index}": value for index, value in enumerate(values)}])
        for value, field in zip(values, schema, strict=True):
            assert ours[field.name] == field.dataType, value


def test_types_of_several_values_are_merged_as_spark_merges_them(spark: SparkSession, tmp_path: Path) -> None:
    pairs = [(one, other) for one, other in itertools.combinations(TYPICAL, 2)]
    for part, some in enumerate(chunks(pairs, 12)):
        rows = [tuple(one for one, _ in some), tuple(other for _, other in some)]
        schema, found = spark_finds(spark, tmp_path / str(part), rows)
        ours = infer_partition_types([{f"k{i}": value for i, value in enumerate(row)} for row in rows])
        for (one, other), field in zip(some, schema, strict=True):
            assert ours[field.name] == field.dataType, (one, other)
        frame = spark.createDataFrame(
            [tuple(convert_partition(value, ours[f"k{i}"]) for i, value in enumerate(row)) for row in rows],
            T.StructType([field for field in schema]),
        )
        text = frame.selectExpr(*(f"string({field.name}) AS {field.name}" for field in schema)).collect()
        for mine, theirs in zip(text, found, strict=True):
            assert mine.asDict() == {key: value for key, value in theirs.items() if key != "number"}


def chunks(values: list, size: int) -> list[list]:
    return [values[start : start + size] for start in range(0, len(values), size)]


def test_a_key_without_a_value_is_a_string() -> None:
    assert infer_partition_types([{"a": None}, {"b": "1"}]) == {"a": T.StringType(), "b": T.IntegerType()}


def test_a_time_is_a_string() -> None:
    assert infer_partition_types([{"a": "10:00:00"}]) == {"a": T.StringType()}


def test_timestamps_are_of_the_time_zone() -> None:
    moment = convert_partition("2020-07-01 12:00:00", T.TimestampType(), "Europe/Berlin")
    assert moment == datetime(2020, 7, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "data_type"),
    [
        ("x", T.IntegerType()),
        ("2147483648", T.IntegerType()),
        ("40000", T.ShortType()),
        ("1_0", T.IntegerType()),
        ("1_0", T.DecimalType(3, 0)),
        ("1000", T.DecimalType(3, 0)),
        ("NaN", T.DecimalType(3, 0)),
        ("1e999999999", T.DecimalType(3, 0)),
        ("x", T.DoubleType()),
        ("2020-02-30", T.DateType()),
        ("soon", T.TimestampType()),
        ("yes", T.BooleanType()),
        ("1", T.StructType()),
    ],
)
def test_values_that_do_not_fit_are_refused(value: str, data_type: T.DataType) -> None:
    with pytest.raises(ValueError, match=r"is not a value of|cannot be of type"):
        convert_partition(value, data_type)


def test_escapes_are_sparks(spark: SparkSession) -> None:
    theirs = spark._jvm.org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils.unescapePathName
    for text in ["a%3Ab", "%", "%4", "%zz", "%C3%A9", "%00%7f", "a+b", "%25%32", "%-1", "% 1", "é%3Dü", "%+1"]:
        assert unescape(text) == theirs(text), text


@given(st.text(st.sampled_from("0123456789+-.eEdf :T_ aNI"), min_size=1, max_size=20))
def test_a_value_always_converts_to_its_own_type(value: str) -> None:
    [data_type] = infer_partition_types([{"k": value}]).values()
    assert convert_partition(value, data_type) is not None
